#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "emulator/core/event_queue.h"
#include "emulator/interface/am2/interfaces.h"
#include "tests/interface/star.h"

namespace morgana::testing::am2_bench {
using namespace literals;

/// A flit takes 1 ns, a cable 10 ns, routing 100 ns. With type (1 byte), header (10) and CRC (1) a message of
/// n bytes is there 132 + n ns after it was sent and has left after 13 + n; an ACK or NACK of 4 bytes is
/// there after 126 ns. A dispatch takes 10 ns; serve and taking a message in 100, finish_send 50, an ACK or
/// NACK 40 at both ends, what follows a transfer 30, a scan 5 a peer. The bus takes 1 us, and 1 ns a byte
/// from the host or 0.5 ns a byte to it. Scans are at whole 20 us. Up to 32 bytes a message is short.
inline MyrinetParameters network_parameters() {
  MyrinetParameters network;
  network.flit = 1_ns;
  network.cable = network.control = 10_ns;
  network.routing = 100_ns;
  network.slack = 1000;  // nothing is stopped while it is routed
  network.stop_above = 900;
  return network;
}

inline am2::Parameters firmware_parameters() {
  am2::Parameters firmware;
  firmware.lanai.cycle = 1_ns;
  firmware.lanai.bus_latency = 1_us;
  firmware.lanai.bus_rate = BitRate(8'000'000'000);
  firmware.lanai.bus_rate_to_host = BitRate(16'000'000'000);
  firmware.dispatch = 10;
  firmware.message = 100;
  firmware.completion = 50;
  firmware.control = 40;
  firmware.transfer = 30;
  firmware.scan = 5;
  firmware.header = 10_B;
  firmware.control_size = 4_B;
  firmware.quantum = 20_us;
  firmware.residence = SimTime();
  return firmware;
}

/// Interfaces at one switch, and what became of the messages that are injected there.
class Bench : private UnitListener {
 public:
  explicit Bench(unsigned hosts, const am2::Parameters& firmware = firmware_parameters(),
                 std::uint64_t seed = 1)
      : graph_(star(hosts)), routes_(star_routes(graph_)) {
    auto network = std::make_unique<MyrinetNetwork>(events, graph_, routes_, network_parameters(), 1);
    myrinet = network.get();
    interfaces = std::make_unique<am2::Interfaces>(events, std::move(network), firmware, seed);
    interfaces->report_to(*this);
  }
  void inject(std::uint64_t id, std::uint32_t from, std::uint32_t to, std::int64_t bytes, const Ends& ends) {
    interfaces->address_next({ends});
    inject(id, from, to, bytes);
  }
  void inject(std::uint64_t id, std::uint32_t from, std::uint32_t to, std::int64_t bytes) {
    interfaces->inject({UnitId{id}, PortId{from}, PortId{to}, Bytes(bytes)});
  }
  SimTime time_stopped_towards(HostNumber host) const {
    return myrinet->time_stopped(graph_.channel_from(graph_.port_of(host)));
  }
  void run_until(SimTime until) {
    while (!events.empty() && events.next_time() <= until) events.handle_next();
  }
  void run() {
    while (!events.idle()) events.handle_next();
  }

  EventQueue events;
  std::unique_ptr<am2::Interfaces> interfaces;
  MyrinetNetwork* myrinet = nullptr;
  std::map<std::uint64_t, SimTime> departed, delivered, lost;

 private:
  void unit_departed(UnitId id, PortId) override { departed[static_cast<std::uint64_t>(id)] = events.now(); }
  void unit_delivered(UnitId id, PortId) override {
    delivered[static_cast<std::uint64_t>(id)] = events.now();
  }
  void unit_lost(UnitId id) override { lost[static_cast<std::uint64_t>(id)] = events.now(); }

  SwitchGraph graph_;
  RouteTable routes_;
};

}  // namespace morgana::testing::am2_bench
