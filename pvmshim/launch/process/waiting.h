#pragma once

#include <chrono>

#include "emulator/engine/operation_source.h"
#include "pvmshim/channel/settings.h"

namespace morgana {

/// Bounds of a sleep while a program computes: shorter ones cost more than they gain, and after the longest
/// one it is worth looking whether the program has used more processors at once than expected.
constexpr std::chrono::nanoseconds shortest_sleep = std::chrono::microseconds(50);
constexpr std::chrono::nanoseconds longest_sleep = std::chrono::milliseconds(20);

/// How much longer a rank has to compute until the engine can go on without its next word, at most
/// `longest_sleep`.
/// @param computed  what it has computed since its last word, in simulated time
std::chrono::nanoseconds processor_time_missing(const OperationSource::AwaitedRank& awaited_rank,
                                                SimTime computed, const ChannelSettings& settings);

}  // namespace morgana
