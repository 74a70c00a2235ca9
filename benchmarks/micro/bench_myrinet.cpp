// Flit hops a second through the Myrinet network, and through the reference model that follows every flit: a
// flit hop is a flit started on a channel. Tori of 8 hosts a switch, up*/down* routes; every host sends
// packets to the others at random, at times that are exponentially distributed. Loads are in payload flits a
// nanosecond and switch, as in Flich, López, Malumbres and Duato, "Boosting the Performance of Myrinet
// Networks", 2002: an 8 x 8 torus saturates at about 0.016.

#include <benchmark/benchmark.h>

#include <memory>

#include "emulator/core/event_queue.h"
#include "emulator/core/random.h"
#include "emulator/network/myrinet/myrinet_network.h"
#include "emulator/network/myrinet/routes/shortest_routes.h"
#include "emulator/network/myrinet/routes/simple_routes.h"
#include "emulator/topology/kinds/torus.h"
#include "tests/network/myrinet/reference_flits.h"

namespace {

using namespace morgana;

/// Every host injects packets of one size, each to another host at random.
class UniformTraffic : private EventHandler, private UnitListener {
 public:
  UniformTraffic(EventQueue& events, Network& network, std::size_t hosts, Bytes size, SimTime mean)
      : events_(events), network_(network), hosts_(hosts), size_(size), mean_(mean), random_(1, "traffic") {
    network.report_to(*this);
    for (std::size_t host = 0; host < hosts; ++host)
      events_.schedule(random_.exponential(mean_), *this, host);
  }
  std::uint64_t ended() const { return ended_; }

 private:
  void handle(std::uint64_t host) override {
    const std::uint64_t to = (host + 1 + random_.below(hosts_ - 1)) % hosts_;
    network_.inject({UnitId{sent_++}, PortId(static_cast<std::uint32_t>(host)),
                     PortId(static_cast<std::uint32_t>(to)), size_});
    events_.schedule(events_.now() + random_.exponential(mean_), *this, host);
  }
  void unit_departed(UnitId, PortId) override {}
  void unit_delivered(UnitId, PortId) override { ++ended_; }
  void unit_lost(UnitId) override { ++ended_; }

