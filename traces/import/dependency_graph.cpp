#include "traces/import/dependency_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "emulator/core/error.h"

namespace morgana {
namespace {

/// Bytes of nodes from which on one array for all ranks is worth it.
constexpr std::size_t least_gathered = 4 << 20;

/// @throws Error if there are none, or too many
std::uint32_t checked_number(const std::filesystem::path& file, std::size_t ranks, std::uint64_t nodes) {
  if (nodes == 0)
    throw Error(
        fmt::format("{}: a schedule of {} rank{} that do nothing: give each rank's block at least one calc, "
                    "send or recv",
                    file.string(), ranks, ranks == 1 ? "" : "s"));
  if (nodes > most_nodes)
    throw Error(
        fmt::format("{}: {} nodes; {} are the most: split the schedule", file.string(), nodes, most_nodes));
  return static_cast<std::uint32_t>(nodes);
}

}  // namespace

void RankGraphBuilder::renumber(std::span<const std::uint32_t> numbers) {
  std::vector<std::uint32_t> fresh(numbers.size());
  std::vector<GraphNode> nodes(numbers.size());
  for (std::uint32_t i = 0; i < numbers.size(); ++i) {
    fresh[numbers[i]] = i;
    nodes[i] = nodes_[numbers[i]];
  }
  nodes_ = std::move(nodes);
  for (Requirement& one : requirements_) {
    one.node = fresh[one.node];
    one.on = fresh[one.on >> 1] << 1 | (one.on & 1);
  }
}

/// A counting sort: first how many follow each node's start and end, then where they stand.
RankGraph RankGraphBuilder::finish() {
  RankGraph graph;
  graph.own_nodes_.assign(nodes_.begin(), nodes_.end());
  for (const Requirement& one : requirements_) {
    ++graph.own_nodes_[one.node].waits_for;
    GraphNode& on = graph.own_nodes_[one.on >> 1];
    ++((one.on & 1) != 0 ? on.start_follow : on.end_follow);
  }
  // Each place is filled from its end to its begin.
  std::uint32_t place = 0;
  for (GraphNode& node : graph.own_nodes_) {
    node.start_follow = place += node.start_follow;
    node.end_follow = place += node.end_follow;
  }
  graph.own_followers_.resize(requirements_.size());
  for (const Requirement& one : requirements_) {
    GraphNode& on = graph.own_nodes_[one.on >> 1];
    graph.own_followers_[--((one.on & 1) != 0 ? on.start_follow : on.end_follow)] = one.node;
  }
  graph.nodes_ = graph.own_nodes_;
  graph.followers_ = graph.own_followers_;
  find_cycle(graph);
  nodes_.clear();
  requirements_.clear();
  return graph;
}

/// Nodes are taken away when nothing that they wait for is left. If some remain, each of them waits for
/// another one that remains: whoever goes from one to the next comes round.
void RankGraphBuilder::find_cycle(const RankGraph& graph) {
  cycle_.reset();
  const std::span<const GraphNode> nodes = graph.nodes();
  missing_.clear();
  ready_.clear();
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    missing_.push_back(nodes[i].waits_for);
    if (nodes[i].waits_for == 0) ready_.push_back(i);
  }
  std::size_t taken = 0;
  for (; !ready_.empty(); ++taken) {
    const std::uint32_t node = ready_.back();
    ready_.pop_back();
    for (const auto& followers : {graph.wait_for_start(node), graph.wait_for_end(node)})
      for (const std::uint32_t one : followers)
        if (--missing_[one] == 0) ready_.push_back(one);
  }
  if (taken == nodes.size()) return;
  std::vector<std::uint32_t> waits_for(nodes.size());
  for (const Requirement& one : requirements_)
    if (missing_[one.on >> 1] > 0) waits_for[one.node] = one.on >> 1;
  auto node = static_cast<std::uint32_t>(
      std::ranges::find_if(missing_, [](std::uint32_t missing) { return missing > 0; }) - missing_.begin());
  for (std::size_t i = 0; i < nodes.size(); ++i) node = waits_for[node];
  cycle_ = node;
  for (std::uint32_t next = waits_for[node]; next != node; next = waits_for[next])
    cycle_ = std::min(*cycle_, next);
}

DependencyGraph::DependencyGraph(std::filesystem::path file, std::vector<RankGraph> ranks, Where where)
    : file_(std::move(file)), ranks_(std::move(ranks)), where_(std::move(where)) {
  std::uint64_t nodes = 0;
  for (const RankGraph& rank : ranks_) {
    nodes += rank.nodes().size();
    for (const GraphNode& node : rank.nodes()) {
      cpus_ = std::max<std::size_t>(cpus_, node.cpu + std::size_t{1});
      nics_ = std::max<std::size_t>(nics_, node.nic + std::size_t{1});
    }
  }
  nodes_ = checked_number(file_, ranks_.size(), nodes);
  const auto is_large = [](const RankGraph& rank) {
    return rank.nodes().size() * sizeof(GraphNode) >= least_gathered;  // it has large pages for itself
  };
  if (nodes * sizeof(GraphNode) >= least_gathered && std::ranges::none_of(ranks_, is_large)) gather();
}

DependencyGraph::DependencyGraph(std::filesystem::path file, std::unique_ptr<const GraphRule> rule)
    : file_(std::move(file)), rule_(std::move(rule)), cpus_(rule_->cpus()) {
  std::uint64_t nodes = 0;
  for (std::size_t rank = 0; rank < rule_->ranks(); ++rank) nodes += rule_->nodes(rank);
  nodes_ = checked_number(file_, rule_->ranks(), nodes);
}

std::string DependencyGraph::where(std::size_t rank, std::uint32_t node) const {
  if (rule_ == nullptr) return where_(rank, node);
  return fmt::format("{}, {} of rank {}", file_.string(), rule_->describe(rank, node), rank);
}

void DependencyGraph::gather() {
  std::size_t followers = 0;
  for (const RankGraph& rank : ranks_) followers += rank.followers_.size();
  all_nodes_.reserve(nodes_);
  all_followers_.reserve(followers);
  for (RankGraph& rank : ranks_) {
    const std::size_t node = all_nodes_.size(), follower = all_followers_.size();
    all_nodes_.insert(all_nodes_.end(), rank.nodes_.begin(), rank.nodes_.end());
    all_followers_.insert(all_followers_.end(), rank.followers_.begin(), rank.followers_.end());
    rank.nodes_ = std::span(all_nodes_).subspan(node);
    rank.followers_ = std::span(all_followers_).subspan(follower);
    rank.own_nodes_ = LargeVector<GraphNode>();
    rank.own_followers_ = LargeVector<std::uint32_t>();
  }
}

}  // namespace morgana
