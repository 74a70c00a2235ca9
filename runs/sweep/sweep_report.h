#pragma once

#include <map>
#include <string>
#include <vector>

#include "emulator/core/confidence.h"
#include "emulator/report/pictures/curves.h"
#include "emulator/report/table.h"
#include "runs/sweep/sweep.h"

namespace morgana {

/// What the runs of one point gave together.
struct PointSummary {
  std::vector<std::string> values;  ///< by axis
  std::size_t runs = 0;
  std::size_t unfinished = 0;                        ///< of them: deadlocked or failed; they have no figures
  std::vector<std::string> reasons;                  ///< why, each once, in order of the seeds
  std::map<std::string, RunningStatistics> figures;  ///< of the finished runs, by name
  std::vector<std::string> bound = {};               ///< by binding
  /// @return nothing but a mean of 0 if no run has the figure
  ConfidenceInterval interval(const std::string& figure) const;
};

/// @param rows  as Sweep::run gives them
std::vector<PointSummary> summarize(const Sweep& sweep, const std::vector<CsvRow>& rows);

/// A row a point, means over the seeds with their 90 % confidence intervals.
TextTable points_table(const Sweep& sweep, const std::vector<PointSummary>& points);
/// Why points have no figures: "m dead: failed: rank 1 ...", a sentence a reason.
std::vector<std::string> unfinished_points(const Sweep& sweep, const std::vector<PointSummary>& points);
/// For people: a line a point, means over the seeds with their 90 % confidence intervals.
std::string sweep_table(const Sweep& sweep, const std::vector<PointSummary>& points);
/// Every figure's mean and 90 % radius.
std::string sweep_json(const Sweep& sweep, const std::vector<PointSummary>& points);
/// Before a sweep that is to be drawn. Figures are those of runs (run_figures()), speedup and efficiency.
/// @throws Error if there is no such figure, nothing is swept, or the first axis has no efficiency
void check_curves(const Sweep& sweep, const std::string& figure);
/// A figure over the first axis, a curve for each combination of the others; of speedup and efficiency also
/// the ideal one, where the first axis has one. @throws as check_curves
Curves sweep_curves(const Sweep& sweep, const std::vector<PointSummary>& points, const std::string& figure);

}  // namespace morgana
