#include "emulator/topology/listed/graph_of_links.h"

#include <algorithm>

namespace morgana {
namespace {

SwitchPort port_of(const LinkEnd& end) {
  return {end.number, static_cast<PortNumber>(end.port)};
}

}  // namespace

SwitchGraph graph_of(const NetworkLinks& links) {
  std::vector<unsigned> ports;  // of each switch
  std::vector<SwitchPort> hosts;
  for (const LinkLoad& link : links.loads) {
    for (const LinkEnd& end : {link.from, link.to}) {
      if (end.is_host()) continue;
      ports.resize(std::max<std::size_t>(ports.size(), end.number + 1), 1);
      ports[end.number] = std::max(ports[end.number], end.port + 1);
    }
    if (!link.from.is_host()) continue;
    hosts.resize(std::max<std::size_t>(hosts.size(), link.from.number + 1));
    hosts[link.from.number] = port_of(link.to);
  }
  SwitchGraph graph;
  for (const unsigned count : ports) graph.add_switch(count);
  for (const SwitchPort& at : hosts) graph.add_host(at);
  // Each cable comes in both directions, and is laid when the first of them is met.
  for (const LinkLoad& link : links.loads) {
    if (link.from.is_host() || link.to.is_host()) continue;
    if (graph.neighbour(port_of(link.from)).is_nothing()) graph.connect(port_of(link.from), port_of(link.to));
  }
  return graph;
}

}  // namespace morgana
