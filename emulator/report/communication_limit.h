#pragma once

#include <string>

#include "emulator/core/link_load.h"
#include "emulator/report/critical_path.h"
#include "emulator/report/execution_report.h"
#include "emulator/report/run_statistics.h"

namespace morgana {

/// What limits the communication of a run, for people. Where a link is busy for more than half of the run it
/// is limiting_tier_text(). Where computing takes a tenth or more, the rest of the time is looked at by
/// itself: the part of the critical path that is neither computing nor sleeping, or without a path the ranks'
/// mean time in calls; of an execution trace all communication, hidden behind computing or exposed.
///
/// "computing dominates: 93.2 % of the critical path; during the other 2.103 ms, uplinks of the leaves: busy
/// for 81.0 % of it at most (the busiest of 64; mean 33.1 %)", or "computing takes 40.1 % of the critical
/// path; during the other 2.103 ms, no link is busy for half of it (most of all links to hosts: at most 12.0
/// %): mostly what the library and the hosts take (80.0 %)".
///
/// Shares of that time are upper bounds: it is not measured which part of a link's data moves while others
/// compute. A link that carries data for longer than that time is named with its own time. Empty where
/// computing takes less than a tenth and no link is busy for more than half of the run, and where nothing is
/// known.
/// @param path  null: not known
/// @param execution  of an execution trace; else null
/// @param links  those that the program used
std::string limit_text(const RunStatistics& statistics, const CriticalPath* path, const NetworkLinks& links,
                       const ExecutionUse* execution = nullptr);

}  // namespace morgana
