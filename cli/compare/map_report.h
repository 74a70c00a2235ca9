#pragma once

#include <optional>
#include <string>
#include <vector>

#include "emulator/network/myrinet/mapping/mapped_network.h"

namespace morgana::cli {

/// What `morgana map` is asked for.
struct MapOptions {
  std::string platform, routes = "up-down", json;
  std::vector<std::string> overrides, dead_cables;
  std::vector<std::uint32_t> mappers{0}, dead_switches;
  unsigned attempts = 3;
  std::uint64_t seed = 1;
  bool quiet = false;
};

/// A map that a leader has made, beside the network.
struct FoundMap {
  MappingReport report;
  std::optional<std::string> difference;  ///< from the network
  bool free_of_deadlock = false;          ///< the routes handed out
};

/// One round of all mappers.
struct MappingRound {
  std::string network;  ///< what has become of it, in words
  std::vector<FoundMap> maps;
  std::vector<MappingReport> failures;
  std::uint64_t packets = 0, lost = 0;  ///< of all daemons; of these, lost by the network
};

std::string map_text(const MapOptions& options, const SwitchGraph& graph,
                     const std::vector<MappingRound>& rounds);
std::string map_json(const MapOptions& options, const SwitchGraph& graph,
                     const std::vector<MappingRound>& rounds);

}  // namespace morgana::cli
