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
  /// they agree (settling_*) or so many messages have arrived; the last one is what was measured.
  std::uint64_t at_most = 0;
  std::uint64_t seed = 1;
};

/// Fewer messages a sending host than this can't show a steady state.
inline constexpr std::uint64_t least_messages_a_sender = 20;

// A window agrees with the one before it if accepted traffic changes by less than settling_accepted, and
// - the mean latency by less than settling_latency; or,
// - where less is accepted than overloaded_share of what is generated: if what is under way grows at the same
//   rate within settling_growth, and the mean latency grows by more than overflowing_latency. By Little's law
//   both grow together in a steady state; as long as latency does not, what is not accepted fills buffers.
// The network has settled when settling_windows windows in a row agree, and the last one is as long as
// settling_latencies mean latencies, counting what is under way (when it is overloaded: latencies of the
// first window, and at least least_overloaded_a_sender messages a sending host have arrived).
inline constexpr double settling_accepted = 0.02, settling_latency = 0.05, settling_growth = 0.1,
                        overflowing_latency = 0.25;
inline constexpr double overloaded_share = 0.98, settling_latencies = 2;
inline constexpr std::uint64_t least_overloaded_a_sender = 80;
inline constexpr unsigned settling_windows = 2;

/// Measures until the network has settled, as BookSim 2 does by sample periods (Jiang et al., ISPASS 2013);
/// periods that double find slow changes, too: buffers and sources' queues that fill near saturation.
/// @param senders  hosts that generate messages, > 0
void measure_until_settled(TrafficSettings& settings, std::size_t senders);

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
  /// Windows have agreed (settling_*). Of one fixed window: false if it is overloaded, and its halves differ.
  bool settled = false;
  /// Less arrived than was generated, by more than chance: sources' queues grow as long as it lasts.
  bool overloaded() const {
    return static_cast<double>(delivered + lost) < overloaded_share * static_cast<double>(generated);
  }
  /// The network carries next to nothing of what is generated: what there is of the rest was given up.
  bool stalled = false;
  /// It was given up long after anything last arrived or was lost.
  bool standing_still = false;
  /// Whether there is any result: no batch has come about in a network that stalled early.
  bool measured() const { return window > SimTime(); }
};

/// @throws Error for a length that the network does not carry in one piece
void check_length(Bytes length, const Network& network);

/// Measures a network that has no other traffic.
/// @param measuring  called when the warm-up is over, and at the start of each further window
/// @throws Error as check_length
TrafficResult measure_traffic(
    EventQueue& events, Network& network, const Destinations& destinations, const TrafficSettings& settings,
    const std::function<void()>& measuring = [] {});

}  // namespace morgana
