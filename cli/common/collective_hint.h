#pragma once

#include <string>

#include "emulator/report/run_statistics.h"

namespace morgana::cli {

/// How to find out whether another algorithm makes the run faster, where one collective takes a large share
/// of the ranks' time, what they wait for each other not counted; empty elsewhere. No algorithm is tried.
/// @param platform  as --platform names it
/// @param map  PlacementOptions::text() of the run
std::string collective_hint(const RunStatistics& statistics, const std::string& platform,
                            const std::string& map);

}  // namespace morgana::cli
