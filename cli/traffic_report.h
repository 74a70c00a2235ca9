#pragma once

#include <string>

#include "cli/traffic_outcome.h"
#include "emulator/report/table.h"

namespace morgana::cli {

// What `morgana traffic` tells of its outcome.

Table traffic_table(const TrafficOutcome& outcome);
/// The table with the conditions above it and the saturation below it.
std::string traffic_text(const TrafficOptions& options, const LoadedNetwork& network,
                         const TrafficOutcome& outcome);
/// All of it, every cable too.
std::string traffic_json(const TrafficOptions& options, const LoadedNetwork& network,
                         const TrafficOutcome& outcome);
/// Draws the cables' utilisation at the only load, or latency over accepted traffic.
void draw_traffic(const TrafficOptions& options, const LoadedNetwork& network, const TrafficOutcome& outcome);

}  // namespace morgana::cli
