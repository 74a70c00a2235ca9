#pragma once

#include <span>
#include <string>

#include "emulator/engine/context_table.h"
#include "emulator/engine/deadlock_analysis.h"
#include "emulator/engine/rank_state.h"
#include "emulator/messaging/losses.h"
#include "emulator/messaging/messenger.h"

namespace morgana {

/// The text of a Deadlock: what the analysis has found, and who waits for what, a line a rank.
/// @param losses  what was not delivered: named where it is waited for
/// @param messenger  knows what was sent to a rank that the rank does not ask for
/// @param loss_report  Losses::report()
std::string describe_deadlock(const DeadlockAnalysis& analysis, std::span<const RankState> ranks,
                              std::span<const Request> requests, const ContextTable& contexts,
                              const Losses& losses, const Messenger& messenger,
                              const std::string& loss_report);

/// What ranks were doing when simulated time passed its end. @param refusal  the sentence about that
std::string describe_past_end(const std::string& refusal, SimTime now, std::span<const RankState> ranks,
                              std::span<const Request> requests, const ContextTable& contexts);

/// What ranks are doing at some moment, a line each: for a run that ends in the midst of it.
std::string describe_activities(SimTime now, std::span<const RankState> ranks,
                                std::span<const Request> requests, const ContextTable& contexts);

}  // namespace morgana
