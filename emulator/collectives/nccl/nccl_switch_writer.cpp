#include "emulator/collectives/nccl/nccl_switch_writer.h"

#include <algorithm>
#include <cassert>
#include <vector>

#include "emulator/collectives/nccl/nccl_chunks.h"
#include "emulator/collectives/nccl/nccl_switch_chunks.h"

namespace morgana::nccl {
namespace {

/// Chunks of each channel that a head has asked for at a time.
constexpr int chunks_under_way = 2;
/// A lane's channels do not move in step: they go in so many groups. More of them change the time of an
/// all-reduce of 16 MiB or 1 GiB on 8 GPUs by less than 0.6 %; all in one group would take a third longer.
constexpr int most_groups = 4;
/// Along a tree of nodes so many chunks of a head fill every stage of the way for most of the time, and half
/// as many groups do: 1 GB takes 0.6 % less on 16 GPUs and 0.1 % less on 64, in half of the messages.
constexpr std::int64_t many_chunks = 256;

using Collective = MeasuredCollective;

/// The kinds of messages that two ranks exchange for one head's data.
enum class Role : std::uint8_t { ask, part, multicast, up, down };
constexpr int roles = 5, duties = 4;

class SwitchWriter {
 public:
  SwitchWriter(const Plan& plan, int rank, const std::function<void(const Primitive&)>& visit)
      : plan_(plan),
        layout_(plan.layout),
        units_(*plan.units),
        rank_(rank),
        unit_(rank - plan.layout.ranks),
        visit_(visit),
        lanes_(lanes_in_network(plan)),
        heads_(heads_of(plan)) {}

  void write() {
    for (lane_ = 0; lane_ < lanes_; ++lane_)
      for (head_ = 0; head_ < heads_; ++head_) {
        find_chunks();
        if (chunks_.empty()) continue;
        if (unit_ < 0)
          be_gpu();
        else if (units_.is_of_node(unit_))
          be_unit_of_node();
        else
          be_unit_of_network();
      }
  }

 private:
  int node() const { return rank_ / layout_.per_node; }
  /// The GPU of a node that is the head.
  int head_of(int node) const { return node * layout_.per_node + gpu_of_head(); }
  int gpu_of_head() const { return plan_.algorithm == Algorithm::collnet_chain ? rail() : head_; }
  int rail() const { return (plan_.algorithm == Algorithm::collnet_chain ? lane_ : head_) % layout_.rails; }
  int rank_of(int unit) const { return layout_.ranks + unit; }
  int unit_of_node(int node) const { return rank_of(units_.of_node[static_cast<std::size_t>(node)]); }
  int above_node(int node) const {
    return units_.above_node[static_cast<std::size_t>(rail())][static_cast<std::size_t>(node)];
  }
  /// By the units of the network's switches, where there are several nodes.
  bool by_network_units() const { return layout_.nodes() > 1 && plan_.algorithm != Algorithm::nvls_tree; }

  /// How many each head would have of a lane, in so many groups of its channels.
  std::int64_t chunks_in_groups(int channels, int groups) const {
    return plan_.bytes / lanes_ / heads_ / (divided(channels, groups) * chunk_in_network(plan_));
  }

  /// Those of the head's part, for a group of the lane's channels each.
  void find_chunks() {
    chunks_.clear();
    const int channels = std::max(1, channels_in_network(plan_) / lanes_);
    groups_ = plan_.algorithm == Algorithm::collnet_chain ? 1 : std::min(channels, most_groups);
    if (plan_.algorithm == Algorithm::nvls_tree)
      while (groups_ > 1 && chunks_in_groups(channels, groups_) > many_chunks) groups_ /= 2;
    const std::int64_t most = divided(channels, groups_) * chunk_in_network(plan_);
    const bool blocks = has_blocks(plan_.collective);
    const std::int64_t all = blocks ? plan_.bytes / layout_.ranks : plan_.bytes;
    const std::int64_t element = measured_element.count();
    const std::int64_t each = divided(divided(all, lanes_), element) * element;
    const std::int64_t begin = std::min(all, each * lane_), end = std::min(all, begin + each);
    // Of a collective of blocks each head has the one of its GPU.
    const std::int64_t parts = blocks ? 1 : heads_, part = blocks ? 0 : head_;
    const std::int64_t first = blocks ? head_ * all : 0;
    for (std::int64_t done = begin; done < end;) {
      const std::int64_t chunk = std::min(most, aligned(divided(end - done, parts)));
      const std::int64_t from = std::min(end, done + chunk * part);
      if (const std::int64_t bytes = std::min(chunk, end - from); bytes > 0)
        chunks_.push_back({first + from, bytes});
      done += chunk * parts;
    }
  }

