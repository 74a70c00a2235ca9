#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/topology/cabled_graph.h"
#include "emulator/topology/fault.h"

namespace morgana {

// What the lists of a network's section name: network.cables, network.trunks, network.hosts-at,
// network.route-table and network.faults.

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

/// Trunks of one tier of a topology, "global at 100 Gb/s over 500 ns".
struct ListedTier {
  std::size_t tier = 0;  ///< of `names`
  Link link;
};
/// @param names  of the topology's tiers. @param link  where the item says nothing else
/// @throws Error naming the item
ListedTier listed_tier(const std::string& item, const std::vector<std::string>& names, const Link& link);

/// @throws Error naming the item if there is no such switch
void check_switch(SwitchId number, const std::string& item, const SwitchGraph& graph);

/// Takes a cable from the beginning of `text`: "0.4", plugged into port 4 of switch 0, or "0-1", the only one
/// between two switches. @return its end at the switch named first; nothing if there is no such text
/// @throws Error naming the item, for cables that there are not
std::optional<SwitchPort> take_cable(std::string_view& text, const std::string& item,
                                     const SwitchGraph& graph);

/// An entry of the switches' tables: where packets leave a switch.
struct ListedRoute {
  enum class To : std::uint8_t { any, a_switch, a_host };
  To to = To::any;
  std::uint32_t number = 0;  ///< of the switch or host
  SwitchId at = 0;           ///< the switch that holds the entry
  std::size_t cable = 0;     ///< by which they leave, a number of SwitchGraph::cables()
  std::string text = {};     ///< as written
};
/// "switch 3 over 0-1": at switch 0, packets for the hosts at switch 3 leave over the cable to switch 1; also
/// "host 5 over 0.4" (by port 4 of switch 0) and "any over 0-1" (for all others).
/// @throws Error naming the item, also for a port that no cable to another switch is plugged into
std::vector<ListedRoute> listed_routes(const std::vector<std::string>& items, const SwitchGraph& graph);

/// Whether what has failed may come back.
enum class Recovery : std::uint8_t { none, possible };
/// "cable 0.4 at 10 ms", "cable 0-1 at 10 ms", "switch 7 at 2 s"; where recovery is possible also
/// "cable 0-1 at 10 ms for 5 ms".
/// @throws Error naming the item, also for faults of what there is not
NetworkFaults listed_faults(const std::vector<std::string>& items, const SwitchGraph& graph,
                            Recovery recovery = Recovery::none);

}  // namespace morgana
