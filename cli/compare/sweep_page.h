#pragma once

#include <string>
#include <vector>

#include "runs/sweep_report.h"

namespace morgana::cli {

/// The page that `morgana sweep --report` asks for: what it has come to (sweep_answer), every figure that
/// differs between points as curves, where the time goes as bars, and the table.
/// @param figure  the one that is shown first, as --figure names it; where the first axis is the ranks, the
/// speed-up is shown before total_ps
/// @param notices  what decides what the figures mean
std::string sweep_page(const Sweep& sweep, const std::vector<PointSummary>& points, const std::string& figure,
                       const std::vector<std::string>& notices);

}  // namespace morgana::cli
