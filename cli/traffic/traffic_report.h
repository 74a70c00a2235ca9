#pragma once

#include <string>
#include <vector>

#include "cli/traffic/traffic_outcome.h"
#include "emulator/report/pictures/curves.h"
#include "emulator/report/pictures/link_map.h"
#include "emulator/report/table.h"

namespace morgana::cli {

// What `morgana traffic` prints about its results.

TextTable traffic_table(const TrafficOutcome& outcome);
/// What was loaded, and how it was measured: a sentence each.
std::vector<std::string> traffic_conditions(const TrafficOptions& options, const TrafficNetwork& network,
                                            const TrafficOutcome& outcome);
/// What is to be known of some loads: deadlocks, loads that were given up, too few messages.
std::vector<std::string> traffic_notes(const TrafficOutcome& outcome);
/// "saturation: peak ..."; empty if it was not asked for.
std::string saturation_text(const TrafficOutcome& outcome);
/// The table with the conditions above it and the saturation below it.
std::string traffic_text(const TrafficOptions& options, const TrafficNetwork& network,
                         const TrafficOutcome& outcome);
/// All of it, every cable too.
std::string traffic_json(const TrafficOptions& options, const TrafficNetwork& network,
                         const TrafficOutcome& outcome);
/// The cables' utilisation at a load. @throws as map_of
LinkMap links_picture(const TrafficOptions& options, const TrafficNetwork& network, const LoadedPoint& point);
/// Latency over accepted traffic, as far as it stays within ten times that of the lowest load.
Curves latency_picture(const TrafficOptions& options, const TrafficNetwork& network,
                       const TrafficOutcome& outcome);
/// Draws the cables' utilisation at the only load, or latency over accepted traffic.
void draw_traffic(const TrafficOptions& options, const TrafficNetwork& network,
                  const TrafficOutcome& outcome);
/// The page that --report asks for: latencies, what is accepted, the network at each load.
std::string traffic_page(const TrafficOptions& options, const TrafficNetwork& network,
                         const TrafficOutcome& outcome);

}  // namespace morgana::cli