  EventQueue& events_;
  Network& network_;
  std::size_t hosts_;
  Bytes size_;
  SimTime mean_;
  RandomStream random_;
  std::uint64_t sent_ = 0, ended_ = 0;
};

/// A mean time between a host's packets that makes `load` payload flits a nanosecond and switch of 8 hosts.
SimTime interval(double load, std::int64_t bytes) {
  return SimTime::from_seconds(8 * static_cast<double>(bytes) / load * 1e-9);
}

struct Torus {
  explicit Torus(std::vector<unsigned> sides, bool in_transit = false)
      : graph(topology::torus({.sides = std::move(sides)})),
        routes(in_transit ? in_transit_routes(graph, UpDown(graph)) : simple_routes(graph, UpDown(graph))) {}
  SwitchGraph graph;
  RouteTable routes;
};

void carry(benchmark::State& state, const Torus& torus, std::int64_t bytes, double load) {
  EventQueue events;
  MyrinetNetwork network(events, torus.graph, torus.routes, {}, 1);
  UniformTraffic traffic(events, network, torus.graph.hosts(), Bytes(bytes), interval(load, bytes));
  const auto hops = [&] {
    std::int64_t sum = 0;
    for (CableChannel channel = 0; channel < torus.graph.channels(); ++channel)
      sum += network.flits_carried(channel);
    return sum;
  };
  while (traffic.ended() < 20 * torus.graph.hosts()) events.handle_next();
  network.begin_window();
  const std::uint64_t ended = traffic.ended(), handled = events.handled();
  for (auto _ : state)
    for (int n = 0; n < 10'000; ++n) events.handle_next();
  state.SetItemsProcessed(hops());
  const auto packets = static_cast<double>(traffic.ended() - ended);
  state.counters["packets"] = benchmark::Counter(packets, benchmark::Counter::kIsRate);
  state.counters["events/packet"] = static_cast<double>(events.handled() - handled) / packets;
  state.counters["accepted"] = packets * static_cast<double>(bytes) / (network.window().seconds() * 1e9) /
                               static_cast<double>(torus.graph.switches());
}

/// 8 x 8, up*/down*: bytes of payload, and load in thousandths of a flit a nanosecond and switch.
void BM_Torus(benchmark::State& state) {
  static const Torus torus({8, 8});
  carry(state, torus, state.range(0), static_cast<double>(state.range(1)) * 1e-3);
}
BENCHMARK(BM_Torus)->ArgNames({"bytes", "load"})->ArgsProduct({{32, 512, 1024}, {2, 8, 14}});

/// The same with minimal routes and in-transit hosts, which saturates at about 0.032.
void BM_TorusInTransit(benchmark::State& state) {
  static const Torus torus({8, 8}, true);
  carry(state, torus, state.range(0), static_cast<double>(state.range(1)) * 1e-3);
}
BENCHMARK(BM_TorusInTransit)->ArgNames({"bytes", "load"})->ArgsProduct({{32, 512}, {8, 16, 28}});

/// The same network and load for the reference.
testing::WormCase worm_case(const Torus& torus, std::int64_t bytes, double load, std::size_t packets) {
  const SwitchGraph& graph = torus.graph;
  testing::WormCase made;
  for (SwitchId id = 0; id < graph.switches(); ++id) made.graph.ports.push_back(graph.ports(id));
  for (const auto& [a, b] : graph.cables()) made.graph.trunks.push_back({{a.at, a.port}, {b.at, b.port}});
  for (HostNumber host = 0; host < graph.hosts(); ++host)
    made.graph.hosts.push_back({graph.port_of(host).at, graph.port_of(host).port});
  RandomStream random(1, "traffic");
  const SimTime mean =
      SimTime::from_ps(interval(load, bytes).ps() / static_cast<std::int64_t>(graph.hosts()));
  SimTime at;
  for (std::size_t n = 0; n < packets; ++n) {
    const auto from = static_cast<std::uint32_t>(random.below(graph.hosts()));
    const auto to = static_cast<std::uint32_t>((from + 1 + random.below(graph.hosts() - 1)) % graph.hosts());
    at += random.exponential(mean);
    made.plan.push_back({at, from, to, static_cast<std::uint32_t>(bytes), {}});
    for (const Leg& leg : follow(graph, from, torus.routes.header(from, to)))
      made.plan.back().legs.emplace_back(leg.ports.begin(), leg.ports.end());
  }
  return made;
}

/// 4 x 4, as the reference is in no hurry: it is written to be read, and looks at every part at every
/// instant.
const Torus& small_torus() {
  static const Torus torus({4, 4});
  return torus;
}
void BM_SmallTorus(benchmark::State& state) {
  carry(state, small_torus(), state.range(0), 8e-3);
}
BENCHMARK(BM_SmallTorus)->ArgName("bytes")->Arg(32)->Arg(512);

void BM_SmallTorusFlitByFlit(benchmark::State& state) {
  const testing::WormCase given = worm_case(small_torus(), state.range(0), 8e-3, 60);
  std::uint64_t hops = 0;
  for (auto _ : state) {
    const testing::WormResults results = testing::ReferenceFlits(given).run();
    for (const testing::ChannelCounts& channel : results.channels) hops += channel.flits;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(hops));
}
BENCHMARK(BM_SmallTorusFlitByFlit)->ArgName("bytes")->Arg(32)->Arg(512);

/// From 64 to 4,096 hosts, at a load that the root of the largest bears.
void BM_Hosts(benchmark::State& state) {
  std::vector<unsigned> sides;
  for (std::int64_t switches = state.range(0) / 8; switches > 1; switches /= 8) sides.push_back(8);
  if (state.range(0) == 64) sides = {8};
  const Torus torus(sides, true);
  carry(state, torus, 512, 4e-3);
}
BENCHMARK(BM_Hosts)->ArgName("hosts")->Arg(64)->Arg(512)->Arg(4096);

}  // namespace
