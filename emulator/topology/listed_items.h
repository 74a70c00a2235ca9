#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/topology/cabled_graph.h"
#include "emulator/topology/fault.h"

namespace morgana {

// What the lists of a network's section name: network.cables, network.trunks, network.hosts-at and
// network.faults.

/// A switch, and one of its ports if that is said: "3", "3.5".
struct ListedEnd {
  SwitchId at = 0;
  std::optional<unsigned> port;
};
/// Takes one from the beginning of `text`; nothing if there is none.
std::optional<ListedEnd> take_end(std::string_view& text);

/// A trunk between two switches, "0-1" or "0-1 at 622.08 Mb/s over 5 us".
struct ListedTrunk {
  SwitchId a = 0, b = 0;
  Link link;
};
/// @param switches  that there are. @param link  where the item says nothing else
/// @throws Error naming the item
ListedTrunk listed_trunk(const std::string& item, std::uint32_t switches, const Link& link);

/// A host's switch and link, "0" or "0 at 100 Mb/s over 1 us".
struct ListedHost {
  SwitchId at = 0;
  Link link;
};
/// As listed_trunk.
ListedHost listed_host(const std::string& item, std::uint32_t switches, const Link& link);

/// "cable 0.4 at 10 ms", "cable 0-1 at 10 ms", "switch 7 at 2 s".
/// @throws Error naming the item, also for faults of what there is not
NetworkFaults listed_faults(const std::vector<std::string>& items, const SwitchGraph& graph);

}  // namespace morgana
