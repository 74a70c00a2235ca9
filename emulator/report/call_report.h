#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "emulator/report/call_use.h"
#include "emulator/report/run_statistics.h"

namespace morgana {

/// Up to so many kinds of call stand in a summary.
constexpr std::size_t summary_call_limit = 5;

/// The kinds of call that took longest, for people, with what part of the ranks' communication they are.
/// Columns in which nothing is are left out.
std::string calls_text(std::span<const CallUse> calls, SimTime communication);

/// A list with call, count, time_ps, bytes and, where the run was emulated, late_sender_ps,
/// late_receiver_ps and collective_wait_ps.
nlohmann::ordered_json calls_json(std::span<const CallUse> calls, bool emulated);

/// Columns for a table with a line for each rank: what they waited for, then for each kind of call count,
/// time and bytes.
struct CallColumns {
  std::vector<std::string> heading;
  std::vector<std::vector<std::string>> lines;  ///< by rank
};
CallColumns call_columns(const RunStatistics& statistics);

}  // namespace morgana
