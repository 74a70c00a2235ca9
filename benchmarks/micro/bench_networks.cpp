// Units a second through each network, and messages through go-back-n: every port keeps one unit (or
// message) under way to a partner that changes, and injects the next as soon as it has departed.

#include <benchmark/benchmark.h>

#include "emulator/core/event_queue.h"
#include "emulator/network/ethernet/segment.h"
#include "emulator/network/ethernet/switched.h"
#include "emulator/network/fddi/ring.h"
#include "emulator/network/logp/logp_network.h"
#include "emulator/network/smp/shared_bus.h"
#include "emulator/transport/gobackn/go_back_n.h"

namespace morgana {
namespace {

class Traffic : public UnitListener {
 public:
  Traffic(Network& network, std::uint32_t ports, Bytes size) : network_(network), ports_(ports), size_(size) {
    network.report_to(*this);
  }
  void start() {
    for (std::uint32_t port = 0; port < ports_; ++port) inject(port);
  }
  std::int64_t ended() const { return ended_; }

 private:
  void inject(std::uint32_t from) {
    const std::uint32_t to = (from + 1 + static_cast<std::uint32_t>(sent_) % (ports_ - 1)) % ports_;
    network_.inject({UnitId{sent_++}, PortId{from}, PortId{to}, size_});
  }
  void unit_departed(UnitId, PortId from) override { inject(static_cast<std::uint32_t>(from)); }
  void unit_delivered(UnitId, PortId) override { ++ended_; }
  void unit_lost(UnitId) override { ++ended_; }

  Network& network_;
  std::uint32_t ports_;
  Bytes size_;
  std::uint64_t sent_ = 0;
  std::int64_t ended_ = 0;
};

void carry(benchmark::State& state, EventQueue& events, Network& network, Bytes size) {
  Traffic traffic(network, static_cast<std::uint32_t>(state.range(0)), size);
  traffic.start();
  for (auto _ : state)
    for (int n = 0; n < 1000; ++n) events.handle_next();
  state.SetItemsProcessed(traffic.ended());
  state.counters["events"] =
      benchmark::Counter(static_cast<double>(events.handled()), benchmark::Counter::kIsRate);
}

/// L = 1.5 us, g = 0.1 us, G = 0.1 ns a byte: messages of 64 bytes
void logp_messages(benchmark::State& state) {
  EventQueue events;
  LogpNetwork network(events, static_cast<std::size_t>(state.range(0)),
                      {SimTime::from_ps(1'500'000), SimTime::from_ps(100'000), ByteCost::from_fs(100'000)});
  carry(state, events, network, Bytes(64));
}
BENCHMARK(logp_messages)->Arg(2)->Arg(16)->Arg(256)->Arg(4096);

/// The same without g: an interface is free as soon as the message has departed.
void logp_messages_without_gap(benchmark::State& state) {
  EventQueue events;
  LogpNetwork network(events, static_cast<std::size_t>(state.range(0)),
                      {SimTime::from_ps(1'500'000), SimTime(), ByteCost::from_fs(100'000)});
  carry(state, events, network, Bytes(64));
}
BENCHMARK(logp_messages_without_gap)->Arg(2)->Arg(16)->Arg(256);

void switched_ethernet_frames(benchmark::State& state) {
  EventQueue events;
  SwitchedEthernetParameters parameters;
  parameters.buffer_frames = 64;
  SwitchedEthernet network(events, static_cast<std::size_t>(state.range(0)), parameters);
  carry(state, events, network, Bytes(1500));
}
BENCHMARK(switched_ethernet_frames)->Arg(2)->Arg(16)->Arg(256);

void shared_ethernet_frames(benchmark::State& state) {
  EventQueue events;
  EthernetSegment network(events, static_cast<std::size_t>(state.range(0)), {}, 1);
  carry(state, events, network, Bytes(1500));
}
BENCHMARK(shared_ethernet_frames)->Arg(2)->Arg(16)->Arg(64);

/// Messages of 8 KiB, 64 cache lines in and out: with 16 processors the bus is saturated.
void shared_bus_messages(benchmark::State& state) {
  EventQueue events;
  SharedBus network(events, static_cast<std::size_t>(state.range(0)), {});
  carry(state, events, network, Bytes(8192));
}
BENCHMARK(shared_bus_messages)->Arg(2)->Arg(4)->Arg(16)->Arg(36);

void fddi_frames(benchmark::State& state) {
  EventQueue events;
  FddiRing network(events, static_cast<std::size_t>(state.range(0)), {});
  carry(state, events, network, Bytes(1500));
}
BENCHMARK(fddi_frames)->Arg(2)->Arg(16)->Arg(64);

/// A unit every 10 s of simulated time, with 4 background stations at half the segment's rate in between.
void shared_ethernet_background_frames(benchmark::State& state) {
  EventQueue events;
  SegmentParameters parameters;
  parameters.background.load = 0.5;
  EthernetSegment network(events, 2, parameters, 1);
  struct Ignore : UnitListener, EventHandler {
    void unit_departed(UnitId, PortId) override {}
    void unit_delivered(UnitId, PortId) override {}
    void unit_lost(UnitId) override {}
    void handle(std::uint64_t) override {}
  } ignore;
  network.report_to(ignore);
  for (auto _ : state) {
    events.schedule(events.now() + SimTime::from_ps(10'000'000'000'000), ignore);
    events.handle_next();
    network.inject({UnitId{0}, PortId{0}, PortId{1}, Bytes(1500)});
    while (!events.empty()) events.handle_next();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(network.counters().background_frames));
}
BENCHMARK(shared_ethernet_background_frames);

/// Messages of 64 KiB in 45 units each, over switched Ethernet, eight hosts in a ring; counts data units.
void go_back_n_units(benchmark::State& state) {
  constexpr std::uint32_t hosts = 8;
  EventQueue events;
  SwitchedEthernet network(events, hosts, {});
  GoBackN transport(events, network, hosts, {});
  struct Ring : ShipmentListener {
    explicit Ring(Transport& transport_of_all) : transport(transport_of_all) {}
    void send(std::uint32_t from) {
      transport.send({{from, this}, HostId{from}, HostId{(from + 1) % hosts}, Bytes(65536)});
    }
    void shipment_departed(MessageId) override {}
    void shipment_delivered(MessageId id) override { send(static_cast<std::uint32_t>(id.number)); }
    void shipment_lost(MessageId) override {}
    void shipment_returned(MessageId, Outcome) override {}
    Transport& transport;
  } ring(transport);
  for (std::uint32_t host = 0; host < hosts; ++host) ring.send(host);
  for (auto _ : state)
    for (int n = 0; n < 1000; ++n) events.handle_next();
  state.SetItemsProcessed(static_cast<std::int64_t>(transport.counters().data_units));
}
BENCHMARK(go_back_n_units);

}  // namespace
}  // namespace morgana
