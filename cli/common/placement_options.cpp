#include "cli/common/placement_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/common/options.h"
#include "cli/common/parser.h"
#include "emulator/core/error.h"

namespace morgana::cli {

void PlacementOptions::add(Command& command) {
  command
      .add(
          "--map", &map,
          "Place ranks on hosts. block: fill a host's processors, then the next host's. cyclic: one rank on "
          "each host, then again from the first (over as many hosts as ranks, or as many as there are). "
          "spread: at equal distances over all hosts of the network. random: hosts by chance (random:7 with "
          "another seed). by-group: fill one group of hosts after the other (of a dragonfly, dragonfly-plus, "
          "CPLANT or Slim Fly; elsewhere the hosts at one switch). by-rack: fill one switch's hosts after "
          "the other's. over-groups, over-racks: round-robin over these. A file: a host number per line. "
          "block:N, cyclic:N, spread:N and random:SEED:N are the same with --ranks-per-host N")
      ->type_name("RULE|FILE")
      ->show_default();
  command
      .add("--ranks-per-host", &ranks_per_host,
           "Ranks on each host (-ppn N of mpiexec), on as many hosts as that takes: from the first with "
           "--map block, at equal distances with spread; default: with block as many as a host has "
           "processors, with other rules one if there are enough hosts")
      ->type_name("N")
      ->check(whole_number(1, 65'536));
}

std::string PlacementOptions::text() const {
  if (ranks_per_host == 0) return map;
  return with_ranks_per_host(map, ranks_per_host);
}

bool is_placement_rule(const std::string& map) {
  return std::ranges::find(placement_rules(), map.substr(0, map.find(':'))) != placement_rules().end();
}

std::string with_ranks_per_host(const std::string& map, std::size_t ranks) {
  const bool open = is_placement_rule(map) && read_placement(map).per_host == 0;
  if (!open)
    throw Error(fmt::format(
        "--ranks-per-host {}: --map {} places each rank already; leave one of the two out", ranks, map));
  return fmt::format("{}{}:{}", map, map == "random" ? ":1" : "", ranks);
}

std::string hint_for_more_hosts(const std::string& map) {
  if (map == "block") return "; --map cyclic or --set hosts.processors=1 gives each rank a host of its own";
  if (is_placement_rule(map))
    return read_placement(map).per_host > 0 ? "; a smaller --ranks-per-host takes more hosts" : "";
  return fmt::format("; give some of them other hosts in {}", map);
}

}  // namespace morgana::cli
