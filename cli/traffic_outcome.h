#pragma once

#include <optional>
#include <vector>

#include "cli/loaded_network.h"
#include "emulator/traffic/saturation.h"

namespace morgana::cli {

struct TrafficOutcome {
  std::vector<LoadedPoint> points;  ///< by load
  std::optional<Saturation> saturation;
};

/// Measures at each of the loads asked for, and those that finding saturation takes, with a progress bar.
TrafficOutcome measure_traffic(const TrafficOptions& options, const LoadedNetwork& network);

}  // namespace morgana::cli
