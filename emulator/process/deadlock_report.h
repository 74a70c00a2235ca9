#pragma once

#include <span>
#include <string>

#include "emulator/process/rank_state.h"

namespace morgana {

/// The text of a Deadlock: who waits for what, a line a rank.
/// @param lost  messages that the transport has lost
std::string describe_deadlock(SimTime now, std::span<const RankState> ranks,
                              std::span<const Request> requests, std::uint64_t lost);

}  // namespace morgana
