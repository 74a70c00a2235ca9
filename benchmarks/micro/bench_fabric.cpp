// Packet-hops a second through the fabric: every packet that starts on a cable is one. Uniform traffic on fat
// trees of three levels, 2,048 bytes a packet.
#include <benchmark/benchmark.h>

#include <memory>

#include "emulator/core/random.h"
#include "emulator/network/fabric/fabric_network.h"
#include "emulator/routing/make_routing.h"
#include "emulator/topology/kinds/fat_tree.h"

namespace morgana {
namespace {

/// Packets from every host to others, with exponentially distributed pauses.
class UniformLoad : private EventHandler, private UnitListener {
 public:
  UniformLoad(EventQueue& events, FabricNetwork& network, std::uint32_t hosts, SimTime mean,
              std::int64_t packets)
      : events_(events), network_(network), hosts_(hosts), mean_(mean), left_(packets) {
    network.report_to(*this);
    for (std::uint32_t host = 0; host < hosts; ++host) send_later(host);
  }

 private:
  void send_later(std::uint32_t host) {
    events_.schedule(events_.now() + random_.exponential(mean_), *this, host);
  }
  void handle(std::uint64_t number) override {
    if (left_-- <= 0) return;
    const auto from = static_cast<std::uint32_t>(number);
    const auto other = static_cast<std::uint32_t>(random_.below(hosts_ - 1));
    network_.inject({UnitId{0}, PortId{from}, PortId{other < from ? other : other + 1}, Bytes(2'048)});
    send_later(from);
  }
  void unit_departed(UnitId, PortId) override {}
  void unit_delivered(UnitId, PortId) override {}
  void unit_lost(UnitId) override {}

  EventQueue& events_;
  FabricNetwork& network_;
  std::uint32_t hosts_;
  SimTime mean_;
  std::int64_t left_;
  RandomStream random_{1, "uniform load"};
};

/// Arguments: switches' ports up, and the load in per cent of the hosts' links.
void fabric_under_uniform_load(benchmark::State& state) {
  const auto arity = static_cast<unsigned>(state.range(0));
  const CabledGraph network = CabledGraph::uniform(topology::fat_tree({.arity = arity, .levels = 3}),
                                                   {BitRate(200'000'000'000), SimTime::from_ps(25'000)});
  const auto routing = make_routing(network, {.routes = RoutesKind::ecmp}, [](CableChannel) { return true; });
  fabric::FabricParameters parameters;
  parameters.packet.header = Bytes(26);
  const SimTime wire = network.hosts[0].rate.time_for(parameters.packet.on_link(Bytes(2'048)));
  const SimTime mean = SimTime::from_ps(wire.ps() * 100 / state.range(1));
  std::int64_t hops = 0;
  for (auto _ : state) {
    EventQueue events;
    FabricNetwork fabric(events, network, parameters, routing);
    const UniformLoad load(events, fabric, static_cast<std::uint32_t>(network.graph.hosts()), mean, 100'000);
    while (!events.empty()) events.handle_next();
    for (const LinkLoad& link : fabric.links(events.now()).loads) hops += link.carried;
  }
  state.counters["packet-hops"] = benchmark::Counter(static_cast<double>(hops), benchmark::Counter::kIsRate);
}
BENCHMARK(fabric_under_uniform_load)
    ->Args({5, 1})
    ->Args({5, 50})
    ->Args({10, 50})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace morgana
