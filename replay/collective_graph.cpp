#include "replay/collective_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

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
        costs_(parameters.costs_of(plan.algorithm, plan.protocol)),
        several_nodes_(plan.layout.nodes() > 1),
        is_tree_(plan.algorithm == nccl::Algorithm::tree),
        builder_(builder),
        place_(place),
        last_work_(nccl::workers_of(plan), no_node) {
    // The two ways of a tree, and of an exchange, have per_byte each for themselves.
    sharing_ = nccl::lanes_of(plan) * nccl::slices_of(plan);
  }

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
                            std::int64_t bytes) {
    const Bytes wire = nccl::on_wire(plan_.protocol, Bytes(bytes));
    const std::uint32_t number = add_node(kind, cpu, wire.count());
    builder_.node(number).peer =
        place_ != nullptr ? place_->members[static_cast<std::size_t>(peer)] : Rank{peer};
    builder_.node(number).tag =
        Tag{static_cast<std::int32_t>(stream + (place_ != nullptr ? place_->first_tag : 0))};
    return number;
  }

  SimTime hop_of(int rank, const nccl::Primitive& one) const {
    SimTime time;
    for (std::uint32_t i = 0; i < one.targets; ++i)
      time = std::max(time, plan_.layout.share_node(rank, one.to[i]) ? costs_.hop : costs_.network_hop);
    return time;
  }

  SimTime work_of(int rank, const nccl::Primitive& one) const {
    SimTime time = is_tree_ ? SimTime() : hop_of(rank, one);
    const Bytes worked = Bytes(one.bytes) * sharing_;
    const ByteCost per_byte = several_nodes_ ? costs_.network_per_byte : costs_.per_byte;
    if (one.targets > 0) time += per_byte.time_for(worked);
    if (one.own && one.sources > 0) time += parameters_.reduce_per_byte.time_for(worked);
    return time;
  }

  void add(int rank, const nccl::Primitive& one) {
    const std::uint32_t cpu = one.worker * cpus_of_worker;
    std::uint32_t& last = last_work_[one.worker];
    if (last == no_node) {
      last = add_node(GraphNode::Kind::compute, cpu, (parameters_.launch + costs_.start).ps());
      if (place_ != nullptr) builder_.require(last, place_->after, false);
    }
    const std::uint32_t work = add_node(GraphNode::Kind::compute, cpu, work_of(rank, one).ps());
    if (one.sources == 0) builder_.require(work, last, true);
    for (std::uint32_t i = 0; i < one.sources; ++i) {
      const std::uint32_t receive =
          add_message(GraphNode::Kind::receive, cpu + 1, one.from[i], one.in_stream, one.bytes);
      builder_.require(receive, last, true);
      builder_.require(work, receive, false);
    }
    last = work;
    std::uint32_t sent_after = work;
    if (is_tree_ && one.targets > 0) {
      // A hop's time passes next to the work on the following chunks.
      sent_after = add_node(GraphNode::Kind::compute, cpu + 3 + next_step_++ % steps_under_way,
                            hop_of(rank, one).ps());
      builder_.require(sent_after, work, false);
    }
    for (std::uint32_t i = 0; i < one.targets; ++i) {
      const std::uint32_t send =
          add_message(GraphNode::Kind::send, cpu + 2, one.to[i], one.out_stream, one.bytes);
      builder_.require(send, sent_after, false);
      if (place_ != nullptr) note_send(one.worker, one.to[i], send);
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
  const nccl::Costs& costs_;
  bool several_nodes_, is_tree_;
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
  std::int64_t sharing_ = 1;
};

}  // namespace

DependencyGraph graph_of(const nccl::Plan& plan, const nccl::Parameters& parameters) {
  RankGraphBuilder builder;
  GraphOfRank of_rank(plan, parameters, builder);
  std::vector<RankGraph> ranks;
  for (int rank = 0; rank < plan.layout.ranks; ++rank) ranks.push_back(of_rank.build(rank));
  const std::string name = fmt::format("{} by {}", name_of(plan.collective), nccl::name_of(plan.algorithm));
  return {name, std::move(ranks), [name](std::size_t rank, std::uint32_t node) {
            return fmt::format("{}, step {} of rank {}", name, node, rank);
          }};
}

std::uint32_t cpus_of(const nccl::Plan& plan) {
  return nccl::workers_of(plan) * cpus_of_worker;
}

/// A stream has the number of a worker.
std::uint32_t streams_of(const nccl::Plan& plan) {
  return nccl::workers_of(plan);
}

void add_collective(const nccl::Plan& plan, const nccl::Parameters& parameters, const CollectivePlace& place,
                    RankGraphBuilder& builder, std::vector<std::uint32_t>& last) {
  GraphOfRank part(plan, parameters, builder, &place);
  part.add_all(place.member);
  part.last_nodes(last);
}

}  // namespace morgana
