#include "emulator/topology/cabled_graph.h"

#include <cassert>

namespace morgana {

std::vector<Link> CabledGraph::links() const {
  assert(trunks.size() == graph.cables().size() && hosts.size() == graph.hosts());
  std::vector<Link> by_channel(graph.channels());
  for (std::size_t trunk = 0; trunk < trunks.size(); ++trunk) {
    by_channel[graph.channel_from(graph.cables()[trunk].a)] = trunks[trunk];
    by_channel[graph.channel_from(graph.cables()[trunk].b)] = trunks[trunk];
  }
  for (HostNumber host = 0; host < hosts.size(); ++host) {
    by_channel[graph.channel_from(host)] = hosts[host];
    by_channel[graph.channel_from(graph.port_of(host))] = hosts[host];
  }
  return by_channel;
}

}  // namespace morgana
