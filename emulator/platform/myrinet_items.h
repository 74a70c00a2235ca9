#pragma once

#include <string>

#include "emulator/platform/myrinet_settings.h"
#include "emulator/platform/topology_items.h"

namespace morgana {

/// The network of topology "listed". Ports that are named are taken first; the others are the lowest free
/// ones, hosts before cables.
/// @param wrong_key  the key to mend, where there is an Error
/// @throws Error naming the item
SwitchGraph listed_graph(const MyrinetSettings& settings, std::string& wrong_key);

}  // namespace morgana
