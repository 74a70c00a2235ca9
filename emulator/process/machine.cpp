#include "emulator/process/machine.h"

#include <algorithm>
#include <set>

namespace morgana {

SimTime least_distance(const Machine& machine) {
  const std::set<HostId> hosts(machine.host_of.begin(), machine.host_of.end());
  SimTime least = SimTime::max();
  if (hosts.size() > 1 || machine.host_of.size() == 1) least = machine.network->least_latency();
  if (hosts.size() < machine.host_of.size()) least = std::min(least, machine.messages.local_latency);
  return least;
}

}  // namespace morgana
