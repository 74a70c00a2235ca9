#pragma once

#include <cstdint>
#include <functional>

#include "emulator/core/confidence.h"
#include "emulator/core/event_queue.h"
#include "emulator/core/statistics.h"
#include "emulator/network/network.h"
#include "emulator/traffic/pattern.h"

namespace morgana {

inline constexpr double ps_per_ns = 1000;

/// Messages that hosts generate by themselves, whatever becomes of them.
struct TrafficSettings {
  Bytes length{512};  ///< of every message, > 0
  double load = 0;    ///< bytes a nanosecond and host that are generated, > 0
  enum class Process : std::uint8_t {
    constant,    ///< every host generates at equal distances, from an offset by chance
    exponential  ///< at distances by chance
  } process = Process::constant;
  // Counted are messages that arrive. The first ones are not measured; those after them are, in batches of
  // equal number, over whose means the intervals are (batch means).
  std::uint64_t warm_up = 2'000;
  std::uint64_t messages = 20'000;  ///< at least one for each batch
  std::uint64_t batches = 20;       ///< >= 2
  std::uint64_t seed = 1;
};

/// What a network made of a load. Intervals are of 90 % confidence.
struct TrafficResult {
  double offered = 0;           ///< bytes a nanosecond and host that were to be generated
  ConfidenceInterval accepted;  ///< bytes a nanosecond and host that arrived
  /// In ns, from a message's generation (it may wait in its host) to its last byte's arrival, of those that
  /// arrived while measured.
  ConfidenceInterval latency;
  Distribution latencies;                                ///< of each message, in ns
  std::uint64_t generated = 0, delivered = 0, lost = 0;  ///< while measured
  SimTime warm_up, window;                               ///< how long these took
  /// The network carries next to nothing of what is generated: what there is of the rest was given up.
  bool stalled = false;
  /// It was given up long after anything last arrived or was lost.
  bool standing_still = false;
  /// Whether there is anything to tell: no batch has come about in a network that stalled early.
  bool measured() const { return window > SimTime(); }
};

/// @throws Error for a length that the network does not carry in one piece
void check_length(Bytes length, const Network& network);

/// Measures a network that nobody uses otherwise.
/// @param measuring  called once, when the warm-up is over
/// @throws Error as check_length
TrafficResult measure_traffic(
    EventQueue& events, Network& network, const Destinations& destinations, const TrafficSettings& settings,
    const std::function<void()>& measuring = [] {});

}  // namespace morgana
