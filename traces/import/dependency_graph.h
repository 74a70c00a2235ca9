#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "emulator/core/large_pages.h"
#include "emulator/operations/operation.h"

namespace morgana {

/// One thing that a rank of a schedule does. 32 bytes: a schedule may have a hundred million.
/// It starts once all that it waits for has happened and its resource is free: a computation, the work of a
/// send and the work of a completed receive take the rank's CPU number `cpu`; messages leave by the rank's
/// NIC number `nic`. A receive is posted as soon as all that it waits for has happened.
struct GraphNode {
  /// Collectives of groups would be a kind of their own, whose members meet in a context.
  enum class Kind : std::uint8_t { compute, send, receive };
  std::int64_t amount = 0;         ///< compute: picoseconds, else bytes; >= 0
  Rank peer = any_rank;            ///< of a send; of a receive, which may take any
  Tag tag = any_tag;               ///< unsigned; any_tag (4294967295) only of a receive
  std::uint32_t waits_for = 0;     ///< ends and starts of nodes of the same rank
  std::uint32_t start_follow = 0;  ///< RankGraph::followers, from here on: those that wait for its start,
  std::uint32_t end_follow = 0;    ///< and from here on: those that wait for its end
  std::uint16_t cpu = 0;
  std::uint8_t nic = 0;
  Kind kind = Kind::compute;
};
static_assert(sizeof(GraphNode) == 32);

/// What one rank does. Nodes that want the same resource at the same time get it in the order in which they
/// became ready, those of one instant by number. Numbers follow from names and contents, not from the places
/// of lines in a file.
class RankGraph {
 public:
  RankGraph() = default;
  RankGraph(RankGraph&&) = default;
  RankGraph& operator=(RankGraph&&) = default;

  std::span<const GraphNode> nodes() const { return nodes_; }
  /// Of all nodes: GraphNode::start_follow and end_follow are places in it.
  std::span<const std::uint32_t> followers() const { return followers_; }
  std::span<const std::uint32_t> wait_for_start(std::uint32_t node) const {
    return between(nodes_[node].start_follow, nodes_[node].end_follow);
  }
  std::span<const std::uint32_t> wait_for_end(std::uint32_t node) const {
    return between(nodes_[node].end_follow, node + 1 < nodes_.size()
                                                ? nodes_[node + 1].start_follow
                                                : static_cast<std::uint32_t>(followers_.size()));
  }

 private:
  friend class RankGraphBuilder;
  friend class DependencyGraph;
  std::span<const std::uint32_t> between(std::uint32_t begin, std::uint32_t end) const {
    return followers_.subspan(begin, end - begin);
  }
  std::span<const GraphNode> nodes_;
  std::span<const std::uint32_t> followers_;
  LargeVector<GraphNode> own_nodes_;  // these, until they are in the arrays of a DependencyGraph
  LargeVector<std::uint32_t> own_followers_;
};

/// Puts a rank's graph together; keeps its storage from rank to rank.
class RankGraphBuilder {
 public:
  static constexpr std::uint32_t most_nodes = (std::uint32_t{1} << 31) - 1;

  std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }
  /// Its number is size() before. @param node  without waits_for, start_follow and end_follow
  void add(const GraphNode& node) { nodes_.push_back(node); }
  GraphNode& node(std::uint32_t number) { return nodes_[number]; }
  /// @param node  starts only when `on` has started, or else ended
  void require(std::uint32_t node, std::uint32_t on, bool start) {
    requirements_.push_back({node, on << 1 | (start ? 1U : 0U)});
  }
  /// Node i becomes the one that had the number numbers[i].
  void renumber(std::span<const std::uint32_t> numbers);
  /// A node that waits, perhaps by way of others, for itself; nothing if there is none. After finish().
  std::optional<std::uint32_t> cycle() const { return cycle_; }
  /// The graph of all that has been added since the last one.
  RankGraph finish();

 private:
  struct Requirement {
    std::uint32_t node;
    std::uint32_t on;  ///< twice the number, and 1 more: its start
  };
  void find_cycle(const RankGraph& graph);

  std::vector<GraphNode> nodes_;
  std::vector<Requirement> requirements_;
  std::optional<std::uint32_t> cycle_;
  std::vector<std::uint32_t> missing_, ready_;  // scratch
};

