#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "emulator/core/random.h"

namespace morgana {

/// How a sender chooses the entropy values of its packets, by which switches choose their ways.
enum class LoadBalancing : std::uint8_t {
  oblivious,  ///< one after the other
  bitmap,     ///< likewise, but those by which packets met congestion are left out for some turns
  reps,       ///< those by which packets have met no congestion come again
  mixed,      ///< likewise, and where there is none the bitmap chooses
};

namespace uet {

enum class PathFeedback : std::uint8_t { good, marked, trimmed, timeout };

/// The entropy values of one flow: 0 .. n-1.
///
///   - Round robin: the values come in ascending order, cyclically, from an offset on that is drawn for each
///     round.
///   - Bitmap: a value has a penalty of 0 .. 15 turns; a mark adds 1, a trimmed packet 4, a timeout 15. A
///     value whose turn it is and that has a penalty is left out; of the values left out for one packet only
///     the first one's penalty becomes 1 less. Where the n next ones have one, too, the last of them is
///     taken.
///   - REPS (Bonato et al., "REPS: Recycled Entropy Packet Spraying", 2024; without its frozen mode): a value
///     of a packet that came without mark is queued, and the first in the queue is taken next. Where the
///     queue is empty: round robin for the first n packets, then a value drawn by chance.
///   - Mixed: the first in the queue of REPS, where it is empty the bitmap's next.
class Entropies {
 public:
  /// @param count  n, > 0 @param seed  of what is drawn
  Entropies(LoadBalancing balancing, unsigned count, std::uint64_t seed);

  std::uint32_t next();
  /// What became of a packet with this value.
  void learn(std::uint32_t value, PathFeedback feedback);

 private:
  std::uint32_t round_robin();
  std::uint32_t without_penalty();

  LoadBalancing balancing_;
  std::uint32_t count_;
  RandomStream random_;
  std::uint32_t turn_ = 0, offset_;
  std::uint64_t sent_ = 0;
  std::vector<std::uint8_t> penalties_;  // by value; bitmap and mixed
  std::deque<std::uint32_t> recycled_;   // REPS and mixed
};

}  // namespace uet
}  // namespace morgana
