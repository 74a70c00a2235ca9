#include "pvmshim/launch/process/waiting.h"

namespace morgana {

using std::chrono::nanoseconds;

nanoseconds processor_time_missing(const OperationSource::AwaitedRank& awaited_rank, SimTime computed,
                                   const ChannelSettings& settings) {
  if (settings.compute == ComputeMode::none || settings.compute_scale <= 0) return longest_sleep;
  const SimTime missing = awaited_rank.until - awaited_rank.since - computed;
  const double needed_ns = static_cast<double>(missing.ps()) * 1e-3 / settings.compute_scale;
  if (needed_ns >= static_cast<double>(longest_sleep.count())) return longest_sleep;
  return nanoseconds(static_cast<std::int64_t>(needed_ns));
}

}  // namespace morgana
