#pragma once

#include <string>
#include <vector>

#include "runs/sweep/sweep_report.h"

namespace morgana {

/// What a sweep has come to, in a sentence or two; empty where fewer than two points have a time.
///
///     where the ranks vary, of the first values of all other axes: "64 ranks are 9.31 times as fast as 4, of
///     an ideal 16: efficiency 58.2 % (strong scaling)."
///     else: "Fastest with network.bandwidth 400 Gb/s: 1.157 ms. Slowest with 100 Gb/s: 2.105 ms, 1.82 times
///     as long."
///
/// Points that are equal to the digits shown are named together: "4 KiB and 16 KiB alike". Points whose
/// confidence intervals overlap those of the fastest or the slowest follow, each with its own time:
/// "Confidence intervals overlap: 60 % cannot be told from 0 %, 30 % (983.2 us) not from 60 %; ...".
std::string sweep_answer(const Sweep& sweep, const std::vector<PointSummary>& points);

}  // namespace morgana
