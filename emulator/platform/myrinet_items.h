#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "emulator/platform/myrinet_settings.h"

namespace morgana {

// What the lists of a Myrinet's section name: network.cables, network.hosts-at and network.faults.

/// A switch, and one of its ports if that is said: "3", "3.5".
struct ListedEnd {
  SwitchId at = 0;
  std::optional<unsigned> port;
};
/// Takes one from the beginning of `text`; nothing if there is none.
std::optional<ListedEnd> take_end(std::string_view& text);

/// The network of topology "listed". Ports that are named are taken first; the others are the lowest free
/// ones, hosts before cables.
/// @param wrong_key  the key to mend, where there is an Error
/// @throws Error naming the item
SwitchGraph listed_graph(const MyrinetSettings& settings, std::string& wrong_key);

}  // namespace morgana
