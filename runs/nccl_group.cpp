#include "runs/nccl_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "emulator/core/error.h"
#include "replay/collective_graph.h"
#include "replay/link_measurement.h"

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
  const auto layout =
      nccl::layout_on(nodes_of_gpus(platform_, placement_, seed_, ranks), static_cast<int>(rails));
  if (!layout && ranks > of_node && ranks % of_node != 0)
    throw Error(fmt::format(
        "{0} ranks do not fill nodes of {1} GPUs: take a multiple of {1}, or set nccl.gpus-per-node", ranks,
        of_node));
  if (!layout)
    throw Error(
        fmt::format("--map: {} ranks are not in equal numbers on nodes of {} GPUs, one node after the other; "
                    "leave it out, or "
                    "name the hosts in their order",
                    ranks, of_node));
  layout_ = *layout;
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
  plan.channels = static_cast<int>(choice.channels_of(parameters_));
  plan.slices = static_cast<int>(parameters_.slices);
  return plan;
}

SimTime NcclGroup::time_of(const nccl::Plan& plan, const std::function<void(double)>& progress) const {
  return time_of_graph(platform_, graph_of(plan, parameters_), placement_, seed_, progress);
}

}  // namespace morgana
