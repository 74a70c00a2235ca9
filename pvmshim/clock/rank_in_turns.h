#pragma once

#include <cstdint>
#include <optional>

#include "emulator/operations/operation.h"

namespace morgana {

/// The rank whose threads take turns (ThreadTurns): one thread at a time uses it.
class RankInTurns {
 public:
  virtual ~RankInTurns() = default;
  /// Where its operations have brought it.
  virtual SimTime reached() = 0;
  /// Whether that is known; else reached() asks the emulator.
  virtual bool knows_reached() = 0;
  /// Posts an operation that begins there, and waits for its answer.
  virtual const Answer& carry_out(Operation& operation) = 0;
  /// No further operation lies before that.
  virtual void show(SimTime time) = 0;
  virtual bool has_exited() const = 0;
  /// What the emulator has said to the rank's last failed poll.
  struct Quiet {
    std::uint32_t news;  ///< Answer::news
    SimTime until;       ///< that stays the same until then
  };
  /// Nothing, if that may not hold any more: the rank has done something else since.
  virtual std::optional<Quiet> quiet() = 0;
  /// Time passes in the library, without the emulator: less than until the end of such a promise.
  virtual void let_pass(SimTime time) = 0;
};

}  // namespace morgana
