#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runs/sweep/sweep_report.h"

namespace morgana {

inline constexpr const char* speedup_figure = "speedup";
inline constexpr const char* efficiency_figure = "efficiency";

/// What more ranks bring. The base is the point with the fewest of them (of values that are no numbers, the
/// first) and else the same values; T is the mean of total_ps, n the ranks.
///
///     strong scaling   speedup T(base) / T
///     weak scaling     speedup T(base) / T * n / n(base): n / n(base) times the work is done in T
///     efficiency       speedup / (n / n(base)), in both
struct SpeedUp {
  double factor = 0, efficiency = 0;  ///< 0 where the point or its base has no time
  /// Half-width of the factor's 90 % interval as a part of it, from those of the two times; 0: unknown.
  double uncertainty = 0;
};

/// Along an axis, by point.
std::vector<SpeedUp> speed_ups(const Sweep& sweep, const std::vector<PointSummary>& points, std::size_t axis);
/// Along the axis of ranks. Nothing where ranks don't vary.
std::vector<SpeedUp> speed_ups(const Sweep& sweep, const std::vector<PointSummary>& points);
/// Why what ranks bring can't be said, for people: without its computing a program of one rank does nothing,
/// and all others are compared with that. Empty: it can be.
std::string no_speed_up(const Sweep& sweep);
/// The place of the axis of ranks, if there is one with several values and no_speed_up() is empty.
std::optional<std::size_t> axis_of_ranks(const Sweep& sweep);

/// n / n(base) by value of the axis: what an ideal machine gains. Empty for an axis of a platform's values,
/// and for one whose values are no plain numbers above 0.
std::vector<double> ideal_gains(const Sweep& sweep, std::size_t axis);

/// "strong" or "weak".
std::string scaling_name(Scaling scaling);

}  // namespace morgana
