#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "emulator/collectives/nccl/nccl_model.h"
#include "emulator/collectives/schedule.h"
#include "emulator/messaging/message_layer.h"
#include "emulator/platform/platform.h"
#include "replay/collective_graph.h"
#include "replay/link_measurement.h"
#include "replay/switch_units.h"
#include "traces/import/chakra.h"

namespace morgana {

/// CPUs that a rank or a switch of a graph has at most (GraphNode::cpu).
constexpr std::uint32_t most_graph_cpus = std::numeric_limits<std::uint16_t>::max();

/// Carries out the collectives of an execution trace by the platform's collectives.library.
class ChakraCollectives {
 public:
  /// All must outlive this.
  ChakraCollectives(const Platform& platform, const Placement& placement, std::uint64_t seed,
                    const chakra::Trace& trace);

  /// How collectives are carried out.
  struct Way {
    std::string text;      ///< "ALL_REDUCE of 64.00 MiB on 16 ranks by ring simple"
    double bus_bytes = 0;  ///< of one, as busbw counts them; 0 where it is not defined
  };
  /// Each once, in the order of the first collective.
  const std::vector<Way>& ways() const { return ways_; }
  /// Of a group's i-th collective, in ways(); 0 if it moves nothing.
  std::uint32_t way_of(std::uint32_t group, std::size_t i) const { return groups_[group].ways[i]; }
  /// What a group needs for all of its collectives.
  std::uint32_t cpus(std::uint32_t group) const { return groups_[group].cpus; }
  /// Adds a member's part. @param place  but for its members, member and tags
  /// @param last  gets the nodes with whose ends the part has ended; empty: it ends at once
  void add(const chakra::Collective& collective, Rank rank, CollectivePlace place, RankGraphBuilder& builder,
           std::vector<std::uint32_t>& last);
  /// Switches that add up for at least one collective: each is a rank of the graph behind the trace's, in
  /// this order. A switch stands here as often as a collective has units in it.
  const std::vector<SwitchId>& switches() const { return switches_; }
  /// All that a switch does. @param unit  below switches().size()
  RankGraph graph_of_switch(std::size_t unit, RankGraphBuilder& builder) const;

 private:
  struct OfGroup {
    std::vector<Rank> members;
    nccl::GpuLayout layout;
    nccl::LinkRates rates;
    std::uint32_t cpus = 1, first_tag = 0;
    std::vector<std::uint32_t> ways;  ///< by collective
    SwitchUnitPlaces units;
    /// By the plan's ranks: members, and behind them units, where a collective uses them.
    std::vector<Rank> all;
  };
  void prepare(std::uint32_t number, std::uint32_t& next_tag);
  void find_units(OfGroup& group);
  void give_ranks_to_units(OfGroup& group);
  bool moves_nothing(const OfGroup& group, const chakra::Collective& collective) const {
    return group.members.size() < 2 ||
           (collective.bytes == 0 && collective.type != chakra::CollectiveType::barrier);
  }
  bool by_graph(chakra::CollectiveType type) const;
  std::string way_of(const OfGroup& group, const chakra::Collective& collective) const;
  CollectivePart part_of(const OfGroup& group, const chakra::Collective& collective) const;
  nccl::Plan plan_for(const OfGroup& group, const chakra::Collective& collective) const;
  nccl::GpuLayout layout_of(const std::vector<Rank>& members) const;
  std::int64_t node_of(Rank rank) const { return places_.nodes[index(rank)]; }
  void measure_links(OfGroup& group);
  const MeasuredLink& link(std::optional<MeasuredLink>& known, Rank from, Rank to) const;
  void make_steps(const OfGroup& group, const chakra::Collective& collective, std::int32_t member);
  void make_linear_steps(const OfGroup& group, const chakra::Collective& collective, std::int32_t member);
  void add_steps(const OfGroup& group, const CollectivePlace& place, RankGraphBuilder& builder,
                 std::vector<std::uint32_t>& last) const;

  const Platform& platform_;
  const Placement& placement_;
  std::uint64_t seed_;
  const chakra::Trace& trace_;
  bool nccl_;
  nccl::Parameters parameters_;
  GpuPlaces places_;  ///< by rank; empty with MPI's collectives
  std::vector<SwitchId> switches_;
  MessageLayer messages_;
  CollectiveTuning tuning_;
  std::vector<OfGroup> groups_;
  std::vector<Way> ways_;
  std::optional<MeasuredLink> near_, far_;  ///< within a node, and from one to another
  Schedule schedule_;                       // scratch
};

}  // namespace morgana
