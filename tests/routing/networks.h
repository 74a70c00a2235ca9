#pragma once

#include <string>
#include <vector>

#include "emulator/core/random.h"
#include "emulator/topology/kinds/cplant.h"
#include "emulator/topology/kinds/fat_tree.h"
#include "emulator/topology/kinds/irregular.h"
#include "emulator/topology/kinds/torus.h"
#include "emulator/topology/now.h"
#include "emulator/topology/switch_graph.h"

namespace morgana {

struct NamedNetwork {
  std::string name;
  SwitchGraph graph;
};

/// The networks of the papers, and others of the same kinds.
inline std::vector<NamedNetwork> known_networks() {
  return {{"torus 8 x 8", topology::torus({})},
          {"express torus 8 x 8", topology::express_torus({})},
          {"torus 3 x 4 x 3", topology::torus({.sides = {3, 4, 3}, .hosts_per_switch = 2})},
          {"ring of 6", topology::torus({.sides = {6}, .hosts_per_switch = 2})},
          {"cplant", topology::cplant()},
          {"now", topology::now()},
          {"fat tree", topology::fat_tree({.arity = 3, .levels = 3})},
          {"irregular 8", topology::irregular({.switches = 8}, 1)},
          {"irregular 32", topology::irregular({.switches = 32}, 2)},
          {"irregular 64", topology::irregular({.switches = 64}, 3)}};
}

/// A connected network without any order: cables at random (parallel ones and loops too), hosts here and
/// there.
inline SwitchGraph random_network(RandomStream& random, std::size_t most_switches) {
  SwitchGraph graph;
  const std::size_t switches = 1 + random.below(most_switches);
  for (std::size_t n = 0; n < switches; ++n) graph.add_switch(16);
  for (SwitchId at = 1; at < switches; ++at) graph.connect(at, static_cast<SwitchId>(random.below(at)));
  for (std::size_t n = random.below(2 * switches); n > 0; --n) {
    const auto a = static_cast<SwitchId>(random.below(switches)),
               b = static_cast<SwitchId>(random.below(switches));
    const auto port = [&] { return static_cast<PortNumber>(random.below(16)); };
    const SwitchPort first{a, port()}, second{b, port()};
    if (first == second || !graph.neighbour(first).is_nothing() || !graph.neighbour(second).is_nothing())
      continue;
    graph.connect(first, second);
  }
  for (SwitchId at = 0; at < switches; ++at) {
    for (std::size_t n = random.below(3); n > 0; --n) {
      const SwitchPort port{at, static_cast<PortNumber>(random.below(16))};
      if (graph.neighbour(port).is_nothing()) graph.add_host(port);
    }
  }
  return graph;
}

}  // namespace morgana
