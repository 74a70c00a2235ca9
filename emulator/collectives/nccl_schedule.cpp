#include "emulator/collectives/nccl_schedule.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <set>

#include "emulator/collectives/nccl_chunks.h"
#include "emulator/collectives/nccl_switch_chunks.h"
#include "emulator/collectives/nccl_switch_writer.h"

namespace morgana::nccl {
namespace {

// Useful bytes of a channel's buffers (NCCL 2.30.7, src/include/device.h): a step is an eighth of 512 KiB
// (LL), of 4,915,200 B (LL128), of 4 MiB (Simple).
constexpr std::int64_t ll_chunk = 32 << 10, ll128_chunk = 576'000;
constexpr std::int64_t steps_of_ring_chunk = 4;
constexpr std::int64_t least_slice = 32 << 10;
constexpr std::int64_t element = measured_element.count();

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
    for (lane_ = 0; lane_ < lanes_; ++lane_) {
      const Piece share = share_of_lane();
      if (share.bytes == 0) continue;
      if (plan_.algorithm == Algorithm::tree) {
        reduce_by_tree(share);
        continue;
      }
      rail_ = lane_;
      place_ = place_in_ring(rank_);
      go_around(share);
    }
  }

 private:
  int n() const { return layout_.ranks; }

  /// Of the buffer, or of each block.
  Piece share_of_lane() const {
    const std::int64_t all = has_blocks(plan_.collective) ? plan_.bytes / n() : plan_.bytes;
    const std::int64_t each = divided(divided(all, lanes_), element) * element;
    const std::int64_t begin = std::min(all, each * lane_);
    return {begin, std::min(all - begin, each)};
  }

  /// In the ring of a rail a node is entered at the rail's GPU and left from the one before it.
  int place_in_ring(int rank) const {
    const int gpus = layout_.gpus();
    return rank / layout_.per_node * gpus + (rank % layout_.per_node + gpus - rail_ % gpus) % gpus;
  }
  int rank_at(int place) const {
    const int gpus = layout_.gpus();
    place = (place % n() + n()) % n();
    return place / gpus * layout_.per_node + (place % gpus + rail_) % gpus;
  }

  std::int64_t chunk_of_channel() const {
    switch (plan_.protocol) {
      case Protocol::ll:
        return ll_chunk;
      case Protocol::ll128:
        return ll128_chunk;
      case Protocol::simple:
        break;
    }
    const bool short_chunks = plan_.algorithm == Algorithm::tree ||
                              plan_.collective == MeasuredCollective::broadcast ||
                              plan_.collective == MeasuredCollective::reduce;
    return short_chunks ? simple_step : simple_step * steps_of_ring_chunk;
  }
  std::int64_t channels_of_lane() const { return std::max(1, channels_in_use(plan_) / lanes_); }

  void go_around(const Piece& share) {
    const std::int64_t most = channels_of_lane() * chunk_of_channel();
    const bool whole_buffer_in_blocks = plan_.collective == MeasuredCollective::all_reduce;
    const std::int64_t parts = whole_buffer_in_blocks ? n() : 1;
    for (std::int64_t done = 0; done < share.bytes;) {
      const std::int64_t chunk = std::min(most, aligned(divided(share.bytes - done, parts)));
      switch (plan_.collective) {
        case MeasuredCollective::all_reduce:
          all_reduce([&](int place) {
            const std::int64_t begin = std::min(share.bytes, done + chunk * static_cast<std::int64_t>(place));
            return Piece{share.offset + begin, std::min(chunk, share.bytes - begin)};
          });
          break;
        case MeasuredCollective::all_gather:
        case MeasuredCollective::reduce_scatter: {
          const auto piece = [&](int place) {
            return Piece{rank_at(place) * (plan_.bytes / n()) + share.offset + done,
                         std::min(chunk, share.bytes - done)};
          };
          if (plan_.collective == MeasuredCollective::all_gather)
            all_gather(piece);
          else
            reduce_scatter(piece);
          break;
        }
        default:
          pass_along({share.offset + done, std::min(chunk, share.bytes - done)});
      }
      done += chunk * parts;
    }
  }

