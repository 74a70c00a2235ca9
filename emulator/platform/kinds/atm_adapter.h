#pragma once

#include "emulator/network/atm/atm_network.h"
#include "emulator/platform/kinds/interfaces.h"

namespace morgana {

/// interface.model "atm-adapter": the work of hosts and their adapters on each packet and cell. Cells pass a
/// host's stages and its link in runs, which are worked out together; so it is the network that carries the
/// costs out, and this is where they are named.
InterfaceKind atm_adapter();

/// What [interface] says of adapters: no costs where interface.model is another.
AtmInterface atm_interface(const Settings& settings);

}  // namespace morgana