  /// Each worker's number, as if every rank had all of them.
  enum class Duty : std::uint8_t { ask, part, up, down };
  Primitive of(Duty duty, Role in, Role out) const {
    Primitive one;
    one.worker = static_cast<std::uint32_t>((lane_ * heads_ + head_) * duties + static_cast<int>(duty));
    one.in_stream = stream(in);
    one.out_stream = stream(out);
    return one;
  }
  std::uint32_t stream(Role role) const {
    return static_cast<std::uint32_t>((lane_ * heads_ + head_) * roles + static_cast<int>(role));
  }
  void for_chunks(Primitive& one) {
    for (const ChunkPiece& chunk : chunks_) emit(one, chunk);
  }
  void emit(Primitive& one, const ChunkPiece& chunk) {
    one.offset = chunk.offset;
    one.bytes = chunk.bytes;
    visit_(one);
  }

  void be_gpu() {
    if (plan_.algorithm == Algorithm::collnet_chain) return be_in_chain();
    const bool is_head = rank_ == head_of(node());
    switch (plan_.collective) {
      case Collective::all_gather:
        return be_gpu_of_all_gather(is_head);
      case Collective::reduce_scatter: {
        give_part(unit_of_node(node()));
        if (!is_head) return;
        Primitive sum = of(Duty::up, Role::up, Role::up);
        sum.from.push_back(unit_of_node(node()));
        sum.keeps = true;
        return ask_for({unit_of_node(node())}, sum);
      }
      default:
        break;
    }
    const bool direct = plan_.algorithm == Algorithm::collnet_direct;
    if (direct && is_head) return be_head();  // which adds its own part itself
    const int to = direct ? head_of(node()) : unit_of_node(node());
    give_part(to);
    Primitive result = of(Duty::down, Role::multicast, Role::multicast);
    // Next to a head's own work on results.
    result.worker = of(Duty::ask, Role::ask, Role::ask).worker;
    result.keeps = true;
    result.from.push_back(to);
    for_chunks(result);
    if (is_head) be_head();
  }

  /// Each chunk when it is asked for.
  void give_part(int to) {
    Primitive part = of(Duty::part, Role::ask, Role::part);
    part.own = part.asked = true;
    part.from.push_back(to);
    part.to.push_back(to);
    for_chunks(part);
  }
  /// Asks for chunks ahead of those that come. @param sum  what is done with one that has come
  void ask_for(const std::vector<int>& whom, Primitive& sum) {
    Primitive ask = sum;
    ask.from.clear();
    ask.own = ask.keeps = false;
    ask.to = whom;
    ask.out_stream = stream(Role::ask);
    ask.asks = true;
    alternate(ask, sum);
  }
  void alternate(Primitive& out, Primitive& in) {
    const std::size_t all = chunks_.size();
    const auto under_way = static_cast<std::size_t>(chunks_under_way * groups_);
    for (std::size_t i = 0; i < all + under_way; ++i) {
      if (i >= under_way && i - under_way < all) emit(in, chunks_[i - under_way]);
      if (i < all) emit(out, chunks_[i]);
    }
  }

  /// Of an all-reduce: from the node's sum to what its GPUs get.
  void be_head() {
    Primitive up = of(Duty::up, Role::up, Role::up), down = of(Duty::down, Role::down, Role::down);
    if (plan_.algorithm == Algorithm::collnet_direct) {
      up.in_stream = stream(Role::part);
      down.out_stream = stream(Role::multicast);
      up.own = down.keeps = true;
      for (int gpu = 0; gpu < layout_.gpus(); ++gpu) {
        const int other = node() * layout_.per_node + gpu;
        if (other == rank_) continue;
        up.from.push_back(other);
        down.to.push_back(other);
      }
    } else {
      up.from.push_back(unit_of_node(node()));
      down.to.push_back(unit_of_node(node()));
    }
    const std::vector<int> below = up.from;  // those who have parts
    if (layout_.nodes() > 1 && !by_network_units()) {
      const TreePlace place = tree_place(lane_ % 2, layout_.nodes(), node());
      for (const int child : place.children) {
        if (child < 0) continue;
        up.from.push_back(head_of(child));
        down.to.push_back(head_of(child));
      }
      if (place.parent >= 0) return ask_and_pass_through(below, up, down, head_of(place.parent));
    } else if (layout_.nodes() > 1) {
      return ask_and_pass_through(below, up, down, rank_of(above_node(node())));
    }
    up.to = down.to;
    up.out_stream = down.out_stream;
    ask_for(below, up);
  }
  void ask_and_pass_through(const std::vector<int>& below, Primitive& up, Primitive& down, int above) {
    up.to.push_back(above);
    down.from.push_back(above);
    ask_for(below, up);
    for_chunks(down);
  }

  /// What has come up goes on to `above`, what comes from there goes down.
  void pass_through(Primitive& up, Primitive& down, int above) {
    up.to.push_back(above);
    down.from.push_back(above);
    for_chunks(up);
    for_chunks(down);
  }

