#include "emulator/pipeline/regression.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace morgana::pipeline {

namespace {

/// @param weight  of the square of a timing's error
template <class Weight>
LinearFit weighted(std::span<const Timing> timings, const Weight& weight) {
  double weights = 0;
  RealBytes sizes;
  RealTime times;
  for (const Timing& one : timings) {
    weights += weight(one);
    sizes += one.size * weight(one);
    times += one.time * weight(one);
  }
  const RealBytes mean_size = sizes / weights;
  const RealTime mean_time = times / weights;
  double squares = 0, products = 0;
  for (const Timing& one : timings) {
    const double distance = (one.size - mean_size).value();
    squares += weight(one) * distance * distance;
    products += weight(one) * distance * (one.time - mean_time).value();
  }
  assert(squares > 0);
  LinearFit line;
  line.cost = RealCost(products / squares);
  line.overhead = mean_time - mean_size * line.cost;
  double left = 0;
  for (const Timing& one : timings) {
    const double error = (one.time - line.time_for(one.size)).value();
    left += error * error;
  }
  if (timings.size() > 2)
    line.deviation = RealTime(std::sqrt(left / static_cast<double>(timings.size() - 2)));
  return line;
}

}  // namespace

LinearFit fit(std::span<const Timing> timings) {
  return weighted(timings, [](const Timing&) { return 1.0; });
}

LinearFit fit_relative(std::span<const Timing> timings) {
  return weighted(timings, [](const Timing& one) {
    const double time = std::max(one.time.value(), 1.0);  // a picosecond is all that can be told
    return 1 / (time * time);
  });
}

}  // namespace morgana::pipeline
