#include "emulator/collectives/nccl_model.h"

#include <algorithm>
#include <array>
#include <bit>

#include "emulator/collectives/nccl_tuner.h"

namespace morgana::nccl {
namespace {

constexpr std::array<Protocol, protocols> all_protocols{Protocol::ll, Protocol::ll128, Protocol::simple};

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
  constexpr std::array<std::string_view, 3> names{"ring", "tree", "direct"};
  return names[static_cast<std::size_t>(algorithm)];
}

std::string_view name_of(Protocol protocol) {
  constexpr std::array<std::string_view, protocols> names{"ll", "ll128", "simple"};
  return names[static_cast<std::size_t>(protocol)];
}

std::vector<Algorithm> algorithms_for(MeasuredCollective collective) {
  switch (collective) {
    case MeasuredCollective::all_reduce:
      return {Algorithm::ring, Algorithm::tree};
    case MeasuredCollective::all_to_all:
      return {Algorithm::direct};
    default:
      return {Algorithm::ring};
  }
}

double estimated_time(MeasuredCollective collective, Algorithm algorithm, Protocol protocol,
                      std::int64_t bytes, const Layout& layout, const LinkRates& rates,
                      const Parameters& parameters) {
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
    return launch + start + latency + static_cast<double>(bytes) * std::max(own, 2 * (per_byte - own));
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
              std::optional<Protocol> protocol, std::int64_t bytes, const Layout& layout,
              const LinkRates& rates, const Parameters& parameters) {
  if (parameters.tuner && !algorithm && !protocol)
    if (const auto tuned = parameters.tuner->decide(collective, bytes, layout))
      return {tuned->algorithm, tuned->protocol, tuned->channels, tuned->line};
  std::optional<Choice> best;
  double least = 0;
  for (const Algorithm one : algorithms_for(collective)) {
    if (algorithm && one != *algorithm) continue;
    for (const Protocol by : all_protocols) {
      if (protocol && by != *protocol) continue;
      const double time = estimated_time(collective, one, by, bytes, layout, rates, parameters);
      if (best && time >= least) continue;
      best = Choice{one, by};
      least = time;
    }
  }
  return best.value_or(Choice{});
}

}  // namespace morgana::nccl
