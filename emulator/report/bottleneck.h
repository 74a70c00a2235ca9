#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/core/counter_table.h"
#include "emulator/core/link_load.h"
#include "emulator/report/critical_path.h"
#include "emulator/report/run_statistics.h"
#include "emulator/report/straggler.h"

namespace morgana {

/// One line of an answer to "where is the bottleneck?".
struct BottleneckLine {
  std::string label;  ///< "critical path", "imbalance", "straggler", "waiting", "trouble", "limit", "busiest
                      ///< links", "idle cables"
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
///     limit           which tier of links was busy for more than half of the run (limiting_tier_text), of
///                     the links that the program used
///     busiest links   of the same, those that were busy for more than half of the run; where there is
///                     trouble, the busiest ones in any case
///     idle cables     that no message crossed a cable between switches, though the network has some
///
/// @param path, straggler  null: not known
/// @param map  how ranks were placed, as read_placement() takes it: no hint names what is in use; empty: no
/// hint
/// @param jobs  that ran on the network: counts of several are of all of them
std::vector<BottleneckLine> bottleneck_lines(const RunStatistics& statistics, const CriticalPath* path,
                                             std::span<const CounterTable> counters,
                                             const NetworkLinks& links,
                                             const StragglerReport* straggler = nullptr,
                                             std::string_view map = "block", std::size_t jobs = 1);

/// Those along which something of the program went (LinkLoad::of_program): what others alone use does not
/// limit it.
NetworkLinks links_of_program(const NetworkLinks& links);

/// "Fabric links: 12 packets dropped; go-back-n: 3 sent again, 1 timeouts"; empty if all are 0.
std::string trouble_text(std::span<const TroubleCount> troubles);

/// "switch 0 to switch 20 (97.1 %), ...": at most `most` links, the busiest first, of those that were busy
/// for more than `least` of the time; empty if there is none.
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
