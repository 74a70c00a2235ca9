#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/core/counter_table.h"
#include "emulator/core/link_load.h"
#include "emulator/core/pause_report.h"
#include "emulator/report/execution_report.h"
#include "emulator/report/job_report.h"
#include "emulator/report/limits/critical_path.h"
#include "emulator/report/limits/straggler.h"
#include "emulator/report/run_statistics.h"

namespace morgana {

/// One line of an answer to "where is the bottleneck?".
struct BottleneckLine {
  std::string label;  ///< "critical path", "imbalance", "straggler", "waiting", "trouble", "pauses", "limit",
                      ///< "busiest links", "idle cables"
  std::string text;
  bool operator==(const BottleneckLine&) const = default;
};

/// Where a run's time went and what was in its way; lines that have nothing to say are left out.
///
///     critical path   shares of the longest chain of causes
///     imbalance       what the rank that computes longest computes, over the mean of all ranks
///     straggler       which rank delays the run, where further runs have found out
///     waiting         share of the ranks' time in calls that wait for ranks that come later
///     trouble         counts that network and transport declare as signs of it (CounterTable), unless 0
///     pauses          which links were paused for longest, the congested link behind that, and whose packets
///                     filled its queue (pauses_text)
///     limit           what limits communication, of the links that the program used (limit_text)
///     busiest links   of the same, those that were busy for more than half of the run; where there is
///                     trouble, the busiest ones in any case
///     idle cables     that no message crossed a cable between switches, though the network has some
///
/// @param path, straggler  null: not known
/// @param map  how ranks were placed, as read_placement() takes it: no hint names what is in use; empty: on
/// nodes of GPUs, where links are NVLink and NICs and no hint is given
/// @param jobs  that ran on the network, where there were several: counts are of all of them
/// @param execution  of an execution trace; else null
std::vector<BottleneckLine> bottleneck_lines(
    const RunStatistics& statistics, const CriticalPath* path, std::span<const CounterTable> counters,
    const NetworkLinks& links, const StragglerReport* straggler = nullptr, std::string_view map = "block",
    std::span<const JobResult> jobs = {}, const ExecutionUse* execution = nullptr);

/// "2 links, most of all host 1 port 0 to switch 0 port 1 (traffic class 0 for 41.2 % of the run), ...;
/// the cause is congestion in the queue of switch 0 port 0 to host 0 (traffic class 0), filled by job 1 (60.0
/// %), job 2 (40.0 %)"; empty without pauses. Packets belong to a job by the host that has sent them.
/// @param jobs  empty: hosts are named; one: it is the program, and others' packets are background
std::string pauses_text(const PauseReport& pauses, std::span<const JobResult> jobs);

/// Those along which something of the program went (LinkLoad::of_program): what others alone use does not
/// limit it.
NetworkLinks links_of_program(const NetworkLinks& links);

/// "Fabric links: 12 packets dropped; go-back-n: 3 units sent again, 1 timeouts"; empty if all are 0.
std::string trouble_text(std::span<const TroubleCount> troubles);

/// "switch 0 to switch 20 (97.1 %), ...": at most `most` links, the busiest first, of those that were busy
/// for more than `least` of the time; empty if there is none. What the receiver kept from sending for longer
/// than 1 % of the time is said apart: "(60.1 %, held up 30.2 %)".
std::string busiest_links_text(const NetworkLinks& links, std::size_t most, double least);

/// Why nothing between switches was used: "no message crossed a cable between switches: ..."; empty where
/// something crossed one, where there is none, or where nothing was sent.
/// @param map  as of bottleneck_lines()
/// @param beside_others  others used the network, too: "no message of the program"
std::string idle_cables_text(const NetworkLinks& links, std::string_view map = "block",
                             bool beside_others = false);

/// The lines under each other, labels in a column, as in a summary.
std::string bottleneck_text(std::span<const BottleneckLine> lines);

}  // namespace morgana
