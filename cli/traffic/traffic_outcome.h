#pragma once

#include <optional>
#include <vector>

#include "cli/traffic/traffic_network.h"
#include "emulator/traffic/saturation.h"

namespace morgana::cli {

struct TrafficOutcome {
  std::vector<LoadedPoint> points;  ///< by load
  std::optional<Saturation> saturation;
  TrafficSettings settings;    ///< of each load
  std::size_t senders = 0;     ///< hosts that generate messages
  double injection_limit = 0;  ///< what the hosts can send, in the loads' unit
  double percent(double load) const { return 100 * load / injection_limit; }
};

/// Measures at each of the loads asked for, and those that finding saturation takes, with a progress bar.
TrafficOutcome measure_traffic(const TrafficOptions& options, const TrafficNetwork& network);

}  // namespace morgana::cli
