#include "runs/fit/network_curve.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "runs/fit/fit_breaks.h"
#include "runs/fit/least_squares.h"

namespace morgana {
namespace {

/// A, G, D, c, J in this order.
using OfLatencies = Coefficients<5>;

OfLatencies latency_terms(double bytes, const FitBreaks& breaks) {
  const bool rendezvous = breaks.rendezvous(bytes);
  return {1, bytes, std::min(bytes, breaks.head), breaks.eager > 0 && !rendezvous ? bytes : 0,
          rendezvous ? 1.0 : 0.0};
}

NetworkCurve curve_for(std::span<const MeasuredTime> times, const FitBreaks& breaks) {
  std::vector<OfLatencies> rows;
  for (const MeasuredTime& one : times) rows.push_back(row_over(latency_terms(one.bytes, breaks), one.us));
  const OfLatencies values = least_relative_squares<5>(rows, std::vector<double>(rows.size(), 1.0));
  double squares = 0;
  for (const OfLatencies& row : rows) squares += std::pow(row_product(row, values) - 1, 2);
  NetworkCurve curve;
  curve.eager = breaks.eager;
  curve.head = breaks.head;
  curve.fixed = values[0];
  curve.per_byte = values[1];
  curve.head_per_byte = values[2];
  curve.copies = values[3];
  curve.step = values[4];
  curve.criterion = schwarz(squares, times.size(), breaks, 2);
  return curve;
}

}  // namespace

NetworkCurve curve_of_latencies(const MeasuredTimes& times) {
  constexpr double longest_head = 16384;
  const std::vector<double> breaks = possible_breaks(times.latency);
  NetworkCurve best;
  for (const double eager : breaks) {
    for (const double head : breaks) {
      if (head > longest_head || (eager > 0 && head >= eager)) continue;
      const NetworkCurve curve = curve_for(times.latency, {eager, head});
      if (curve.criterion < best.criterion) best = curve;
    }
  }
  return best;
}

}  // namespace morgana
