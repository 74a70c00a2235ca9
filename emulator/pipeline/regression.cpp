#include "emulator/pipeline/regression.h"

#include <cassert>
#include <cmath>

namespace morgana::pipeline {

LinearFit fit(std::span<const Timing> timings) {
  const auto count = static_cast<double>(timings.size());
  RealBytes sizes;
  RealTime times;
  for (const Timing& one : timings) {
    sizes += one.size;
    times += one.time;
  }
  const RealBytes mean_size = sizes / count;
  const RealTime mean_time = times / count;
  double squares = 0, products = 0;
  for (const Timing& one : timings) {
    const double distance = (one.size - mean_size).value();
    squares += distance * distance;
    products += distance * (one.time - mean_time).value();
  }
  assert(squares > 0);
  LinearFit line;
  line.cost = RealCost(products / squares);
  line.overhead = mean_time - mean_size * line.cost;
  double left = 0;
  for (const Timing& one : timings) {
    const double error = (one.time - line.overhead - one.size * line.cost).value();
    left += error * error;
  }
  if (timings.size() > 2) line.deviation = RealTime(std::sqrt(left / (count - 2)));
  return line;
}

}  // namespace morgana::pipeline
