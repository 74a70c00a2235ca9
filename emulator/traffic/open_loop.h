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
  /// More than 0: the window of `messages` is followed by windows that are each as long as all before, until
  /// two of them agree (settling_*) or so many messages have arrived; the last one is what was measured.
  std::uint64_t at_most = 0;
  std::uint64_t seed = 1;
};

/// Accepted traffic has settled when it changes by less from a window to the next.
inline constexpr double settling_accepted = 0.02;
/// And the mean latency, unless so much less is accepted than generated that it grows without bound.
inline constexpr double settling_latency = 0.05, overloaded_share = 0.98;

/// Measures until the network has settled, as BookSim 2 does by sample periods (Jiang et al., ISPASS 2013);
/// periods that double find slow changes, too: buffers and sources' queues that fill near saturation.
/// @param senders  hosts that generate messages, > 0
void measure_until_settled(TrafficSettings& settings, std::size_t senders);
/// Fewer messages a sending host than this can't show a steady state.
inline constexpr std::uint64_t least_messages_a_sender = 20;

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
  /// By which share accepted traffic changed from the first half of the window to the second, or from the
  /// last window but one to the last; 0 if it is not known.
  double change = 0;
  /// Less arrived than was generated, by more than chance: sources' queues grow as long as it lasts.
  bool overloaded() const {
    return static_cast<double>(delivered + lost) < overloaded_share * static_cast<double>(generated);
  }
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
/// @param measuring  called when the warm-up is over, and at the start of each further window
/// @throws Error as check_length
TrafficResult measure_traffic(
    EventQueue& events, Network& network, const Destinations& destinations, const TrafficSettings& settings,
    const std::function<void()>& measuring = [] {});

}  // namespace morgana
