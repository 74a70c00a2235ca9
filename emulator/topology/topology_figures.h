#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/core/units.h"
#include "emulator/topology/bisection_bounds.h"
#include "emulator/topology/cabled_graph.h"
#include "emulator/topology/topology_facts.h"

namespace morgana {

/// Cables between two different switches that have hosts, over the fewest.
struct HostDistances {
  unsigned largest = 0;  ///< the diameter
  double mean = 0;       ///< over all ordered pairs; 0 if there are none
};
/// Counted from the graph, 64 switches at a time: a second for the largest networks. Pairs that no cables
/// join don't count.
HostDistances host_distances(const SwitchGraph& graph);

/// A network of switches in numbers: its size, its cost and what it can carry.
struct TopologyFigures {
  std::size_t switches = 0;
  std::size_t switches_with_hosts = 0;  ///< or that may have some, where their number is open
  std::optional<std::size_t> hosts;     ///< nothing: as many as are needed
  struct Tier {
    std::string name;  ///< "leaf-spine"
    std::size_t trunks = 0;
  };
  std::vector<Tier> tiers;
  struct Ports {
    unsigned ports = 0;  ///< in use, those of hosts too where their number is not open
    std::size_t switches = 0;
  };
  std::vector<Ports> ports;  ///< most ports first
  HostDistances distances;
  std::optional<std::uint64_t> bisection;  ///< TopologyFacts::bisection
  std::optional<BitRate> bisection_rate;   ///< of these trunks in one direction, where all have one rate
  std::optional<BisectionBounds> bisection_bounds;  ///< where no closed form is known
  std::string
      grown;  ///< keys that say more than was set, so that hosts.count fits: "groups = 5"; may be empty

  std::size_t trunks() const;
  std::size_t cables() const { return trunks() + hosts.value_or(0); }  ///< of hosts, too
  std::size_t ports_in_use() const;                                    ///< of all switches
};

/// @param network  with its hosts, or, where their number is open, with one on each switch that may have some
TopologyFigures topology_figures(const CabledGraph& network, const TopologyFacts& facts, bool hosts_are_open);

/// As sentences, for people.
std::string describe(const TopologyFigures& figures);

}  // namespace morgana
