#include "replay/graph_progress.h"

#include <algorithm>
#include <array>
#include <span>

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
  ended_.clear();
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

void GraphProgress::follow_ends(std::vector<Node>& ready) {
  constexpr std::size_t at_once = 16;
  struct Followers {
    const OfRank* rank;
    std::uint32_t from, to;
  };
  std::array<Followers, at_once> followers;
  for (std::size_t first = 0; first < ended_.size(); first += at_once) {
    const auto some = std::span(ended_).subspan(first, std::min(at_once, ended_.size() - first));
    if (rule_ != nullptr) {
      for (const auto& [rank, number] : some)
        follow_rule(rank, rule_->waits_for_end(index(rank), number), ready);
      continue;
    }
    for (const auto& [rank, number] : some) {
      const GraphNode* const node = ranks_[index(rank)].nodes + number;
      __builtin_prefetch(node);
      __builtin_prefetch(node + 1);  // where its followers end
    }
    for (std::size_t i = 0; i < some.size(); ++i) {
      const OfRank& rank = ranks_[index(some[i].rank)];
      const std::uint32_t number = some[i].number;
      followers[i] = {&rank, rank.nodes[number].end_follow,
                      number + 1 < rank.count ? rank.nodes[number + 1].start_follow : rank.follower_count};
      __builtin_prefetch(rank.followers + followers[i].from);
    }
    for (std::size_t i = 0; i < some.size(); ++i)
      for (std::uint32_t one = followers[i].from; one < followers[i].to; ++one)
        __builtin_prefetch(remaining_.data() + followers[i].rank->first + followers[i].rank->followers[one]);
    for (std::size_t i = 0; i < some.size(); ++i)
      go_on(*followers[i].rank, followers[i].from, followers[i].to, ready);
  }
  ended_.clear();
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
