#include "emulator/collectives/nccl/nccl_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "emulator/collectives/nccl/nccl_tuner.h"

namespace morgana::nccl {
namespace {

constexpr std::array<Protocol, protocols> all_protocols{Protocol::ll, Protocol::ll128, Protocol::simple};

// Of a node, NCCL 2.30.7: src/transport/nvls.cc, NCCL_MAX_NVLS_ARITY, NCCL_MAX_DIRECT_ARITY.
constexpr int least_of_nvls = 3, most_of_nvls = 32, most_of_collnet = 8;

/// By which NCCL multiplies its estimate of a tree's bandwidth, by protocol and power of two of the size,
/// from 64 B on (src/graph/tuning.cc, treeCorrectionFactor: "Trees are not perfectly sticking to the model
/// for medium sizes"); 1 for shorter and longer ones.
constexpr std::size_t corrected_sizes = 24;
constexpr std::array<std::array<double, corrected_sizes>, protocols> tree_corrections{{
    {1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1, 1},
    {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1, 1},
    {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9, .9},
}};

double tree_correction(Protocol protocol, std::int64_t bytes) {
  const auto power = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(bytes) >> 6));
  if (power == 0 || power > corrected_sizes) return 1;
  return tree_corrections[static_cast<std::size_t>(protocol)][power - 1];
}

/// Simple's latency in all-reduces over several nodes ("plateau effect of ring").
constexpr double ring_plateau = 1.4;

double seconds_per_byte(ByteCost cost) {
  return static_cast<double>(cost.fs()) * 1e-15;
}

/// Per byte of a bus whose links have that rate: what the GPU needs, then what the wire needs.
double ring_seconds_per_byte(const Costs& costs, Protocol protocol, double rate, bool several_nodes) {
  constexpr std::int64_t many = 1 << 20;
  const double wire = static_cast<double>(on_wire(protocol, Bytes(many)).count()) / many;
  return seconds_per_byte(several_nodes ? costs.network_per_byte : costs.per_byte) + wire / rate;
}

}  // namespace

std::string_view name_of(Algorithm algorithm) {
  constexpr std::array<std::string_view, 8> names{"ring", "tree",      "direct",        "pat",
                                                  "nvls", "nvls-tree", "collnet-chain", "collnet-direct"};
  return names[static_cast<std::size_t>(algorithm)];
}

std::string_view name_of(Protocol protocol) {
  constexpr std::array<std::string_view, protocols> names{"ll", "ll128", "simple"};
  return names[static_cast<std::size_t>(protocol)];
}

std::vector<Algorithm> algorithms_for(MeasuredCollective collective) {
  switch (collective) {
    case MeasuredCollective::all_reduce:
      return {Algorithm::ring,      Algorithm::tree,          Algorithm::nvls,
              Algorithm::nvls_tree, Algorithm::collnet_chain, Algorithm::collnet_direct};
    case MeasuredCollective::all_gather:
    case MeasuredCollective::reduce_scatter:
      return {Algorithm::ring, Algorithm::pat, Algorithm::nvls};
    case MeasuredCollective::all_to_all:
      return {Algorithm::direct};
    default:
      return {Algorithm::ring};
  }
}

std::optional<Refusal> why_not(Algorithm algorithm, MeasuredCollective collective, const GpuLayout& layout,
                               const Parameters& parameters) {
  if (algorithm == Algorithm::pat) {
    if (layout.nodes() == layout.ranks && layout.nodes() > 1 && !layout.uneven) return std::nullopt;
    return Refusal{false,
                   fmt::format("pat is for groups with one GPU on each of several nodes, and these are "
                               "{} on {} nodes",
                               layout.ranks, layout.uneven ? "fewer" : std::to_string(layout.nodes()))};
  }
  if (!is_in_network(algorithm)) return std::nullopt;
  const std::string name(name_of(algorithm));
  const bool several = layout.nodes() > 1;
  const auto no = [&](const std::string& why) { return Refusal{false, name + why}; };
  if (is_nvls(algorithm)) {
    if (parameters.nvls == Parameters::Ability::no)
      return no(
          " needs a switch between a node's GPUs that adds up (NVLink SHARP), and this platform has none: "
          "nccl.nvls is \"no\"");
    if (layout.gpus() < least_of_nvls || layout.gpus() > most_of_nvls)
      return no(fmt::format(" is for {} to {} GPUs of a node, and these are {}", least_of_nvls, most_of_nvls,
                            layout.gpus()));
    if (layout.nvls == Reducers::none)
      return no(" needs all GPUs of a node at one switch of a network of kind \"fabric\"");
  }
  if (algorithm != Algorithm::nvls && !several)
    return no(fmt::format(" goes between nodes, and the {} ranks are on one", layout.ranks));
  if (algorithm == Algorithm::nvls_tree || !several) return std::nullopt;
  if (parameters.collnet == Parameters::Ability::no)
    return no(
        fmt::format(" needs switches between nodes that add up (SHARP), and NCCL may use none on this "
                    "platform: nccl.collnet is \"no\"{}",
                    algorithm == Algorithm::nvls ? "; nvls-tree needs none" : ""));
  if (!is_nvls(algorithm) && layout.gpus() > most_of_collnet)
    return no(
        fmt::format(" is for up to {} GPUs of a node, and these are {}", most_of_collnet, layout.gpus()));
  if (layout.collnet == Reducers::none)
    return no(
        " needs switches above those of the nodes, of a network of kind \"fabric\", that meet in one for "
        "each rail");
  if (layout.collnet == Reducers::may_fail)
    return Refusal{true, name + " is not modelled with network.faults"};
  if (has_blocks(collective))
    return Refusal{true,
                   fmt::format("{} is not modelled for {} over several nodes", name, name_of(collective))};
  return std::nullopt;
}