/// Nodes that are computed from their numbers at each access instead of being stored: the
/// steps of a ring are alike, and there may be more of them than fit into memory. Each node waits for one
/// other node at most.
class GraphRule {
 public:
  static constexpr std::uint32_t no_node = ~std::uint32_t{0};

  GraphRule() = default;
  GraphRule(const GraphRule&) = delete;
  GraphRule& operator=(const GraphRule&) = delete;
  virtual ~GraphRule() = default;

  virtual std::size_t ranks() const = 0;
  /// The numbers of each rank's nodes are below this. Not every number has a node.
  virtual std::uint32_t numbers() const = 0;
  virtual std::uint32_t cpus() const = 0;
  virtual std::uint32_t nodes(std::size_t rank) const = 0;
  /// Those that wait for nothing, in ascending order.
  virtual std::vector<std::uint32_t> first_nodes(std::size_t rank) const = 0;
  virtual bool has(std::size_t rank, std::uint32_t number) const = 0;
  // Of a number that has a node:
  /// Its kind and its CPU alone.
  virtual GraphNode shape(std::uint32_t number) const = 0;
  virtual GraphNode node(std::size_t rank, std::uint32_t number) const = 0;
  /// The node that waits for this one's start, or for its end; no_node: there is none.
  virtual std::uint32_t waits_for_start(std::size_t rank, std::uint32_t number) const = 0;
  virtual std::uint32_t waits_for_end(std::size_t rank, std::uint32_t number) const = 0;
  /// For people: "lane 0, round 1, step 17, send".
  virtual std::string describe(std::size_t rank, std::uint32_t number) const = 0;
};

/// Of all ranks of a graph.
inline constexpr std::uint64_t most_nodes = 0xFFFF'FFF0;

/// A schedule of several ranks: no order but that of dependencies and resources.
class DependencyGraph {
 public:
  /// @param where  names a node for people: file, line, label
  using Where = std::function<std::string(std::size_t rank, std::uint32_t node)>;
  /// @throws Error if there are no nodes, or more than 4 billion
  DependencyGraph(std::filesystem::path file, std::vector<RankGraph> ranks, Where where);
  /// @param file  whose rule it is, in words  @param rule  all ranks' numbers together are at most 4 billion
  /// @throws Error if there are no nodes
  DependencyGraph(std::filesystem::path file, std::unique_ptr<const GraphRule> rule);

  const std::filesystem::path& file() const { return file_; }
  std::size_t ranks() const { return rule_ ? rule_->ranks() : ranks_.size(); }
  /// Of a graph that is stored.
  const RankGraph& rank(std::size_t rank) const { return ranks_[rank]; }
  /// Null: the graph is stored.
  const GraphRule* rule() const { return rule_.get(); }
  /// Of any graph. @param computed  where a node is put that isn't stored
  const GraphNode& node(std::size_t rank, std::uint32_t number, GraphNode& computed) const {
    if (rule_ == nullptr) [[likely]]
      return ranks_[rank].nodes()[number];
    computed = rule_->node(rank, number);
    return computed;
  }
  /// Its last ranks stand for switches that add up what others send, and are no part of the program: the
  /// numbers of the switches. @param switches  fewer than there are ranks
  void end_with_switches(std::vector<std::uint32_t> switches) { switches_ = std::move(switches); }
  const std::vector<std::uint32_t>& switches() const { return switches_; }
  std::size_t program_ranks() const { return ranks() - switches_.size(); }
  std::uint32_t nodes() const { return nodes_; }
  /// One more than the largest number of a CPU, or of a NIC, that any rank uses.
  std::size_t cpus() const { return cpus_; }
  std::size_t nics() const { return nics_; }
  std::string where(std::size_t rank, std::uint32_t node) const;

 private:
  std::filesystem::path file_;
  /// Puts all ranks' nodes into one array, rank by rank.
  void gather();

  std::unique_ptr<const GraphRule> rule_;
  std::vector<RankGraph> ranks_;
  LargeVector<GraphNode> all_nodes_;  // of a large graph
  LargeVector<std::uint32_t> all_followers_;
  Where where_;
  std::vector<std::uint32_t> switches_;
  std::uint32_t nodes_ = 0;
  std::size_t cpus_ = 1, nics_ = 1;
};

}  // namespace morgana
