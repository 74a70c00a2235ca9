#pragma once

#include <span>
#include <string>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/engine/collective_runner.h"
#include "emulator/engine/context_table.h"
#include "emulator/engine/rank_state.h"
#include "emulator/messaging/losses.h"
#include "emulator/messaging/machine.h"

namespace morgana {

/// Why ranks that wait can't go on, as far as they wait for each other.
struct DeadlockAnalysis {
  /// When the last rank blocked in its operation or ended, or, of the messages that losses know, the last was
  /// lost; events after that (timers) changed nothing.
  SimTime at;
  /// Ranks each of which can't go on before the next one does, and the last one before the first, which has
  /// the smallest number; empty if there is no such cycle, or only by receives from any rank.
  std::vector<Rank> cycle;
  /// For people: "cycle: ...", "eager hint: ...", "missing: ..."; a sentence each.
  std::vector<std::string> findings;
};

/// @param ranks  those that wait do so for good; PVM's daemon counts for nothing
/// @param losses  where there are any, ranks may wait for each other because of them
DeadlockAnalysis analyse_deadlock(std::span<const RankState> ranks, std::span<const Request> requests,
                                  const ContextTable& contexts, const CollectiveRunner& collectives,
                                  const Machine& machine, const Losses& losses);

}  // namespace morgana
