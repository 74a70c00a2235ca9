#pragma once

#include "tests/network/myrinet/worm_case.h"

namespace morgana::testing {

/// One switch; host h is at port h.
inline WormGraph star(std::uint32_t hosts) {
  WormGraph graph;
  graph.ports = {hosts};
  for (std::uint32_t h = 0; h < hosts; ++h) graph.hosts.push_back({0, h});
  return graph;
}

/// Switches in a row, or in a ring: port 2 leads on, to port 3 of the next. Hosts 2s and 2s + 1 are at ports
/// 0 and 1 of switch s. Trunk s leads on from switch s.
inline WormGraph row(std::uint32_t switches, bool ring = false) {
  WormGraph graph;
  graph.ports.assign(switches, 4);
  for (std::uint32_t s = 0; s < switches; ++s) {
    if (ring || s + 1 < switches) graph.trunks.push_back({{s, 2}, {(s + 1) % switches, 3}});
    graph.hosts.push_back({s, 0});
    graph.hosts.push_back({s, 1});
  }
  return graph;
}

inline WormFate departed_and_delivered(SimTime departed, SimTime delivered) {
  return {{departed, delivered, {}}, WormLoss::none};
}
inline WormFate departed_and_lost(SimTime departed, SimTime lost, WormLoss why) {
  return {{departed, {}, lost}, why};
}

}  // namespace morgana::testing
