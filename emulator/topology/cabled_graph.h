#pragma once

#include <span>
#include <utility>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/topology/switch_graph.h"

namespace morgana {

/// What a cable carries: full duplex, the two directions don't disturb each other.
struct Link {
  BitRate rate;
  SimTime propagation;
  bool operator==(const Link&) const = default;
};

/// A graph whose cables differ: a trunk may be faster than a host's link, or longer.
struct CabledGraph {
  SwitchGraph graph;
  std::vector<Link> trunks;  ///< of graph.cables(), in their order
  std::vector<Link> hosts;   ///< by host

  /// The graph with this link as every one of its cables, to hosts and between switches.
  static CabledGraph uniform(SwitchGraph graph, const Link& link) {
    CabledGraph cabled;
    cabled.trunks.assign(graph.cables().size(), link);
    cabled.hosts.assign(graph.hosts(), link);
    cabled.graph = std::move(graph);
    return cabled;
  }
  /// By channel; ports without a cable have a link that nothing crosses.
  std::vector<Link> links() const;
  /// With a further host at each of these switches, behind all others and at ports behind theirs: numbers of
  /// hosts and ports stay. @param link  of their cables
  CabledGraph with_hosts(std::span<const SwitchId> at, const Link& link) const;
};

}  // namespace morgana
