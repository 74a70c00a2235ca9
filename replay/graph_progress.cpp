#include "replay/graph_progress.h"

namespace morgana {

GraphProgress::GraphProgress(const DependencyGraph& graph)
    : graph_(graph), rule_(graph.rule()), numbers_(graph), ranks_(graph.ranks()) {
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    OfRank& rank = ranks_[i];
    rank.first = numbers_.first(Rank{static_cast<std::int32_t>(i)});
    if (rule_ != nullptr) {
      rank.left = rule_->nodes(i);
      continue;
    }
    const RankGraph& stored = graph.rank(i);
    rank.nodes = stored.nodes().data();
    rank.followers = stored.followers().data();
    rank.count = rank.left = static_cast<std::uint32_t>(stored.nodes().size());
    rank.follower_count = static_cast<std::uint32_t>(stored.followers().size());
  }
}

std::vector<GraphProgress::Node> GraphProgress::begin_run() {
  std::vector<Node> ready;
  done_ = 0;
  remaining_.clear();
  if (rule_ != nullptr)
    remaining_.assign(numbers_.count(), 0);
  else
    remaining_.reserve(graph_.nodes());
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    OfRank& rank = ranks_[i];
    if (rule_ != nullptr) {
      rank.left = rule_->nodes(i);
      for (const std::uint32_t node : rule_->first_nodes(i)) ready.push_back(rank.first + node);
      continue;
    }
    rank.left = rank.count;
    for (const GraphNode& node : graph_.rank(i).nodes()) {
      if (node.waits_for == 0) ready.push_back(static_cast<Node>(remaining_.size()));
      remaining_.push_back(node.waits_for);
    }
  }
  return ready;
}

bool GraphProgress::has_follower(Rank rank, Node node) const {
  const std::uint32_t number = within(rank, node);
  return rule_ == nullptr ? !graph_.rank(index(rank)).wait_for_end(number).empty()
                          : rule_->waits_for_end(index(rank), number) != GraphRule::no_node;
}

std::vector<SimTime> GraphProgress::ends() const {
  std::vector<SimTime> all;
  for (const OfRank& rank : ranks_) all.push_back(rank.end);
  return all;
}

/// Ranks without nodes have ended then.
void GraphProgress::begin_at(SimTime start) {
  for (OfRank& rank : ranks_)
    if (rank.left == 0) rank.end = start;
}

}  // namespace morgana
