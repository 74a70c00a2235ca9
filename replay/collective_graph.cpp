#include "replay/collective_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "emulator/collectives/nccl/nccl_pat.h"
#include "replay/rings/primitive_costs.h"
#include "replay/rings/ring_rule.h"

namespace morgana {
namespace {

/// Chunks of a tree that are on their way from a worker at a time (NCCL_STEPS).
constexpr std::uint32_t steps_under_way = 8;
/// Of a worker: its own, those of its receives and sends, and one for each step under way.
constexpr std::uint32_t cpus_of_worker = 3 + steps_under_way;
constexpr std::uint32_t no_node = ~std::uint32_t{0};

class GraphOfRank {
 public:
  /// @param place  null: the graph is all of the plan's ranks, and nothing else
  GraphOfRank(const nccl::Plan& plan, const nccl::Parameters& parameters, RankGraphBuilder& builder,
              const CollectivePlace* place = nullptr)
      : plan_(plan),
        parameters_(parameters),
        costs_(plan, parameters),
        hop_passes_beside_(plan.algorithm == nccl::Algorithm::tree ||
                           plan.algorithm == nccl::Algorithm::pat || is_in_network(plan.algorithm)),
        builder_(builder),
        place_(place),
        last_work_(nccl::workers_of(plan), no_node) {}

  RankGraph build(int rank) {
    add_all(rank);
    return builder_.finish();
  }

  void add_all(int rank) {
    std::fill(last_work_.begin(), last_work_.end(), no_node);
    nccl::for_each_primitive(plan_, rank, [&](const nccl::Primitive& one) { add(rank, one); });
  }

  /// Of a part in a place. A message that went to the same rank before has left before.
  void last_nodes(std::vector<std::uint32_t>& to) const {
    to.clear();
    for (const std::uint32_t work : last_work_)
      if (work != no_node) to.push_back(work);
    for (const LastSend& send : last_sends_) to.push_back(send.node);
  }

 private:
  std::uint32_t add_node(GraphNode::Kind kind, std::uint32_t cpu, std::int64_t amount) {
    GraphNode node;
    node.kind = kind;
    node.cpu = static_cast<std::uint16_t>(cpu + (place_ != nullptr ? place_->first_cpu : 0));
    node.amount = amount;
    builder_.add(node);
    return builder_.size() - 1;
  }

  std::uint32_t add_message(GraphNode::Kind kind, std::uint32_t cpu, int peer, std::uint32_t stream,
                            std::int64_t bytes, bool by_nvls) {
    Bytes wire = nccl::on_wire(plan_.protocol, Bytes(bytes));
    if (by_nvls) wire = Bytes(std::llround(static_cast<double>(wire.count()) / parameters_.nvls_efficiency));
    const std::uint32_t number = add_node(kind, cpu, wire.count());
    builder_.node(number).peer =
        place_ != nullptr ? place_->members[static_cast<std::size_t>(peer)] : Rank{peer};
    builder_.node(number).tag =
        Tag{static_cast<std::int32_t>(stream + (place_ != nullptr ? place_->first_tag : 0))};
    return number;
  }

  SimTime hop_of(int rank, const nccl::Primitive& one) const {
    SimTime time;
    if (one.asks) return time;
    for (const int to : one.to) time = std::max(time, costs_.hop(rank, to));
    return time;
  }

  SimTime work_of(int rank, const nccl::Primitive& one) const {
    const SimTime hop = hop_passes_beside_ ? SimTime() : hop_of(rank, one);
    if (one.asks) return hop;
    return hop + parameters_.pat_block * nccl::blocks_begun(plan_, one) +
           costs_.data(Bytes(one.bytes), !one.to.empty(), one.own && !one.from.empty() && !one.asked);
  }

