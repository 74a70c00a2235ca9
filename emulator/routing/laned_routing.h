#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/routing/destination_table.h"
#include "emulator/routing/routing.h"

namespace morgana {

/// The virtual channels of ways: one for each pair of the switch where packets enter and their row of a
/// DestinationTable, from end to end.
struct Lanes {
  unsigned count = 1;
  std::vector<VirtualChannel> of = {};  ///< by row, then by switch; empty: all on 0
};

/// That a VirtualChannel can number.
inline constexpr unsigned most_lanes = 255;

/// Ways need more virtual channels than they may use.
class TooFewLanes : public Error {
 public:
  TooFewLanes(const char* routes, unsigned most);
};

/// Ways from all switches with hosts are looked at, up to 2^25: the steps and the memory that DFSSSP's lanes
/// take.
/// @param table  with rows of hosts. @param routes  their name, for the error. @throws Error for more
void require_few_ways(const char* routes, const SwitchGraph& graph, const DestinationTable& table);
/// Likewise, up to 2^28 pairs of cables that follow each other on a way: the steps that LASH's lanes take.
/// @param table  with rows of switches
void require_few_dependencies(const char* routes, const SwitchGraph& graph, const DestinationTable& table);

/// DFSSSP: all ways begin on channel 0. While ways on a channel can wait for each other in a cycle, all that
/// make its weakest dependency (that of the fewest pairs of hosts; of equal ones the first by channels) move
/// to the next channel; then that one is looked at. Source: Domke, Hoefler and Nagel, "Deadlock-Free
/// Oblivious Routing for Arbitrary Topologies", IEEE IPDPS 2011. Left out: spreading ways over channels that
/// are not needed.
/// @throws TooFewLanes for more than `most` channels, and Error as require_few_ways()
Lanes dfsssp_lanes(const SwitchGraph& graph, const DestinationTable& table, unsigned most = most_lanes);

/// LASH: pairs of switches with hosts, by their numbers, both directions together, go to the first channel on
/// which they close no cycle. Source: Skeie, Lysne and Theiss, "Layered Shortest Path (LASH) Routing in
/// Irregular System Area Networks", IPDPS 2002; both directions together as OpenSM has it. Left out:
/// balancing the channels, and OpenSM's option do_mesh_analysis, which takes pairs in another order on a
/// mesh.
/// @param table  with rows of switches, of shortest ways
/// @throws TooFewLanes for more than `most` channels, and Error as require_few_dependencies()
Lanes lash_lanes(const SwitchGraph& graph, const DestinationTable& table, unsigned most = most_lanes);

/// Ways by a table, each on its virtual channel.
class LanedRouting final : public Routing {
 public:
  LanedRouting(const SwitchGraph& graph, DestinationTable table, Lanes lanes = {});

  std::optional<RoutingChoice> choose(const RoutedPacket& packet, const OutputLoads& loads) const override;
  void for_every_choice(const RoutedPacket& packet, const VisitChoice& visit) const override;
  unsigned virtual_channels() const override { return lanes_.count; }
  bool looks_at_inputs() const override { return lanes_.count > 1; }
  bool tells_hosts_apart() const override { return table_.row_for_each_host(); }

 private:
  DestinationTable table_;
  Lanes lanes_;
  std::vector<CableChannel> first_port_;  // by switch
  std::vector<bool> leads_to_host_;       // by channel that a switch sends on
};

std::shared_ptr<const Routing> sssp_routing(const SwitchGraph& graph, const ChannelFilter& usable);
std::shared_ptr<const Routing> dfsssp_routing(const SwitchGraph& graph, const ChannelFilter& usable,
                                              unsigned most = most_lanes);
std::shared_ptr<const Routing> lash_routing(const SwitchGraph& graph, const ChannelFilter& usable,
                                            unsigned most = most_lanes);

}  // namespace morgana
