#pragma once

#include <cstddef>
#include <string>

#include "cli/common/command.h"
#include "emulator/platform/platform.h"

namespace morgana::cli {

/// Where a run's ranks are placed: --map and --ranks-per-host, of all commands that place ranks.
struct PlacementOptions {
  std::string map = "block";
  std::size_t ranks_per_host = 0;  ///< 0: as the hosts' processors and the map have it

  void add(Command& command);
  /// Both in one text, as read_placement() takes it: "block:4".
  /// @throws Error for --ranks-per-host with a file, which says it already
  std::string text() const;
  Placement placement() const { return read_placement(text()); }
  bool given() const { return ranks_per_host > 0 || map != PlacementOptions().map; }
};

/// Whether it is a rule, with or without what stands behind its colons, and no file.
bool is_placement_rule(const std::string& map);
/// The rule with so many ranks a host: "block:4". @throws Error for a file, and for a rule that says it
/// already
std::string with_ranks_per_host(const std::string& map, std::size_t ranks);

/// What would bring ranks onto more hosts than this map has taken, as the end of a sentence: "; --map cyclic
/// ..."; empty if no option does. @param map  as PlacementOptions::text()
std::string hint_for_more_hosts(const std::string& map);

}  // namespace morgana::cli
