#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "traces/import/dependency_graph.h"

namespace morgana {

/// The nodes of all ranks of a graph in one line, rank by rank: of a rule, every number that a node could
/// have.
class GraphNumbers {
 public:
  using Node = std::uint32_t;

  /// @param graph  its rule must outlive this
  explicit GraphNumbers(const DependencyGraph& graph) : rule_(graph.rule()) {
    for (std::size_t i = 0; i < graph.ranks(); ++i) {
      first_.push_back(count_);
      count_ += rule_ != nullptr ? rule_->numbers() : static_cast<Node>(graph.rank(i).nodes().size());
    }
    first_.push_back(count_);
    const std::size_t average = count_ / graph.ranks();
    block_bits_ = static_cast<unsigned>(std::bit_width(std::max<std::size_t>(average, 1)));
    for (std::size_t i = 0; i < graph.ranks(); ++i) {
      const std::size_t blocks = (first_[i + 1] + (std::size_t{1} << block_bits_) - 1) >> block_bits_;
      rank_near_.resize(std::max(rank_near_.size(), blocks), static_cast<std::uint32_t>(i));
    }
  }

  Node count() const { return count_; }
  Node first(Rank rank) const { return first_[index(rank)]; }
  /// Behind the rank's last one.
  Node end(Rank rank) const { return first_[index(rank) + 1]; }
  /// Of the block's first node, or a later one's: then this one's rank is found at once.
  Rank rank_of(Node node) const {
    std::uint32_t rank = rank_near_[node >> block_bits_];
    while (node >= first_[rank + 1]) ++rank;
    return Rank{static_cast<std::int32_t>(rank)};
  }
  bool is_node(Rank rank, Node node) const {
    return rule_ == nullptr || rule_->has(index(rank), node - first_[index(rank)]);
  }

 private:
  const GraphRule* rule_;
  Node count_ = 0;
  std::vector<Node> first_;               ///< by rank; then how many there are
  std::vector<std::uint32_t> rank_near_;  ///< by block of nodes: the rank of its first
  unsigned block_bits_ = 0;
};

}  // namespace morgana
