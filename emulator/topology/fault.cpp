#include "emulator/topology/fault.h"

#include <algorithm>

namespace morgana {

std::vector<SimTime> times_of_death(const SwitchGraph& graph, const NetworkFaults& faults) {
  std::vector<SimTime> times(graph.channels(), SimTime::max());
  const auto kill = [&](CableChannel channel, SimTime when) {
    times[channel] = std::min(times[channel], when);
  };
  const auto kill_cable = [&](SwitchPort end, SimTime when) {
    const Neighbour& other = graph.neighbour(end);
    if (other.is_nothing()) return;
    kill(graph.channel_from(end), when);
    kill(other.is_host() ? graph.channel_from(HostNumber{other.id}) : graph.channel_from(other.switch_port()),
         when);
  };
  for (const NetworkFault& fault : faults) {
    if (fault.part == NetworkFault::Part::cable) {
      kill_cable(fault.at, fault.when);
      continue;
    }
    for (unsigned port = 0; port < graph.ports(fault.at.at); ++port)
      kill_cable({fault.at.at, static_cast<PortNumber>(port)}, fault.when);
  }
  return times;
}

}  // namespace morgana
