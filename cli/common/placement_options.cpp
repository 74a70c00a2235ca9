#include "cli/common/placement_options.h"

#include <fmt/format.h>

#include "cli/common/options.h"
#include "cli/common/parser.h"
#include "emulator/core/error.h"

namespace morgana::cli {

void PlacementOptions::add(Command& command) {
  command
      .add("--map", &map,
           "Place ranks on hosts: block fills a host's processors before the next host's; cyclic goes from "
           "host to host, a rank on each, and begins again after the last (of as many hosts as ranks, or as "
           "many as there are); spread puts ranks at equal distances over all of the network's hosts; a file "
           "has a host number per line")
      ->type_name("block|cyclic|spread|FILE")
      ->show_default();
  command
      .add("--ranks-per-host", &ranks_per_host,
           "Ranks on each host, and as many hosts as that takes (-ppn N of mpiexec is the same); with --map "
           "block from the first host on, with spread at equal distances over all of the network's hosts; "
           "default: with block as many as a host has processors, with cyclic and spread one where there "
           "are hosts enough")
      ->type_name("N")
      ->check(whole_number(1, 65'536));
}

std::string PlacementOptions::text() const {
  if (ranks_per_host == 0) return map;
  if (map != "block" && map != "cyclic" && map != "spread")
    throw Error(fmt::format(
        "--ranks-per-host {}: --map {} says already where each rank runs; leave out one of the two",
        ranks_per_host, map));
  return fmt::format("{}:{}", map, ranks_per_host);
}

std::string hint_for_more_hosts(const std::string& map) {
  if (map == "block") return "; --map cyclic or --set hosts.processors=1 gives each rank a host of its own";
  const auto is = [&](const char* rule) { return map.starts_with(rule); };
  if (is("block:") || is("cyclic:") || is("spread:")) return "; a smaller --ranks-per-host takes more hosts";
  if (map == "cyclic" || map == "spread") return "";
  return fmt::format("; give some of them other hosts in {}", map);
}

}  // namespace morgana::cli
