#pragma once

#include <span>
#include <string>

#include "emulator/process/rank_state.h"

namespace morgana {

/// The text of a Deadlock: who waits for what, a line a rank.
/// @param losses  a report on messages that the transport has lost; may be empty
std::string describe_deadlock(SimTime now, std::span<const RankState> ranks,
                              std::span<const Request> requests, const std::string& losses);

/// What ranks were doing when simulated time passed its end. @param refusal  how that was told
std::string describe_past_end(const std::string& refusal, SimTime now, std::span<const RankState> ranks,
                              std::span<const Request> requests);

}  // namespace morgana