  void be_gpu_of_all_gather(bool is_head) {
    Primitive out = of(Duty::part, Role::down, Role::down),
              in = of(Duty::part, Role::multicast, Role::multicast);
    out.own = in.keeps = true;
    out.to.push_back(unit_of_node(node()));
    in.from.push_back(unit_of_node(node()));
    if (is_head) return alternate(out, in);
    for_chunks(in);
  }

  void be_in_chain() {
    const int gpus = layout_.gpus(), first = node() * layout_.per_node;
    const int position = (rank_ - first + gpus - gpu_of_head()) % gpus;
    const auto member = [&](int place) { return first + (gpu_of_head() + place) % gpus; };
    Primitive up = of(Duty::up, Role::up, Role::up), down = of(Duty::down, Role::down, Role::down);
    up.own = down.keeps = true;
    if (position + 1 < gpus) {
      up.from.push_back(member(position + 1));
      down.to.push_back(member(position + 1));
    }
    pass_through(up, down, position > 0 ? member(position - 1) : rank_of(above_node(node())));
  }

  void be_unit_of_node() {
    if (!is_nvls(plan_.algorithm)) return;
    const auto place = std::ranges::find(units_.of_node, unit_);
    const int node = static_cast<int>(place - units_.of_node.begin());
    Primitive sum = of(Duty::part, Role::part, Role::up),
              multicast = of(Duty::down, Role::down, Role::multicast);
    for (int gpu = 0; gpu < layout_.gpus(); ++gpu) {
      const int rank = node * layout_.per_node + gpu;
      sum.from.push_back(rank);
      multicast.to.push_back(rank);
    }
    sum.to.push_back(head_of(node));
    multicast.from.push_back(head_of(node));
    if (plan_.collective != Collective::all_gather) {
      Primitive ask = of(Duty::ask, Role::ask, Role::ask);
      ask.asked = ask.asks = true;
      ask.from = sum.to;
      ask.to = sum.from;
      for_chunks(ask);
      for_chunks(sum);
    }
    if (plan_.collective != Collective::reduce_scatter) for_chunks(multicast);
  }

  void be_unit_of_network() {
    if (!by_network_units()) return;
    Primitive up = of(Duty::up, Role::up, Role::up), down = of(Duty::down, Role::down, Role::down);
    const std::vector<int>& nodes = units_.above_node[static_cast<std::size_t>(rail())];
    for (int node = 0; node < layout_.nodes(); ++node)
      if (nodes[static_cast<std::size_t>(node)] == unit_) add_child(up, down, head_of(node));
    for (int unit = 0; unit < units_.count; ++unit)
      if (units_.above[static_cast<std::size_t>(unit)] == unit_) add_child(up, down, rank_of(unit));
    if (up.from.empty() || !is_of_rail()) return;
    const int above = units_.above[static_cast<std::size_t>(unit_)];
    if (above >= 0) return pass_through(up, down, rank_of(above));
    up.to = down.to;
    up.out_stream = down.out_stream;
    for_chunks(up);
  }
  static void add_child(Primitive& up, Primitive& down, int rank) {
    up.from.push_back(rank);
    down.to.push_back(rank);
  }
  /// Whether the unit is one of the tree of the lane's or head's rail.
  bool is_of_rail() const {
    for (int unit : units_.above_node[static_cast<std::size_t>(rail())])
      for (; unit >= 0; unit = units_.above[static_cast<std::size_t>(unit)])
        if (unit == unit_) return true;
    return false;
  }

  const Plan& plan_;
  const GpuLayout& layout_;
  const SwitchUnits& units_;
  int rank_, unit_;  // unit_: of a switch; < 0: a GPU
  const std::function<void(const Primitive&)>& visit_;
  int lanes_, heads_;
  int lane_ = 0, head_ = 0;
  int groups_ = 1;                  // of the lane's channels
  std::vector<ChunkPiece> chunks_;  // of the lane's head
};

}  // namespace

void write_in_network(const Plan& plan, int rank, const std::function<void(const Primitive&)>& visit) {
  assert(plan.units != nullptr);
  SwitchWriter(plan, rank, visit).write();
}

int lanes_in_network(const Plan& plan) {
  const int channels = channels_in_network(plan);
  if (plan.algorithm == Algorithm::nvls_tree) return std::min(channels, 2);
  return plan.algorithm == Algorithm::collnet_chain ? std::min(channels, plan.layout.rails) : 1;
}

std::uint32_t workers_in_network(const Plan& plan) {
  return static_cast<std::uint32_t>(lanes_in_network(plan) * heads_of(plan) * duties);
}

std::uint32_t streams_in_network(const Plan& plan) {
  return static_cast<std::uint32_t>(lanes_in_network(plan) * heads_of(plan) * roles);
}

}  // namespace morgana::nccl