  void add(int rank, const nccl::Primitive& one) {
    const std::uint32_t cpu = one.worker * cpus_of_worker;
    std::uint32_t& last = last_work_[one.worker];
    if (last == no_node) {
      const SimTime start = costs_.is_unit(rank) ? SimTime() : costs_.start();
      last = add_node(GraphNode::Kind::compute, cpu, start.ps());
      if (place_ != nullptr) builder_.require(last, place_->after, false);
    }
    const std::uint32_t work = add_node(GraphNode::Kind::compute, cpu, work_of(rank, one).ps());
    if (one.from.empty()) builder_.require(work, last, true);
    for (const int from : one.from) {
      const std::uint32_t receive =
          add_message(GraphNode::Kind::receive, cpu + 1, from, one.in_stream, one.asked ? 0 : one.bytes,
                      costs_.is_unit_of_node(rank) || costs_.is_unit_of_node(from));
      builder_.require(receive, last, true);
      builder_.require(work, receive, false);
    }
    last = work;
    std::uint32_t sent_after = work;
    if (hop_passes_beside_ && !one.to.empty()) {
      // A hop's time passes next to the work on the following chunks.
      sent_after = add_node(GraphNode::Kind::compute, cpu + 3 + next_step_++ % steps_under_way,
                            hop_of(rank, one).ps());
      builder_.require(sent_after, work, false);
    }
    for (const int to : one.to) {
      const std::uint32_t send =
          add_message(GraphNode::Kind::send, cpu + 2, to, one.out_stream, one.asks ? 0 : one.bytes,
                      costs_.is_unit_of_node(rank) || costs_.is_unit_of_node(to));
      builder_.require(send, sent_after, false);
      if (place_ != nullptr) note_send(one.worker, to, send);
    }
  }

  /// Rings and trees send to a few ranks again and again, a direct exchange once to each.
  void note_send(std::uint32_t worker, int to, std::uint32_t node) {
    if (plan_.algorithm != nccl::Algorithm::direct)
      for (LastSend& one : last_sends_)
        if (one.worker == worker && one.to == to) {
          one.node = node;
          return;
        }
    last_sends_.push_back({worker, to, node});
  }

  const nccl::Plan& plan_;
  const nccl::Parameters& parameters_;
  PrimitiveCosts costs_;
  bool hop_passes_beside_;
  std::uint32_t next_step_ = 0;
  struct LastSend {
    std::uint32_t worker;
    int to;
    std::uint32_t node;
  };
  RankGraphBuilder& builder_;
  const CollectivePlace* place_;
  std::vector<std::uint32_t> last_work_;  ///< by worker
  std::vector<LastSend> last_sends_;
};

std::string name_of(const nccl::Plan& plan) {
  return fmt::format("{} by {}", name_of(plan.collective), nccl::name_of(plan.algorithm));
}

}  // namespace

DependencyGraph graph_of(const nccl::Plan& plan, const nccl::Parameters& parameters) {
  if (plan.algorithm != nccl::Algorithm::ring) return stored_graph_of(plan, parameters);
  std::unique_ptr<const GraphRule> rule = rule_of_ring(plan, parameters);
  if (rule == nullptr) return stored_graph_of(plan, parameters);
  return {name_of(plan), std::move(rule)};
}

DependencyGraph stored_graph_of(const nccl::Plan& plan, const nccl::Parameters& parameters) {
  RankGraphBuilder builder;
  GraphOfRank of_rank(plan, parameters, builder);
  std::vector<RankGraph> ranks;
  for (int rank = 0; rank < plan.all_ranks(); ++rank) ranks.push_back(of_rank.build(rank));
  const std::string name = name_of(plan);
  return {name, std::move(ranks), [name](std::size_t rank, std::uint32_t node) {
            return fmt::format("{}, step {} of rank {}", name, node, rank);
          }};
}

std::uint32_t cpus_of(const nccl::Plan& plan) {
  return nccl::workers_of(plan) * cpus_of_worker;
}

void add_collective(const nccl::Plan& plan, const nccl::Parameters& parameters, const CollectivePlace& place,
                    RankGraphBuilder& builder, std::vector<std::uint32_t>& last) {
  GraphOfRank part(plan, parameters, builder, &place);
  part.add_all(place.member);
  part.last_nodes(last);
}

}  // namespace morgana
