#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "traces/import/dependency_graph.h"

namespace morgana {

/// A schedule of LogGOPSim and ATLAHS in GOAL (T. Hoefler, C. Siebert, A. Lumsdaine: Group Operation Assembly
/// Language, 2009), as text or as the binary form that LogGOPSim's txt2bin makes.
///
/// Text: `num_ranks N`, then for each rank `rank R { ... }` with lines `L: calc NS [cpu C]`,
/// `L: send Bb to R [tag T] [cpu C] [nic I]`, `L: recv Bb from R [tag T] [cpu C] [nic I]` (labels may be left
/// out), `L requires M` (M has ended) and `L irequires M` (M has started), before or behind the lines that
/// they name. -1 is any rank and any tag. Comments: //, /* */ and #. Blanks may be left out where LogGOPSim's
/// own parser does without.
/// Nodes are numbered by their labels, digits read as numbers (l9 before l10), and those without one behind
/// them by what they do: the order of the lines means nothing. In the binary form nodes have numbers.
/// @param progress  called now and then with the share that is read, 0 to 1; may be empty
/// @throws Error for a file that can't be opened or holds no such schedule, naming the line, or rank and node
std::shared_ptr<const DependencyGraph> read_goal_graph(const std::filesystem::path& file,
                                                       const std::function<void(double)>& progress = {});

/// Whether a file holds GOAL's text (it begins with num_ranks) or binary form (with the number 4223).
bool is_goal(const std::filesystem::path& file);

}  // namespace morgana