  /// What is sent in the first step has been reduced by all when it comes to its own place; then it goes
  /// around once more.
  template <class PieceOf>
  void all_reduce(PieceOf piece) {
    step(piece(wrapped(place_ - 1)), {.send = true, .own = true});
    for (int back = 2; back < n(); ++back)
      step(piece(wrapped(place_ - back)), {.receive = true, .send = true, .own = true});
    step(piece(place_), {.receive = true, .send = true, .own = true, .keeps = true});
    for (int back = 1; back < n() - 1; ++back)
      step(piece(wrapped(place_ - back)), {.receive = true, .send = true, .keeps = true});
    step(piece(wrapped(place_ + 1)), {.receive = true, .keeps = true});
  }
  template <class PieceOf>
  void all_gather(PieceOf piece) {
    step(piece(place_), {.send = true, .own = true, .keeps = true});
    for (int back = 1; back < n() - 1; ++back)
      step(piece(wrapped(place_ - back)), {.receive = true, .send = true, .keeps = true});
    step(piece(wrapped(place_ + 1)), {.receive = true, .keeps = true});
  }
  template <class PieceOf>
  void reduce_scatter(PieceOf piece) {
    step(piece(wrapped(place_ - 1)), {.send = true, .own = true});
    for (int back = 2; back < n(); ++back)
      step(piece(wrapped(place_ - back)), {.receive = true, .send = true, .own = true});
    step(piece(place_), {.receive = true, .own = true, .keeps = true});
  }
  /// Broadcast: from the root around the ring. Reduce: to the root.
  void pass_along(const Piece& piece) {
    const int after_root = wrapped(place_ - place_in_ring(plan_.root));
    if (plan_.collective == MeasuredCollective::broadcast) {
      step(piece,
           {.receive = after_root > 0, .send = after_root < n() - 1, .own = after_root == 0, .keeps = true});
      return;
    }
    step(piece, {.receive = after_root != 1, .send = after_root != 0, .own = true, .keeps = after_root == 0});
  }

  int wrapped(int place) const { return (place % n() + n()) % n(); }

  struct What {
    bool receive = false, send = false, own = false, keeps = false;
  };
  /// One chunk, slice by slice.
  void step(const Piece& piece, What what) {
    const int slices = slices_of(plan_);
    const std::int64_t each =
        slices == 1 ? piece.bytes
                    : std::max(aligned(divided(piece.bytes, slices)), least_slice * channels_of_lane());
    std::int64_t begin = 0;
    for (int slice = 0; slice < slices && (slice == 0 || begin < piece.bytes); ++slice) {
      Primitive& one = one_;
      one.worker = static_cast<std::uint32_t>(lane_ * slices + slice);
      one.in_stream = one.out_stream = one.worker;
      one.offset = piece.offset + begin;
      one.bytes = std::min(each, piece.bytes - begin);
      one.own = what.own;
      one.keeps = what.keeps;
      one.from.clear();
      one.to.clear();
      if (what.receive) one.from.push_back(rank_at(place_ - 1));
      if (what.send) one.to.push_back(rank_at(place_ + 1));
      visit_(one);
      begin += one.bytes;
    }
  }

  /// Up to the root and down again, chunk by chunk, on two workers. Inside of a node a chain: its head, the
  /// rail's GPU, is the node in the tree.
  void reduce_by_tree(const Piece& share) {
    const int gpus = layout_.gpus(), node = rank_ / layout_.per_node;
    rail_ = lane_ / 2 % gpus;
    const auto member = [&](int of_node, int position) {
      return of_node * layout_.per_node + (rail_ + position) % gpus;
    };
    const int position = (rank_ % layout_.per_node + gpus - rail_) % gpus;
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
        layout_.gpus() - 1 + std::bit_width(static_cast<unsigned>(layout_.nodes())) - 1;
    std::int64_t chunk = chunk_of_channel();
    const auto halve = [&](std::int64_t chunks, std::int64_t least) {
      while (share / (channels_of_lane() * chunk) < chunks && chunk > least) chunk /= 2;
    };
    if (plan_.protocol != Protocol::simple) {
      halve(4 * depth, 4 << 10);
      return aligned(channels_of_lane() * chunk);
    }
    halve(8 * depth, 128 << 10);
    halve(4 * depth, 64 << 10);
    halve(depth, 32 << 10);
    return aligned(channels_of_lane() * chunk);
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
  const Layout& layout_;
  int rank_;
  const std::function<void(const Primitive&)>& visit_;
  int lanes_;
  int lane_ = 0, rail_ = 0, place_ = 0;
  Primitive one_;  // of step()
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

std::optional<Layout> layout_on(std::span<const std::int64_t> nodes, int rails) {
  const auto per_node = static_cast<std::size_t>(std::ranges::count(nodes, nodes.front()));
  if (nodes.size() % per_node != 0) return std::nullopt;
  std::set<std::int64_t> seen;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (i % per_node == 0 ? !seen.insert(nodes[i]).second : nodes[i] != nodes[i - 1]) return std::nullopt;
  }
  return Layout{static_cast<int>(nodes.size()), static_cast<int>(per_node),
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
  if (plan.algorithm == Algorithm::direct || plan.layout.nodes() == 1) return 1;
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
  return static_cast<std::uint32_t>(lanes_of(plan) *
                                    (plan.algorithm == Algorithm::ring ? slices_of(plan) : 2));
}

/// A stream has the number of a worker.
std::uint32_t streams_of(const Plan& plan) {
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
