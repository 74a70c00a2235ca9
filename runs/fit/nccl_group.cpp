#include "runs/nccl_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/platform/platform_network.h"
#include "replay/collective_graph.h"
#include "replay/link_measurement.h"
#include "replay/rings/uncontended_ring.h"

namespace morgana {

NcclGroup::NcclGroup(Platform platform, std::size_t ranks, Placement placement, std::uint64_t seed)
    : platform_(std::move(platform)), placement_(std::move(placement)), seed_(seed) {
  parameters_ = platform_.nccl();
  const std::uint32_t of_node = parameters_.gpus_per_node, rails = parameters_.rails_of_node();
  if (rails > of_node)
    throw Error(
        fmt::format("a node of {0} GPUs has no {1} rails: set nccl.rails to {0} or less", of_node, rails));
  if (placement_.per_host > 1)
    throw Error(fmt::format(
        "--ranks-per-host {}: a host of {} is one GPU, and ranks fill nodes of {} GPUs one after the other; "
        "leave it out",
        placement_.per_host, platform_.name(), of_node));
  order_members(ranks, static_cast<int>(rails));
  const bool several = layout_.nodes() > 1;
  const auto link_to = [this](int rank) {
    return measure_link(platform_, placement_, seed_, static_cast<std::size_t>(layout_.ranks), 0, rank);
  };
  const MeasuredLink far = several ? link_to(layout_.per_node) : MeasuredLink{};
  // With one GPU a node nothing goes by the scale-up network.
  const MeasuredLink near = layout_.gpus() > 1 ? link_to(1) : far;
  rates_.scale_up = near.rate;
  rates_.scale_up_latency = near.latency;
  rates_.rail = several ? far.rate : near.rate;
  rates_.rail_latency = several ? far.latency : near.latency;
  units_ = units_of_group(platform_, parameters_, hosts_, layout_);
}

void NcclGroup::order_members(std::size_t ranks, int rails) {
  const std::uint32_t of_node = parameters_.gpus_per_node;
  const GpuPlaces places = places_of_gpus(platform_, placement_, seed_, ranks);
  std::vector<std::size_t> order(ranks);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::map<std::int64_t, std::size_t> first_of_node;
  for (std::size_t rank = 0; rank < ranks; ++rank) first_of_node.try_emplace(places.nodes[rank], rank);
  if (places.host_each)
    std::ranges::sort(order, {}, [&](std::size_t rank) {
      return std::pair(first_of_node.at(places.nodes[rank]), places.hosts[rank]);
    });
  std::vector<std::int64_t> nodes;
  for (const std::size_t rank : order) {
    nodes.push_back(places.nodes[rank]);
    hosts_.push_back(places.hosts[rank]);
  }
  const auto layout = nccl::layout_on(nodes, rails);
  if (!layout && ranks > of_node && ranks % of_node != 0)
    throw Error(fmt::format(
        "{0} ranks do not fill nodes of {1} GPUs: take a multiple of {1}, or set nccl.gpus-per-node", ranks,
        of_node));
  if (!layout)
    throw Error(
        fmt::format("--map: {} ranks are not in equal numbers on nodes of {} GPUs; leave it out, or "
                    "name as many hosts of each node",
                    ranks, of_node));
  layout_ = *layout;
  if (std::ranges::is_sorted(order)) return;
  root_ = static_cast<int>(std::ranges::find(order, std::size_t{0}) - order.begin());
  placement_ = {};
  placement_.kind = Placement::Kind::listed;
  placement_.origin = "--map";
  for (const HostId host : hosts_) placement_.hosts.push_back(static_cast<std::uint32_t>(host));
}

nccl::Choice NcclGroup::choose(MeasuredCollective collective, std::int64_t bytes,
                               std::optional<nccl::Algorithm> algorithm,
                               std::optional<nccl::Protocol> protocol) const {
  const std::vector<nccl::Algorithm> known = nccl::algorithms_for(collective);
  if (algorithm && std::find(known.begin(), known.end(), *algorithm) == known.end()) {
    std::string names;
    for (const nccl::Algorithm one : known)
      names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", nccl::name_of(one));
    throw Error(fmt::format("NCCL has no algorithm \"{}\" for {} here; choose {} or \"auto\"",
                            nccl::name_of(*algorithm), name_of(collective), names));
  }
  if (algorithm) {
    if (const auto refusal = nccl::why_not(*algorithm, collective, layout_, parameters_))
      throw Error(fmt::format("{}; choose another algorithm, or \"auto\"", refusal->why));
    if (is_by_simple_alone(*algorithm) && protocol && *protocol != nccl::Protocol::simple)
      throw Error(fmt::format("NCCL carries {} out by simple alone, and not by {}: leave out the protocol",
                              nccl::name_of(*algorithm), nccl::name_of(*protocol)));
  }
  return nccl::chosen(collective, algorithm, protocol, bytes, layout_, rates_, parameters_);
}

double NcclGroup::estimate(MeasuredCollective collective, std::int64_t bytes,
                           const nccl::Choice& choice) const {
  return nccl::estimated_time(collective, choice.algorithm, choice.protocol, bytes, layout_, rates_,
                              parameters_);
}

nccl::Plan NcclGroup::plan(MeasuredCollective collective, std::int64_t bytes,
                           const nccl::Choice& choice) const {
  nccl::Plan plan;
  plan.collective = collective;
  plan.algorithm = choice.algorithm;
  plan.protocol = choice.protocol;
  plan.bytes = bytes;
  plan.layout = layout_;
  plan.channels = static_cast<int>(choice.channels_of(parameters_, layout_.nodes()));
  plan.slices = static_cast<int>(parameters_.slices);
  plan.root = root_;
  if (is_in_network(plan.algorithm)) plan.units = units_.units;
  plan.nvls_is_slow = nccl::estimates_slow_nvls(layout_, rates_, parameters_);
  return plan;
}

SimTime NcclGroup::time_of(const nccl::Plan& plan, const std::function<void(double)>& progress,
                           NetworkLinks* links) const {
  if (plan.algorithm == nccl::Algorithm::ring && PlatformNetwork::sends_by_ports_alone(platform_)) {
    Machine machine = platform_.build(hosts_.size(), placement_, seed_);
    if (const auto time = uncontended_ring_time(plan, parameters_, machine)) return *time;
  }
  const std::span<const SwitchId> units =
      plan.units ? std::span<const SwitchId>(units_.at) : std::span<const SwitchId>();
  return time_of_graph(platform_, graph_of(plan, parameters_), placement_, seed_, progress, units, links);
}

}  // namespace morgana
