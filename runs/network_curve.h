#pragma once

#include <limits>

#include "runs/measured_times.h"

namespace morgana {

/// What a message of `s` bytes takes on a LogGP platform, as a fit finds it; times in us, costs in us per
/// byte; see NetworkFit for the meaning of each letter.
struct NetworkCurve {
  double eager = 0;                                            ///< E; 0: all messages are eager
  double head = 0;                                             ///< K; 0: none
  double overhead = 0;                                         ///< o, of each side; 0 without streams
  double fixed = 0;                                            ///< 2 o + L
  double per_byte = 0;                                         ///< G
  double head_per_byte = 0;                                    ///< D
  double copies = 0;                                           ///< c_s + c_r
  double step = 0;                                             ///< J
  double gap = 0;                                              ///< g
  double criterion = std::numeric_limits<double>::infinity();  ///< Schwarz's: the lower the better
};

/// The size of a request or clearance of a rendezvous that the fit assumes.
constexpr double fitted_control = 64;

/// The curve of half round trips alone, E and K among their sizes with at least three on both sides.
NetworkCurve curve_of_latencies(const MeasuredTimes& times);
/// The curve of half round trips and of messages that follow each other. Each of these takes
///   max(o + c_s s, g + G (s - 1))         up to E
///   max(o + R, 2 g + G (s + control - 2)) beyond, R being what a rendezvous costs each side
/// and, of a window of W messages, a W-th of the rest of a latency and of a receipt's.
NetworkCurve curve_of_latencies_and_streams(const MeasuredTimes& times);

}  // namespace morgana
