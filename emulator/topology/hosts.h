#pragma once

#include "emulator/topology/switch_graph.h"

namespace morgana::topology {

/// The same number of hosts at every switch, on its lowest free ports, numbered switch by switch.
inline void add_hosts_everywhere(SwitchGraph& graph, unsigned hosts_per_switch) {
  for (SwitchId id = 0; id < graph.switches(); ++id) {
    for (unsigned n = 0; n < hosts_per_switch; ++n) graph.add_host(id);
  }
}

}  // namespace morgana::topology
