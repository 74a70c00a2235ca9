#include "replay/link_measurement.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "emulator/collectives/nccl/nccl_parameters.h"
#include "emulator/core/error.h"
#include "emulator/engine/engine.h"
#include "emulator/platform/platform_network.h"
#include "replay/graph_run.h"
#include "replay/network_watch.h"
#include "traces/import/dependency_graph.h"

namespace morgana {
namespace {

DependencyGraph one_message(std::size_t ranks, std::int32_t from, std::int32_t to, std::int64_t bytes) {
  std::vector<RankGraph> all;
  RankGraphBuilder builder;
  for (std::int32_t rank = 0; std::cmp_less(rank, ranks); ++rank) {
    GraphNode node;
    node.kind = rank == from ? GraphNode::Kind::send : GraphNode::Kind::receive;
    node.peer = Rank{rank == from ? to : from};
    node.tag = Tag{1};
    node.amount = bytes;
    if (rank == from || rank == to) builder.add(node);
    all.push_back(builder.finish());
  }
  return {"a message between two GPUs", std::move(all),
          [](std::size_t rank, std::uint32_t) { return fmt::format("the message of rank {}", rank); }};
}

}  // namespace

SimTime time_of_graph(const Platform& platform, const DependencyGraph& graph, const Placement& placement,
                      std::uint64_t seed, const std::function<void(double)>& progress,
                      std::span<const SwitchId> units, NetworkLinks* links) {
  const std::size_t ranks = graph.ranks() - units.size();
  Machine machine = units.empty() ? platform.build(ranks, placement, seed)
                                  : PlatformNetwork::with_units(platform, ranks, placement, seed, units);
  NetworkWatch watch(machine, false, links != nullptr, false, false);
  GraphRun::Options options;
  options.progress = progress;
  if (machine.background) options.start = machine.background->settles_after();
  GraphRun run(machine, graph, options);
  std::vector<SimTime> ends;
  try {
    ends = run.run([&watch](SimTime end) { watch.close(end); });
  } catch (const Deadlock& deadlock) {
    if (units.empty()) throw;
    std::string text = deadlock.what();
    for (std::size_t unit = 0; unit < units.size(); ++unit)
      text +=
          fmt::format("{} rank {} adds up in switch {}", unit == 0 ? "\n " : ",", ranks + unit, units[unit]);
    throw Deadlock(text, deadlock.unstable());
  }
  watch.close(ends.empty() ? SimTime() : *std::max_element(ends.begin(), ends.end()));  // unless the run has
  if (links != nullptr) *links = watch.account().links();
  if (run.lost_messages() > 0)
    throw Error(platform.name() + ": " + never_arrived(machine, "a message of " + graph.file().string()));
  return *std::max_element(ends.begin(), ends.end()) - options.start;
}

GpuPlaces places_of_gpus(const Platform& loaded, const Placement& placement, std::uint64_t seed,
                         std::size_t ranks) {
  const Platform platform = loaded.without_background();
  const Machine machine = platform.build(ranks, placement, seed);
  const auto per_node = static_cast<std::int64_t>(platform.nccl().gpus_per_node);
  const std::set<HostId> hosts(machine.host_of.begin(), machine.host_of.end());
  GpuPlaces places{{}, machine.host_of, hosts.size() == ranks};
  for (std::size_t rank = 0; rank < ranks; ++rank)
    places.nodes.push_back((places.host_each ? static_cast<std::int64_t>(machine.host_of[rank])
                                             : static_cast<std::int64_t>(rank)) /
                           per_node);
  return places;
}

MeasuredLink measure_link(const Platform& loaded, const Placement& placement, std::uint64_t seed,
                          std::size_t ranks, std::int32_t from, std::int32_t to) {
  const Platform platform = loaded.without_background();
  constexpr std::int64_t bytes = 64 << 20;
  const auto time_for = [&](std::int64_t size) {
    return time_of_graph(platform, one_message(ranks, from, to, size), placement, seed);
  };
  // A network that takes no time is as fast as the clock can tell.
  const SimTime more = std::max(time_for(2 * bytes) - time_for(bytes), SimTime::from_ps(1));
  return {static_cast<double>(bytes) / more.seconds(), time_for(1).seconds()};
}

}  // namespace morgana