namespace {

constexpr double giga = 1e9;
/// What NCCL's search tries, in GB/s: on Hopper, within a node and between nodes (src/graph/search.cc,
/// sm90SpeedArrayIntra, sm90SpeedArrayInter).
constexpr std::array<double, 11> speeds_of_node{60, 50, 40, 30, 24, 20, 15, 12, 11, 6, 3};
constexpr std::array<double, 17> speeds_of_network{48, 45, 42, 40, 30,  24,  22,   20,  17.5,
                                                   15, 12, 6,  3,  2.4, 1.2, 0.24, 0.12};
/// A head's part of an NVLS tree, Hopper's perChMaxNVLSTreeBws: of two nodes, of more.
constexpr double most_of_tree_of_two = 57.7 * giga, most_of_tree = 45.5 * giga;

/// The largest speed that a link has, which was measured: it may seem a little slower than it is.
/// @param rate  bytes per second. @return the rate itself if it is below all speeds
double speed_within(std::span<const double> speeds, double rate) {
  constexpr double measured_well = 1.01;
  for (const double speed : speeds)
    if (speed * giga <= rate * measured_well) return speed * giga;
  return rate;
}

/// NCCL's bandwidth of NVLS's algorithms, for the size of the collective. Each GPU of a node is a head (a
/// channel of NCCL's graph). A head takes one share of each GPU's link, and two of its own
/// (ncclTopoSearchTryNvls), so n heads have n + 1 at the same speed. Over several nodes the search begins
/// with one speed for both, then raises that between nodes to what the NICs have, or twice the other.
double nvls_bandwidth(MeasuredCollective collective, Algorithm algorithm, const GpuLayout& layout,
                      const LinkRates& rates, const Parameters& parameters) {
  const int n = layout.ranks, nodes = layout.nodes(), gpus = layout.gpus();
  const bool reduces_all = collective == MeasuredCollective::all_reduce;
  double within = rates.scale_up / (gpus + 1), between = 0;
  if (nodes == 1) {
    within = speed_within(speeds_of_node, within);
  } else {
    const double of_nics = layout.rails * rates.rail / gpus;
    within = speed_within(speeds_of_network, std::min(within, of_nics));
    between = std::max(within, speed_within(speeds_of_network, std::min(of_nics, 2 * within)));
  }
  double of_head = within * parameters.nvls_efficiency * (gpus - 1) / gpus;
  of_head *= reduces_all ? 2 : static_cast<double>(gpus - 1) / gpus;
  if (nodes > 1) {
    const bool tree = algorithm == Algorithm::nvls_tree;
    of_head = std::min(of_head, between * (tree && nodes == 2 ? 2 : 1));
    if (tree) of_head = std::min(of_head, nodes == 2 ? most_of_tree_of_two : most_of_tree);
  }
  return gpus * of_head * (reduces_all ? n / (2.0 * (n - 1)) : 1);
}

/// Of algorithms in which switches add up: src/graph/tuning.cc. CollNet's rates are the network's, in place
/// of those of NCCL's search.
double time_in_network(MeasuredCollective collective, Algorithm algorithm, std::int64_t bytes,
                       const GpuLayout& layout, const LinkRates& rates, const Parameters& parameters) {
  const Costs& costs = parameters.costs_of(algorithm, Protocol::simple);
  const int nodes = layout.nodes(), gpus = layout.gpus();
  const double levels = std::bit_width(static_cast<unsigned>(nodes)) - 1;
  // To the unit of a switch and back, of one between nodes from the node's.
  const double hop = costs.hop.seconds() + rates.scale_up_latency,
               network_hop = costs.network_hop.seconds() + rates.rail_latency;
  double latency = parameters.launch.seconds() + costs.start.seconds(), bandwidth = 1;
  if (is_nvls(algorithm)) {
    latency += 3 * 2 * rates.scale_up_latency;  // a request, the sum, the result
    bandwidth = nvls_bandwidth(collective, algorithm, layout, rates, parameters);
    if (nodes > 1) latency += algorithm == Algorithm::nvls_tree ? 2 * levels * network_hop : network_hop;
  } else if (algorithm == Algorithm::collnet_chain) {
    latency += 2 * (gpus - 1) * hop + network_hop;
    bandwidth = rates.scale_up / 2;
  } else {
    constexpr double serialised = 0.4e-6;  // for each GPU
    latency += 2 * (std::min(1, gpus - 1) * hop + (gpus - 1) * serialised) + network_hop;
    const double per_rail = static_cast<double>(gpus) / layout.rails;
    bandwidth = rates.scale_up / 2 / (per_rail - (per_rail - 1) / 2) * parameters.collnet_direct_efficiency;
  }
  return latency + static_cast<double>(bytes) / bandwidth;
}

}  // namespace

