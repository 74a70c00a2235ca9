#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/core/time.h"

namespace morgana {

/// What an emulated network did while a run went on, as it stands in traces: OTF2 metrics at a location of
/// their own, "network", which Vampir draws under the ranks.
struct NetworkMetrics {
  struct Series {
    std::string name;          ///< "host 0 to switch 1 port 2: busy"
    std::string unit;          ///< "%", or "#" of counts
    bool accumulated = false;  ///< counts since the run's begin; else each value holds until the next one
    std::vector<std::pair<SimTime, double>> points;  ///< in order of time
  };
  std::vector<Series> series;
};

/// Of a trace: its folder or its .otf2 file. Nothing if it has none, or another tool has written it.
/// @throws Error for what is missing, truncated or contradicts itself
NetworkMetrics read_network_metrics(const std::filesystem::path& trace);

}  // namespace morgana
