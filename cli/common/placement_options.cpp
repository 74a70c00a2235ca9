#include "cli/common/placement_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/common/options.h"
#include "cli/common/parser.h"
#include "emulator/core/error.h"

namespace morgana::cli {

void PlacementOptions::add(Command& command) {
  command
      .add("--map", &map,
           "Place ranks on hosts: block fills a host's processors before the next host's; cyclic goes from "
           "host to host, a rank on each, and begins again after the last (of as many hosts as ranks, or as "
           "many as there are); spread puts ranks at equal distances over all of the network's hosts; random "
           "takes hosts by chance (random:7 with another seed); by-group fills one group of hosts after the "
           "other (of a dragonfly, dragonfly-plus, CPLANT or Slim Fly; elsewhere the hosts at one switch), "
           "by-rack one switch's hosts; "
           "over-groups "
           "and over-racks deal ranks out round-robin over these; a file has a host number per line. "
           "block:N, cyclic:N, "
           "spread:N and random:SEED:N are these with --ranks-per-host N")
      ->type_name("RULE|FILE")
      ->show_default();
  command
      .add("--ranks-per-host", &ranks_per_host,
           "Ranks on each host, and as many hosts as that takes (-ppn N of mpiexec is the same); with --map "
           "block from the first host on, with spread at equal distances over all of the network's hosts; "
           "default: with block as many as a host has processors, with other rules one where there are hosts "
           "enough")
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
        "--ranks-per-host {}: --map {} says already where each rank runs; leave out one of the two", ranks,
        map));
  return fmt::format("{}{}:{}", map, map == "random" ? ":1" : "", ranks);
}

std::string hint_for_more_hosts(const std::string& map) {
  if (map == "block") return "; --map cyclic or --set hosts.processors=1 gives each rank a host of its own";
  if (is_placement_rule(map))
    return read_placement(map).per_host > 0 ? "; a smaller --ranks-per-host takes more hosts" : "";
  return fmt::format("; give some of them other hosts in {}", map);
}

}  // namespace morgana::cli
