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

CabledGraph CabledGraph::with_hosts(std::span<const SwitchId> at, const Link& link) const {
  std::vector<unsigned> ports(graph.switches());
  for (SwitchId one = 0; one < graph.switches(); ++one) ports[one] = graph.ports(one);
  std::vector<SwitchPort> further;
  for (const SwitchId one : at) further.push_back({one, static_cast<PortNumber>(ports[one]++)});
  CabledGraph larger{{}, trunks, hosts};
  for (const unsigned count : ports) larger.graph.add_switch(count);
  for (HostNumber host = 0; host < graph.hosts(); ++host) larger.graph.add_host(graph.port_of(host));
  for (const SwitchPort& port : further) larger.graph.add_host(port);
  larger.hosts.resize(hosts.size() + at.size(), link);
  for (const SwitchGraph::Cable& cable : graph.cables()) larger.graph.connect(cable.a, cable.b);
  return larger;
}

}  // namespace morgana
