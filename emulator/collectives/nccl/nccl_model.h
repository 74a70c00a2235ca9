#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/collectives/nccl/nccl_parameters.h"
#include "emulator/collectives/nccl/nccl_schedule.h"

namespace morgana::nccl {

/// What the network carries, in bytes per second, and how long a byte alone takes, in seconds.
struct LinkRates {
  double scale_up = 1;  ///< from a GPU to another one of its node
  double rail = 1;      ///< from a node to another one, by one NIC
  double scale_up_latency = 0, rail_latency = 0;
};

/// Algorithms that NCCL has for a collective, here.
std::vector<Algorithm> algorithms_for(MeasuredCollective collective);

/// Why an algorithm in which switches add up can't carry a collective out.
struct Refusal {
  bool by_model = false;  ///< NCCL could on such a cluster: it is not modelled
  std::string why;        ///< a sentence that begins with the algorithm's name
};
/// @param algorithm  any of NCCL's, here or not. @return nothing if it can
std::optional<Refusal> why_not(Algorithm algorithm, MeasuredCollective collective, const GpuLayout& layout,
                               const Parameters& parameters);

/// Time of a collective as NCCL estimates it before it chooses (src/graph/tuning.cc): latency of all hops
/// plus size over bandwidth, that of trees corrected by its table, in seconds.
/// @param bytes  Plan::bytes
double estimated_time(MeasuredCollective collective, Algorithm algorithm, Protocol protocol,
                      std::int64_t bytes, const GpuLayout& layout, const LinkRates& rates,
                      const Parameters& parameters);

/// Whether NCCL estimates less than 150 GB/s for a long all-reduce by nvls: over several nodes its chunks are
/// shorter then (src/enqueue.cc, calcCollChunking).
bool estimates_slow_nvls(const GpuLayout& layout, const LinkRates& rates, const Parameters& parameters);

struct Choice {
  Algorithm algorithm = Algorithm::ring;
  Protocol protocol = Protocol::simple;
  std::uint32_t channels = 0;  ///< 0: Parameters::channels
  std::size_t tuner_line = 0;  ///< of the tuner's file, which has decided; 0: the cost model has

  /// @param nodes  of the group
  std::uint32_t channels_of(const Parameters& parameters, int nodes) const {
    if (channels > 0) return channels;
    if (!is_nvls(algorithm)) return parameters.channels;
    const bool by_network = algorithm == Algorithm::nvls && nodes > 1;
    return by_network ? std::min(parameters.nvls_channels, parameters.channels) : parameters.nvls_channels;
  }
};
/// What Parameters::tuner says where anything is allowed; else the one with the least estimated time among
/// those that are allowed and not refused (why_not()).
/// @param algorithm, protocol  nothing: any
/// @throws Error as Tuner::decide()
Choice chosen(MeasuredCollective collective, std::optional<Algorithm> algorithm,
              std::optional<Protocol> protocol, std::int64_t bytes, const GpuLayout& layout,
              const LinkRates& rates, const Parameters& parameters);

}  // namespace morgana::nccl