bool estimates_slow_nvls(const GpuLayout& layout, const LinkRates& rates, const Parameters& parameters) {
  constexpr double slow = 150 * giga;
  return nvls_bandwidth(MeasuredCollective::all_reduce, Algorithm::nvls, layout, rates, parameters) < slow;
}

namespace {

/// NCCL counts on three quarters of a ring's bandwidth.
double time_of_pat(std::int64_t bytes, const GpuLayout& layout, const LinkRates& rates,
                   const Parameters& parameters) {
  constexpr double share_of_ring = 0.75;
  const Costs& costs = parameters.pat;
  const double levels = std::bit_width(static_cast<unsigned>(layout.nodes())) - 1;
  const double network_hop = costs.network_hop.seconds() + rates.rail_latency;
  const double per_byte = ring_seconds_per_byte(costs, Protocol::simple,
                                                std::min(rates.scale_up, layout.rails * rates.rail), true);
  const int n = layout.ranks;
  return parameters.launch.seconds() + costs.start.seconds() + levels * network_hop +
         n * parameters.pat_block.seconds() +
         static_cast<double>(bytes) * (n - 1) / n * per_byte / share_of_ring;
}

}  // namespace

double estimated_time(MeasuredCollective collective, Algorithm algorithm, Protocol protocol,
                      std::int64_t bytes, const GpuLayout& layout, const LinkRates& rates,
                      const Parameters& parameters) {
  if (algorithm == Algorithm::pat) return time_of_pat(bytes, layout, rates, parameters);
  if (is_in_network(algorithm))
    return time_in_network(collective, algorithm, bytes, layout, rates, parameters);
  const Costs& costs = parameters.costs_of(algorithm, protocol);
  const int n = layout.ranks, nodes = layout.nodes();
  const bool several = nodes > 1;
  const double rate = several ? std::min(rates.scale_up, layout.rails * rates.rail) : rates.scale_up;
  const double per_byte = ring_seconds_per_byte(costs, protocol, rate, several);
  const double hop = costs.hop.seconds() + rates.scale_up_latency,
               network_hop = costs.network_hop.seconds() + rates.rail_latency;
  const double launch = parameters.launch.seconds(), start = costs.start.seconds();
  if (algorithm == Algorithm::tree) {
    const double levels = std::bit_width(static_cast<unsigned>(nodes)) - 1;
    const double latency = 2 * ((layout.gpus() - 1) * hop + levels * network_hop);
    // Everything goes up and down by the same links, and the worker of each way takes what it takes.
    const double own = seconds_per_byte(several ? costs.network_per_byte : costs.per_byte);
    return launch + start + latency +
           static_cast<double>(bytes) * std::max(own, 2 * (per_byte - own)) /
               tree_correction(protocol, bytes);
  }
  double steps = n - 1, crossings = nodes - 1, latency_factor = 1;
  double share = static_cast<double>(n - 1) / n;  // of the size that passes a link
  switch (collective) {
    case MeasuredCollective::all_reduce:
      steps *= 2;
      crossings *= 2;
      share *= 2;
      if (several && protocol == Protocol::simple) latency_factor = ring_plateau;
      break;
    case MeasuredCollective::broadcast:
    case MeasuredCollective::reduce:
      share = 1;
      break;
    case MeasuredCollective::all_to_all:
      steps = 1;
      crossings = several ? 1 : 0;
      break;
    default:
      break;
  }
  const double latency = (steps - crossings) * hop + crossings * network_hop;
  return launch + latency_factor * (start + latency) + static_cast<double>(bytes) * share * per_byte;
}

Choice chosen(MeasuredCollective collective, std::optional<Algorithm> algorithm,
              std::optional<Protocol> protocol, std::int64_t bytes, const GpuLayout& layout,
              const LinkRates& rates, const Parameters& parameters) {
  if (parameters.tuner && !algorithm && !protocol)
    if (const auto tuned = parameters.tuner->decide(collective, bytes, layout, parameters))
      return {tuned->algorithm, tuned->protocol, tuned->channels, tuned->line};
  std::optional<Choice> best;
  double least = 0;
  for (const Algorithm one : algorithms_for(collective)) {
    if (algorithm && one != *algorithm) continue;
    if (why_not(one, collective, layout, parameters)) continue;
    for (const Protocol by : all_protocols) {
      if (protocol && by != *protocol) continue;
      if (is_by_simple_alone(one) && by != Protocol::simple) continue;
      const double time = estimated_time(collective, one, by, bytes, layout, rates, parameters);
      if (best && time >= least) continue;
      best = Choice{one, by};
      least = time;
    }
  }
  return best.value_or(Choice{});
}

}  // namespace morgana::nccl
