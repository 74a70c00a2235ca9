// How long routing takes, and what its tables hold: 3D tori of 64 to 512 switches with 8 hosts each.

#include <benchmark/benchmark.h>

#include "emulator/core/error.h"
#include "emulator/network/myrinet/mapping/mapping.h"
#include "emulator/network/myrinet/routes/route_deadlock.h"
#include "emulator/network/myrinet/routes/shortest_routes.h"
#include "emulator/network/myrinet/routes/simple_routes.h"
#include "emulator/network/myrinet/routes/walk.h"
#include "emulator/topology/kinds/torus.h"
#include "emulator/topology/now.h"

namespace {

using namespace morgana;

SwitchGraph cube(const benchmark::State& state) {
  const auto side = static_cast<unsigned>(state.range(0));
  return topology::torus({.sides = {side, side, side}});
}

void report(benchmark::State& state, const SwitchGraph& graph, const RouteTable& table) {
  const auto hosts = static_cast<double>(graph.hosts());
  state.counters["hosts"] = hosts;
  state.counters["table_MB"] = static_cast<double>(table.memory()) / 1e6;
  state.counters["pairs/s"] =
      benchmark::Counter(hosts * (hosts - 1), benchmark::Counter::kIsIterationInvariantRate);
}

void BM_SimpleRoutes(benchmark::State& state) {
  const SwitchGraph graph = cube(state);
  RouteTable table({});
  for (auto _ : state) table = simple_routes(graph, UpDown(graph));
  report(state, graph, table);
}
BENCHMARK(BM_SimpleRoutes)->Arg(4)->Arg(6)->Arg(8)->Unit(benchmark::kMillisecond);

void BM_InTransitRoutes(benchmark::State& state) {
  const SwitchGraph graph = cube(state);
  const Sharing sharing = state.range(1) != 0 ? Sharing::host_pair : Sharing::switch_pair;
  RouteTable table({});
  for (auto _ : state) table = in_transit_routes(graph, UpDown(graph), {.sharing = sharing});
  report(state, graph, table);
}
BENCHMARK(BM_InTransitRoutes)
    ->ArgNames({"side", "each_pair"})
    ->Args({4, 0})
    ->Args({6, 0})
    ->Args({8, 0})
    ->Args({8, 1})
    ->Unit(benchmark::kMillisecond);

void BM_FindDeadlock(benchmark::State& state) {
  const SwitchGraph graph = cube(state);
  const RouteTable table = in_transit_routes(graph, UpDown(graph));
  for (auto _ : state) benchmark::DoNotOptimize(find_deadlock(graph, table).empty());
  report(state, graph, table);
}
BENCHMARK(BM_FindDeadlock)->Arg(4)->Arg(8)->Unit(benchmark::kMillisecond);

/// Probes that are answered by walking the network.
class Walker : public Prober {
 public:
  explicit Walker(const SwitchGraph& graph) : graph_(graph) {}
  HostName own_name() const override { return 0; }
  std::optional<HostName> probe(Header route, Header) override {
    HostName end = 0;
    try {
      walk(graph_, 0, route, [&](std::size_t, CableChannel channel) {
        if (graph_.receiver(channel).is_host()) end = graph_.receiver(channel).id;
      });
    } catch (const Error&) {
      return std::nullopt;
    }
    return end;
  }

 private:
  const SwitchGraph& graph_;
};

void map_it(benchmark::State& state, const SwitchGraph& graph, unsigned ports) {
  std::uint64_t probes = 0;
  for (auto _ : state) {
    Walker walker(graph);
    probes = map_network(walker, {.most_ports = ports}).probes;
  }
  state.counters["probes"] = static_cast<double>(probes);
}
void BM_MapNow(benchmark::State& state) {
  map_it(state, topology::now(), 8);
}
BENCHMARK(BM_MapNow)->Unit(benchmark::kMillisecond);
void BM_MapTorus(benchmark::State& state) {
  map_it(state, topology::torus({}), 16);
}
BENCHMARK(BM_MapTorus)->Unit(benchmark::kMillisecond);

}  // namespace
