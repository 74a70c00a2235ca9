#include "emulator/process/machine.h"

#include <algorithm>
#include <set>

namespace morgana {

std::vector<CounterTable> counted(Machine& machine, SimTime until) {
  std::vector<CounterTable> tables = machine.network->counted(std::max(until, machine.events->now()));
  for (CounterTable& table : machine.transport->counted()) tables.push_back(std::move(table));
  if (machine.kernel)
    for (CounterTable& table : machine.kernel->counted()) tables.push_back(std::move(table));
  return tables;
}

NetworkLinks links(Machine& machine, SimTime until) {
  return machine.network->links(std::max(until, machine.events->now()));
}

bool expects_returns(const Machine& machine) {
  return machine.transport && machine.transport->returns() && machine.network->dies();
}

SimTime least_distance(const Machine& machine) {
  const std::set<HostId> hosts(machine.host_of.begin(), machine.host_of.end());
  SimTime least = SimTime::max();
  if (hosts.size() > 1 || machine.host_of.size() == 1) least = machine.network->least_latency();
  if (hosts.size() < machine.host_of.size()) least = std::min(least, machine.messages.local_latency);
  return least;
}

}  // namespace morgana
