#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/core/end_of_time.h"
#include "traces/import/dependency_graph.h"

namespace morgana {

/// A rank's graph while it is appended to, and which nodes are posted together.
class ChainedGraph {
 public:
  explicit ChainedGraph(RankGraphBuilder& graph) : graph_(graph) {}

  std::uint32_t add(const GraphNode& node, std::uint32_t batch) {
    order_.push_back(std::uint64_t{batch} << 1 | (node.kind == GraphNode::Kind::receive ? 1U : 0U));
    graph_.add(node);
    return graph_.size() - 1;
  }
  void require(std::uint32_t node, std::uint32_t on, bool start) { graph_.require(node, on, start); }
  std::uint32_t next_batch() { return batches_++; }
  GraphNode& node(std::uint32_t number) { return graph_.node(number); }

  /// Numbers the sends of each batch before its receives: as in a program that posts them and then waits, the
  /// work of the sends comes before that of receives whose message is there already.
  void renumber() {
    std::vector<std::uint32_t> numbers(order_.size());
    for (std::uint32_t i = 0; i < numbers.size(); ++i) numbers[i] = i;
    std::ranges::stable_sort(numbers, {}, [this](std::uint32_t i) { return order_[i]; });
    graph_.renumber(numbers);
  }

 private:
  RankGraphBuilder& graph_;
  std::vector<std::uint64_t> order_;
  std::uint32_t batches_ = 0;
};

/// Appends to a rank's graph what the rank does one thing after the other: each node starts once the one
/// before it has started (a calculation: ended) and all that was awaited since has ended. Messages without a
/// calculation or a wait in between are a batch, in which sends follow each other, and receives do.
class GraphChain {
 public:
  explicit GraphChain(ChainedGraph& graph) : graph_(&graph), batch_(graph.next_batch()) {}

  /// A chain of a CPU of its own that starts where this one is.
  GraphChain on_cpu(std::uint16_t cpu) const {
    GraphChain other = *this;
    other.cpu_ = cpu;
    other.computing_ = SimTime();
    return other;
  }

  /// @return the node's number, until ChainedGraph::renumber()
  std::uint32_t message(GraphNode::Kind kind, Rank peer, Tag tag, Bytes bytes) {
    flush();
    GraphNode node;
    node.kind = kind;
    node.cpu = cpu_;
    node.peer = peer;
    node.tag = tag;
    node.amount = bytes.count();
    const std::uint32_t number = graph_->add(node, batch_);
    const bool sends = kind == GraphNode::Kind::send;
    std::optional<std::uint32_t>& before = sends ? last_send_ : last_receive_;
    // A send behind a receive alone needs its CPU in the instant in which that is posted.
    if (!before && !sends) before = last_send_;
    if (before)
      graph_->require(number, *before, true);
    else
      require_gate(number);
    before = number;
    return number;
  }
  /// Time becomes a node only where something follows it. @throws TimePastEnd
  void compute(SimTime time) { computing_ = time_before_end(computing_ + time); }
  /// What comes next starts when the node has ended.
  void await(std::uint32_t node) {
    flush();
    end_batch();
    ends_.push_back(node);
  }
  /// Makes a calculation of the whole nanoseconds that were computed; the rest stays.
  void flush() {
    const std::int64_t whole = computing_.ps() / 1000 * 1000;
    if (whole == 0) return;
    computing_ = computing_ - SimTime::from_ps(whole);
    GraphNode node;
    node.amount = whole;
    node.cpu = cpu_;
    end_batch();
    const std::uint32_t number = graph_->add(node, batch_);
    require_gate(number);
    starts_.clear();
    ends_.assign(1, number);
    batch_ = graph_->next_batch();
  }
  /// The nodes whose end what comes next requires.
  const std::vector<std::uint32_t>& ends() const { return ends_; }

 private:
  /// All that is posted from here on requires what was posted.
  void end_batch() {
    if (!last_send_ && !last_receive_) return;
    starts_.clear();
    ends_.clear();
    if (last_send_) starts_.push_back(*last_send_);
    if (last_receive_) starts_.push_back(*last_receive_);
    last_send_.reset();
    last_receive_.reset();
    batch_ = graph_->next_batch();
  }
  void require_gate(std::uint32_t number) {
    std::ranges::sort(ends_);
    ends_.erase(std::unique(ends_.begin(), ends_.end()), ends_.end());
    for (const std::uint32_t one : ends_) graph_->require(number, one, false);
    for (const std::uint32_t one : starts_)
      if (!std::ranges::binary_search(ends_, one)) graph_->require(number, one, true);
  }

  ChainedGraph* graph_;
  std::uint32_t batch_;
  std::optional<std::uint32_t> last_send_, last_receive_;  ///< of the batch
  std::vector<std::uint32_t> starts_, ends_;               ///< that the batch requires
  SimTime computing_;
  std::uint16_t cpu_ = 0;
};

}  // namespace morgana
