#pragma once

#include <span>
#include <string>

#include "emulator/core/counter_table.h"
#include "emulator/core/link_load.h"
#include "emulator/report/execution_report.h"
#include "emulator/report/limits/critical_path.h"
#include "emulator/report/limits/link_tiers.h"
#include "emulator/report/run_statistics.h"

namespace morgana {

/// Those of a run's links, and of the hosts' and shared resources, that may hold up its critical path: all of
/// the path but computing, hosts' work and sleeping takes at least half as long as the busiest of them, and
/// hosts' work at least half as long as the busiest memory. What is busy beside the path delays nothing. All
/// where the path is not known.
/// @param path  null: not known
NetworkLoads loads_that_hold_up(const NetworkLoads& links, const CriticalPath* path);

/// Whether links, or resources, limit a run: one of loads_that_hold_up() is busy for more
/// than half of it. @param path  null: not known
bool links_limit(const NetworkLoads& links, const CriticalPath* path);

/// "latency 48.1 %, its messages' own data 27.3 %, queues 16.6 %": what the network's part of a path is made
/// of. Empty where CriticalPath::alone is not known.
/// @param of  seconds that shares are of, > 0
std::string network_parts_text(const CriticalPath& path, double of);

/// The program's links (links_of_program()) with what counters say of hosts and of media that all share
/// (resources_in): of hosts that these links lead to; all where the network counts no links.
/// @param end  of the run
NetworkLoads loads_of_program(const NetworkLinks& links, std::span<const CounterTable> counters, SimTime end);

/// What limits the communication of a run, for people. Where links_limit() it is limiting_tier_text(). Where
/// computing takes a tenth or more, the rest of the time is looked at by itself: the part of the critical
/// path that is neither computing nor sleeping, or without a path the ranks' mean time in calls; of an
/// execution trace all communication, hidden behind computing or exposed.
///
/// "computing takes 93.2 % of the critical path; in the other 2.103 ms, uplinks of the leaves: busy for at
/// most 81.0 % of that time (the busiest of 64 links; mean 33.1 %)", or "...; in the other 2.103 ms, no link
/// is busy for half of that time (most: links to hosts, at most 12.0 %); mostly calls and copies on hosts
/// (80.0
/// %)".
///
/// Elsewhere it is what takes most of the path: "no link is busy for half of the run (most: uplinks of the
/// leaves, 46.8 %); mostly NICs and network (92.2 % of the critical path)", or "calls and copies on hosts:
/// 99.6 % of the critical path, most of it on rank 0; ...". Where CriticalPath::alone is known, NICs and
/// network are divided further: "(92.2 % of the critical path: latency 48.1 %, its messages' own data 27.3 %,
/// queues 16.8 %)".
///
/// Of an execution trace that no link limits: "no link is busy for half of the run (most: links from
/// hosts, 16.9
/// %); while communication is exposed, ranks add up and copy for 52.6 %, and wait for messages for 47.4 %".
///
/// Shares of the time beside computing are upper bounds: it is not measured which part of a link's data moves
/// while others compute. A link that carries data for longer than that time is named with its own time. Empty
/// where no link was used and computing takes less than a tenth, and where nothing is known.
/// @param path  null: not known
/// @param execution  of an execution trace; else null
/// @param links  those that the program used, and the resources that it used
/// @param hosts  what they are called
std::string limit_text(const RunStatistics& statistics, const CriticalPath* path, const NetworkLoads& links,
                       const ExecutionUse* execution = nullptr, LinkedHosts hosts = LinkedHosts::computers);

}  // namespace morgana
