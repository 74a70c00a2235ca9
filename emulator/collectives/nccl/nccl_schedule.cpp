#include "emulator/collectives/nccl/nccl_schedule.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <set>

#include "emulator/collectives/nccl/nccl_chunks.h"
#include "emulator/collectives/nccl/nccl_pat.h"
#include "emulator/collectives/nccl/nccl_ring.h"
#include "emulator/collectives/nccl/nccl_switch_chunks.h"
#include "emulator/collectives/nccl/nccl_switch_writer.h"

namespace morgana::nccl {
namespace {

/// Less data than this for a channel are not worth another one: 8 B of LL for each of 512 threads, times the
/// ranks of a ring; 8 B of LL128 for each of 640; 64 B of Simple for each of 512 (NCCL 2.30.7,
/// src/graph/tuning.cc, threadThresholds). Nor less than a cell: 32 KiB of what ranks send for the data, a
/// quarter of that for LL (src/enqueue.cc, MinTrafficPerChannel; 16 KiB in older versions).
std::int64_t least_for_channel(const Plan& plan) {
  constexpr std::int64_t kibi = 1 << 10;
  switch (plan.protocol) {
    case Protocol::ll:
      return plan.algorithm == Algorithm::ring ? 4 * kibi * plan.layout.ranks : 4 * kibi;
    case Protocol::ll128:
      return plan.collective == MeasuredCollective::all_reduce ? least_traffic_of_channel / 2
                                                               : least_traffic_of_channel;
    case Protocol::simple:
      break;
  }
  return 32 * kibi;
}

/// Emits the primitives of one rank.
class Writer {
 public:
  Writer(const Plan& plan, int rank, const std::function<void(const Primitive&)>& visit)
      : plan_(plan), layout_(plan.layout), rank_(rank), visit_(visit), lanes_(lanes_of(plan)) {}

  void write() {
    if (is_in_network(plan_.algorithm)) return write_in_network(plan_, rank_, visit_);
    if (plan_.algorithm == Algorithm::direct) return exchange_directly();
    if (plan_.algorithm == Algorithm::pat) return write_pat(plan_, rank_, visit_);
    for (lane_ = 0; lane_ < lanes_; ++lane_) {
      if (plan_.algorithm == Algorithm::ring) {
        go_around();
        continue;
      }
      const ChunkPiece share = share_of_lane(plan_, lane_);
      if (share.bytes > 0) reduce_by_tree(share);
    }
  }

 private:
  int n() const { return layout_.ranks; }

  int wrapped(int place) const { return (place % n() + n()) % n(); }

  void go_around() {
    const RingLane ring(plan_, lane_);
    const int place = ring.place_of(rank_), slices = slices_of(plan_);
    Primitive one;
    for (std::int64_t round = 0; round < ring.rounds(); ++round)
      for (int number = 0; number < ring.steps(); ++number) {
        const RingLane::Step step = ring.step(place, round, number);
        one.own = step.own;
        one.keeps = step.keeps;
        one.from.clear();
        one.to.clear();
        if (step.receives) one.from.push_back(ring.rank_at(place - 1));
        if (step.sends) one.to.push_back(ring.rank_at(place + 1));
        for (int slice = 0; slice < slices && ring.has_slice(step.piece, slice); ++slice) {
          const ChunkPiece piece = ring.slice_of(step.piece, slice);
          one.worker = static_cast<std::uint32_t>(lane_ * slices + slice);
          one.in_stream = one.out_stream = one.worker;
          one.offset = piece.offset;
          one.bytes = piece.bytes;
          visit_(one);
        }
      }
  }

  /// Up to the root and down again, chunk by chunk, on two workers. Inside of a node a chain: its head, the
  /// rail's GPU, is the node in the tree.
  void reduce_by_tree(const ChunkPiece& share) {
    const int gpus = layout_.gpus(), node = rank_ / layout_.per_node;
    const int rail = lane_ / 2 % gpus;
    const auto member = [&](int of_node, int position) {
      return of_node * layout_.per_node + (rail + position) % gpus;
    };
    const int position = (rank_ % layout_.per_node + gpus - rail) % gpus;
    Primitive up, down;
    up.worker = static_cast<std::uint32_t>(2 * lane_);
    down.worker = up.worker + 1;
    up.in_stream = up.out_stream = up.worker;
    down.in_stream = down.out_stream = down.worker;
    up.own = true;
    down.keeps = true;
    const auto add_child = [&](int rank) {
      up.from.push_back(rank);
      down.to.push_back(rank);
    };
    int parent = -1;
    if (position + 1 < gpus) add_child(member(node, position + 1));
    if (position > 0) {
      parent = member(node, position - 1);
    } else {
      const TreePlace place = tree_place(lane_ % 2, layout_.nodes(), node);
      for (const int child : place.children)
        if (child >= 0) add_child(member(child, 0));
      if (place.parent >= 0) parent = member(place.parent, 0);
    }
    if (parent >= 0) {
      up.to.push_back(parent);
      down.from.push_back(parent);
    }
    const std::int64_t chunk = chunk_of_tree(share.bytes);
    for (std::int64_t done = 0; done < share.bytes; done += chunk) {
      up.offset = down.offset = share.offset + done;
      up.bytes = down.bytes = std::min(chunk, share.bytes - done);
      if (parent >= 0) {
        visit_(up);
        visit_(down);
        continue;
      }
      Primitive root = up;  // what has come up goes down at once
      root.keeps = true;
      root.to = down.to;
      root.out_stream = down.worker;
      visit_(root);
    }
  }

