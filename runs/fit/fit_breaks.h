#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "runs/fit/measured_times.h"

namespace morgana {

/// The size of an RTS or CTS of a rendezvous that a fit assumes, in bytes.
constexpr double fitted_control = 64;

/// One choice of the eager limit and of the head of a message that costs more; 0: none.
struct FitBreaks {
  double eager = 0, head = 0;
  bool rendezvous(double bytes) const { return eager > 0 && bytes > eager; }
};

/// Schwarz's criterion: the lower, the more a choice explains for its parameters.
/// @param squares  of relative errors  @param others  parameters that every choice has
inline double schwarz(double squares, std::size_t rows, const FitBreaks& breaks, double others) {
  constexpr double least_noise = 0.002;  // relative: nothing is explained better than so
  const auto count = static_cast<double>(rows);
  const double parameters = others + (breaks.eager > 0 ? 3 : 0) + (breaks.head > 0 ? 2 : 0);
  return count * std::log(squares / count + least_noise * least_noise) + parameters * std::log(count);
}

/// Sizes at which something may change: every break leaves at least three sizes on both sides. 0: none.
inline std::vector<double> possible_breaks(std::span<const MeasuredTime> times) {
  constexpr std::size_t least_sizes = 3;
  std::vector<double> breaks{0};
  for (std::size_t i = least_sizes; i + least_sizes < times.size(); ++i)
    if (times[i].bytes > breaks.back() && times[i].bytes < times[i + 1].bytes)
      breaks.push_back(times[i].bytes);
  return breaks;
}

}  // namespace morgana
