#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/interface/lanai/parameters.h"
#include "emulator/network/myrinet/myrinet_network.h"
#include "emulator/platform/kinds/networks.h"
#include "emulator/platform/kinds/transports.h"
#include "emulator/schema/schema.h"

namespace morgana {

/// What stands between the hosts and the network's ports: a platform chooses it with interface.model. Adding
/// one is one function in interfaces.cpp and its line in interface_kinds().
struct InterfaceKind {
  std::string name;
  std::string meaning;
  std::vector<Key> keys;
  /// Which of the platform's networks and transports it can't work with, and values that don't fit.
  std::function<std::optional<Complaint>(const Settings&, const NetworkKind&, const TransportKind&)> check;
  /// The network as the hosts see it through their interfaces, whose chance follows from the run's seed.
  std::function<std::unique_ptr<Network>(const Settings&, EventQueue&, MadeNetwork, std::uint64_t seed)> make;
};

/// A program for the processors of Myrinet interfaces: interface.program chooses it where interface.model is
/// lanai. Adding one is a function like gm_program() in a file of its own, and its line in lanai_programs().
/// Its keys begin with "interface." and its name.
struct LanaiProgram {
  std::string name;
  std::vector<Key> keys;
  std::function<std::optional<Complaint>(const Settings&, const TransportKind&)> check;
  std::function<std::unique_ptr<Network>(const Settings&, const LanaiParameters&, EventQueue&,
                                         std::unique_ptr<MyrinetNetwork>, std::uint64_t seed)>
      make;
};

/// In gm.cpp, gam.cpp and am2.cpp.
LanaiProgram gm_program();
LanaiProgram gam_program();
LanaiProgram am2_program();

/// What [interface] says of a lanai, whatever its program.
LanaiParameters lanai_parameters(const Settings& settings);

/// In the order in which they are shown; the first is the one where a platform does not say.
const std::vector<LanaiProgram>& lanai_programs();
const std::vector<InterfaceKind>& interface_kinds();
const InterfaceKind& interface_kind(const std::string& name);

}  // namespace morgana
