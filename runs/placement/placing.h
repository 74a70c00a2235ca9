#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "emulator/core/host_use.h"
#include "emulator/platform/platform.h"
#include "runs/placement/rank_mapping.h"

namespace morgana {

// Better placements of a trace's ranks on a platform's hosts: what ranks send each other is counted in a
// replay, ranks are exchanged so that it crosses fewer links, and replays measure what that saves.

struct PlacingRequest {
  std::filesystem::path trace;
  std::string map = "block";      ///< the placement to begin with, as read_placement() takes it
  std::vector<std::string> maps;  ///< others to compare it with, likewise
  std::uint64_t seed = 1;
  /// What a message weighs beside its bytes: a message of this size takes about as long to begin as its
  /// bytes take. >= 0
  Bytes message = Bytes(1024);
  std::uint64_t steps = MappingSearch().steps;  ///< of the search on each set of hosts
};

/// A placement, and what it costs.
struct PlacedMap {
  std::string name;                  ///< "spread"; of one that was found, of the map whose hosts it has
  bool found = false;                ///< by exchanging ranks; else it is the map's own
  std::vector<std::uint32_t> hosts;  ///< by rank
  std::size_t hosts_in_use = 0;
  std::int64_t cost = 0;   ///< weight (bytes, and those of messages) times links, over all pairs of ranks
  std::int64_t least = 0;  ///< no placement on the same hosts costs less
  SimTime time;            ///< of the replay
};

struct Placing {
  std::size_t ranks = 0;
  Traffic traffic;          ///< all that ranks send each other, collectives' messages too
  std::size_t pairs = 0;    ///< of ranks that send each other something
  std::int64_t weight = 0;  ///< of all of it
  /// The given map first, then each map and what was found on its hosts, if that costs less than all maps
  /// with these hosts.
  std::vector<PlacedMap> placements;
  std::size_t best = 0;                ///< of least time; of several, of least cost, then the first
  std::vector<std::string> notices{};  ///< sentences for the user
};

/// Says what is done, and the share of all that is done.
using PlacingTold = std::function<void(const std::string&, double)>;

/// More ranks have too many pairs of hosts.
constexpr std::size_t most_placed_ranks = 8192;

/// @throws Error as replay_on, for too many ranks, and for tasks of PVM, which place themselves
Placing find_placement(const Platform& platform, const PlacingRequest& request, const PlacingTold& told);

}  // namespace morgana