  /// Halved until there are enough chunks to fill the tree (NCCL 2.30.7, src/enqueue.cc, of Simple). With
  /// flags in the data a receiver passes on what has come of a chunk: here in pieces of down to 4 KiB.
  std::int64_t chunk_of_tree(std::int64_t share) const {
    const std::int64_t depth =
        layout_.gpus() - 1 + static_cast<int>(std::bit_width(static_cast<unsigned>(layout_.nodes()))) - 1;
    std::int64_t chunk = chunk_of_channel(plan_);
    const auto halve = [&](std::int64_t chunks, std::int64_t least) {
      while (share / (channels_of_lane(plan_) * chunk) < chunks && chunk > least) chunk /= 2;
    };
    if (plan_.protocol != Protocol::simple) {
      halve(4 * depth, 4 << 10);
      return aligned(channels_of_lane(plan_) * chunk);
    }
    halve(8 * depth, 128 << 10);
    halve(4 * depth, 64 << 10);
    halve(depth, 32 << 10);
    return aligned(channels_of_lane(plan_) * chunk);
  }

  /// To the next rank first, then to the one behind it, ...: no two ranks send to the same one at a time.
  void exchange_directly() {
    const std::int64_t block = plan_.bytes / n();
    for (int distance = 1; distance < n(); ++distance) {
      Primitive out, in;
      out.to.push_back(wrapped(rank_ + distance));
      out.offset = out.to.front() * block;
      out.bytes = in.bytes = block;
      out.own = true;
      in.worker = 1;
      in.from.push_back(wrapped(rank_ - distance));
      in.offset = in.from.front() * block;
      in.keeps = true;
      visit_(out);
      visit_(in);
    }
  }

  const Plan& plan_;
  const GpuLayout& layout_;
  int rank_;
  const std::function<void(const Primitive&)>& visit_;
  int lanes_;
  int lane_ = 0;
};

TreePlace first_tree_place(int nodes, int node) {
  TreePlace place;
  const auto as_int = [](unsigned value) { return static_cast<int>(value); };
  if (node == 0) {
    if (nodes > 1) place.children[1] = as_int(std::bit_ceil(static_cast<unsigned>(nodes)) / 2);
    return place;
  }
  const int bit = node & -node;
  place.parent = (node ^ bit) | (bit << 1);
  if (place.parent >= nodes) place.parent = node ^ bit;
  int distance = bit / 2;
  if (distance == 0) return place;
  place.children[0] = node - distance;
  while (distance > 0 && node + distance >= nodes) distance /= 2;
  if (distance > 0) place.children[1] = node + distance;
  return place;
}

}  // namespace

std::optional<GpuLayout> layout_on(std::span<const std::int64_t> nodes, int rails) {
  const auto per_node = static_cast<std::size_t>(std::ranges::count(nodes, nodes.front()));
  if (nodes.size() % per_node != 0) return std::nullopt;
  std::set<std::int64_t> seen;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (i % per_node == 0 ? !seen.insert(nodes[i]).second : nodes[i] != nodes[i - 1]) return std::nullopt;
  }
  return GpuLayout{static_cast<int>(nodes.size()), static_cast<int>(per_node),
                   std::min(rails, static_cast<int>(per_node))};
}

int channels_in_use(const Plan& plan) {
  if (is_in_network(plan.algorithm)) return channels_in_network(plan);
  if (plan.algorithm == Algorithm::direct) return plan.channels;
  const std::int64_t worthwhile = std::max<std::int64_t>(1, plan.bytes / least_for_channel(plan));
  return static_cast<int>(std::min<std::int64_t>(plan.channels, worthwhile));
}

int lanes_of(const Plan& plan) {
  if (is_in_network(plan.algorithm)) return lanes_in_network(plan);
  if (plan.algorithm == Algorithm::direct || plan.algorithm == Algorithm::pat || plan.layout.nodes() == 1)
    return 1;
  return std::min(channels_in_use(plan), plan.layout.rails * (plan.algorithm == Algorithm::tree ? 2 : 1));
}

int slices_of(const Plan& plan) {
  const bool short_chunks =
      plan.collective == MeasuredCollective::broadcast || plan.collective == MeasuredCollective::reduce;
  return plan.algorithm == Algorithm::ring && plan.protocol == Protocol::simple && !short_chunks ? plan.slices
                                                                                                 : 1;
}

std::uint32_t workers_of(const Plan& plan) {
  if (is_in_network(plan.algorithm)) return workers_in_network(plan);
  if (plan.algorithm == Algorithm::pat) return 1;
  return static_cast<std::uint32_t>(lanes_of(plan) *
                                    (plan.algorithm == Algorithm::ring ? slices_of(plan) : 2));
}

/// A stream has the number of a worker, of pat that of a dimension.
std::uint32_t streams_of(const Plan& plan) {
  if (plan.algorithm == Algorithm::pat) return dimensions_of_pat(plan.layout.ranks);
  return is_in_network(plan.algorithm) ? streams_in_network(plan) : workers_of(plan);
}

TreePlace tree_place(int tree, int nodes, int node) {
  if (tree == 0) return first_tree_place(nodes, node);
  const bool mirrored = nodes % 2 == 0;
  const auto other = [&](int number, int shift) {
    if (number < 0) return number;
    return mirrored ? nodes - 1 - number : (number + shift + nodes) % nodes;
  };
  TreePlace place = first_tree_place(nodes, other(node, -1));
  place.parent = other(place.parent, 1);
  for (int& child : place.children) child = other(child, 1);
  return place;
}

void for_each_primitive(const Plan& plan, int rank, const std::function<void(const Primitive&)>& visit) {
  assert(rank >= 0 && rank < plan.all_ranks());
  Writer(plan, rank, visit).write();
}

}  // namespace morgana::nccl
