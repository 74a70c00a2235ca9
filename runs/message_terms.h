#pragma once

#include <cstddef>
#include <cstdint>

#include "runs/fit/fit_breaks.h"
#include "runs/fit/least_squares.h"
#include "runs/fit/measured_times.h"

namespace morgana {

/// What a LogGP platform's messages cost: times in us, costs in us per byte; see NetworkFit for the letters.
struct Term {
  enum Index : std::size_t {
    send_overhead,     ///< o_s
    receive_overhead,  ///< o_r
    latency,           ///< L
    per_byte,          ///< G
    head,              ///< D
    send_copy,         ///< c_s
    receive_copy,      ///< c_r
    rendezvous,        ///< R, of each side
    gap,               ///< g
    count
  };
};
using MessageTerms = Coefficients<Term::count>;

/// What limits short messages that follow each other. Without calls, times of messages tell a processor's
/// overhead from the network's gap only where both limit some sizes.
enum class ShortMessages : std::uint8_t { processors, gap, both };

/// A choice of E, K and limit with the terms that fit best.
struct FittedTerms {
  FitBreaks breaks;
  ShortMessages shortest = ShortMessages::processors;
  MessageTerms values{};
};

/// Half round trips, messages that follow each other, and calls, where they are known: all are sums of the
/// same terms. Messages that follow each other take as long as the slowest stage, each:
///   o_s + c_s s, o_r + c_r s, or g + G (s - 1)         up to E
///   o_s + R, o_r + R, or 2 g + G (s - 1 + control - 1) beyond
/// and, of a window of W messages, a W-th of the rest of a latency and of a receipt's. Blocking messages
/// beyond E wait for each rendezvous: o_s + J + G (s - 1), or where the request waits behind the data before
/// it, o_r + R + 2 L + G (s - 1 + control - 1) + D (min(s, K) + min(control, K)).
/// E is that of the half round trips alone, unless another explains more and these no worse.
FittedTerms fit_message_terms(const MeasuredTimes& times);

}  // namespace morgana
