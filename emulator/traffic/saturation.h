#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <vector>

namespace morgana {

/// A network under one load; loads and accepted traffic in the same unit, whichever.
struct LoadPoint {
  double load = 0, accepted = 0, latency = 0;
  double accepted_radius = 0, latency_radius = 0;  ///< of their intervals
  bool stalled = false;  ///< given up: what has not arrived never will, latency has no bound
};

struct SaturationSearch {
  double highest = std::numeric_limits<double>::infinity();  ///< no higher load is measured
  double lowest = 0;   ///< load at which the network is as good as idle, > 0; divided by 4 until that is so
  double step = 1.25;  ///< from one load to the next, > 1
  double closest = 1;  ///< no load is measured between two that differ by a smaller factor, >= 1
  unsigned halvings = 2;  ///< how often the step is halved around the peak, and twice as often at the knee
  /// A shorter measurement, which only looks whether a load is far from the knee: loads are doubled by it
  /// before the first step. Empty: the steps begin at the lowest load.
  std::function<LoadPoint(double load)> glance = {};
};

/// Two measures of where a network saturates. Past the peak networks accept less than at it, so that what is
/// accepted at the highest load is no measure.
struct Saturation {
  double peak = 0;       ///< highest accepted traffic
  double peak_load = 0;  ///< the load that gave it
  /// Load at which the mean latency is twice that of the lowest load; nothing if it is not at the highest.
  std::optional<double> knee;
  std::vector<LoadPoint> points;  ///< all that were measured, by load
};

/// Raises the load step by step until the network accepts no more, then looks closer at both places.
/// @param measure  called for one load after the other
Saturation find_saturation(const std::function<LoadPoint(double load)>& measure,
                           const SaturationSearch& search);

}  // namespace morgana
