#pragma once

#include <string>
#include <vector>

#include "runs/sweep/sweep_report.h"

namespace morgana::cli {

/// What --plot draws where no --figure is given.
inline constexpr const char* time_figure = "total_ps";

/// The page that `morgana sweep --report` asks for: its answer (sweep_answer), every figure that
/// differs between points as curves, where the time goes as bars, and the table.
/// @param figure  the one that is shown first, as --figure names it; empty: none is asked for. Then it is
/// total_ps, or the speedup where the first axis is the ranks.
/// @param notices  what decides what the figures mean
std::string sweep_page(const Sweep& sweep, const std::vector<PointSummary>& points, const std::string& figure,
                       const std::vector<std::string>& notices);

}  // namespace morgana::cli
