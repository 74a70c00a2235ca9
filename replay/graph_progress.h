#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "replay/graph_numbers.h"
#include "traces/import/dependency_graph.h"

namespace morgana {

/// How far a graph has come in a run: what each node still waits for, which parts of sends are done, and when
/// ranks have ended. Nodes are numbered among those of all ranks, by rank.
class GraphProgress {
 public:
  using Node = GraphNumbers::Node;
  enum class Part : std::uint8_t {
    worked = 1,     ///< of a send: its CPU has done its part
    went = 2,       ///< its message has left, or has been asked for
    unwritten = 4,  ///< its thread is suspended (Messenger::Suspended::thread)
  };

  /// @param graph  must outlive this
  explicit GraphProgress(const DependencyGraph& graph);

  /// No node has started. @return those that wait for nothing, which are ready
  std::vector<Node> begin_run();
  /// What waits for its start and for nothing else is appended to `ready`.
  void start(Rank rank, Node node, std::vector<Node>& ready) {
    remaining_[node] = started;
    if (rule_ != nullptr)
      return follow_rule(rank, rule_->waits_for_start(index(rank), within(rank, node)), ready);
    const OfRank& of_rank = ranks_[index(rank)];
    const GraphNode* const what = of_rank.nodes + within(rank, node);
    __builtin_prefetch(of_rank.followers + what->end_follow);
    go_on(of_rank, what->start_follow, what->end_follow, ready);
  }
  /// What waits for its end is looked at in follow_ends().
  void end(Rank rank, Node node, SimTime now) {
    remaining_[node] = ended;
    OfRank& of_rank = ranks_[index(rank)];
    of_rank.end = now;
    --of_rank.left;
    ++done_;
    ended_.push_back({rank, node - of_rank.first});
  }
  bool any_ended() const { return !ended_.empty(); }
  /// What waits for the ends since the last time and for nothing else is appended to `ready`. Many nodes end
  /// in one instant, and hardly anything that these look-ups touch is in a cache: each kind of it is fetched
  /// for several nodes at once.
  void follow_ends(std::vector<Node>& ready);
  /// @return whether the send is done
  bool add(Node node, Part part) {
    remaining_[node] |= static_cast<std::uint32_t>(part);
    return remaining_[node] == done_send;
  }
  void remove(Node node, Part part) { remaining_[node] &= ~static_cast<std::uint32_t>(part); }
  bool has(Node node, Part part) const { return (remaining_[node] & static_cast<std::uint32_t>(part)) != 0; }
  bool has_started(Node node) const { return (remaining_[node] & started) != 0; }
  bool has_ended(Node node) const { return (remaining_[node] & ended) == ended; }
  bool has_follower(Rank rank, Node node) const;

  bool rank_has_ended(Rank rank) const { return ranks_[index(rank)].left == 0; }
  std::vector<SimTime> ends() const;
  void begin_at(SimTime start);
  /// Nodes that have ended.
  std::uint32_t done() const { return done_; }

  std::size_t ranks() const { return ranks_.size(); }
  Node first(Rank rank) const { return ranks_[index(rank)].first; }
  /// Behind the rank's last one.
  Node behind(Rank rank) const { return numbers_.end(rank); }
  bool is_node(Rank rank, Node node) const { return numbers_.is_node(rank, node); }
  Rank rank_of(Node node) const { return numbers_.rank_of(node); }
  std::uint32_t within(Rank rank, Node node) const { return node - ranks_[index(rank)].first; }
  /// It is needed soon.
  void prefetch(Rank rank, Node node) const {
    __builtin_prefetch(remaining_.data() + node);
    if (const OfRank& of_rank = ranks_[index(rank)]; of_rank.nodes != nullptr)
      __builtin_prefetch(of_rank.nodes + (node - of_rank.first));
  }
  /// @param computed  where a node is put that isn't stored
  const GraphNode& at(Rank rank, Node node, GraphNode& computed) const {
    if (rule_ == nullptr) [[likely]] {
      const OfRank& of_rank = ranks_[index(rank)];
      return of_rank.nodes[node - of_rank.first];
    }
    return computed = rule_->node(index(rank), within(rank, node));
  }
  /// Its kind and CPU alone where it isn't stored.
  const GraphNode& shape_of(Rank rank, Node node, GraphNode& computed) const {
    if (rule_ == nullptr) [[likely]]
      return at(rank, node, computed);
    return computed = rule_->shape(within(rank, node));
  }

 private:
  // What remaining_ holds of a node that has started: `started` and the parts that are done.
  static constexpr std::uint32_t started = std::uint32_t{1} << 31, ended = started | std::uint32_t{1} << 30,
                                 done_send = started | 3;
  /// In one place: a run comes from one rank to another at each event.
  struct OfRank {
    const GraphNode* nodes = nullptr;
    const std::uint32_t* followers = nullptr;
    Node first = 0;
    std::uint32_t count = 0, follower_count = 0;
    std::uint32_t left = 0;  ///< nodes that have not ended
    SimTime end;             ///< of the last that has
  };

  void go_on(const OfRank& rank, std::uint32_t from, std::uint32_t to, std::vector<Node>& ready) {
    for (std::uint32_t i = from; i < to; ++i) {
      const Node node = rank.first + rank.followers[i];
      if (--remaining_[node] > 0) continue;
      __builtin_prefetch(rank.nodes + rank.followers[i]);
      ready.push_back(node);
    }
  }
  /// Of a rule: it has waited for nothing else.
  void follow_rule(Rank rank, std::uint32_t follower, std::vector<Node>& ready) const {
    if (follower != GraphRule::no_node) ready.push_back(first(rank) + follower);
  }

  const DependencyGraph& graph_;
  const GraphRule* rule_;  ///< of the graph; null: it is stored
  GraphNumbers numbers_;
  /// By node: how many it waits for, or `started` and more. Of a rule's node: 0 until it has started.
  LargeVector<std::uint32_t> remaining_;
  struct Ended {
    Rank rank;
    std::uint32_t number;  ///< within its rank
  };
  std::vector<Ended> ended_;  ///< whose followers have not been looked at
  std::vector<OfRank> ranks_;
  std::uint32_t done_ = 0;
};

}  // namespace morgana
