#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "emulator/network/myrinet/mapping/mapping.h"

namespace morgana {

/// Ports whose cables don't work; with a cable between switches both its ends are.
class DeadPorts {
 public:
  explicit DeadPorts(const SwitchGraph& graph) : graph_(graph) {}
  void kill_cable(SwitchPort end);
  void kill_switch(SwitchId id);
  bool contains(SwitchPort port) const { return ports_.contains(port); }

 private:
  const SwitchGraph& graph_;
  std::set<SwitchPort> ports_;
};

/// Compares a map with the network that was mapped: port by port, whatever the numbers of its switches, all
/// that can be reached from the mapping host and nothing else.
/// @param names  of the network's hosts
/// @return the first difference, in words; nothing if there is none
std::optional<std::string> difference(const NetworkMap& map, const SwitchGraph& network,
                                      const std::vector<HostName>& names, const DeadPorts& dead);

}  // namespace morgana
