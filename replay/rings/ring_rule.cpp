#include "replay/rings/ring_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "emulator/collectives/nccl/nccl_ring.h"
#include "emulator/core/error.h"
#include "emulator/core/quantity.h"
#include "replay/rings/primitive_costs.h"

namespace morgana {
namespace {

constexpr std::uint32_t cpus_of_ring_worker = 3;

/// Of a slice of a step: in the order in which a stored graph has them.
enum class RingPart : std::uint8_t { start, work, receive, send };
constexpr unsigned part_bits = 2;

const char* name_of(RingPart part) {
  switch (part) {
    case RingPart::start:
      return "start";
    case RingPart::work:
      return "work";
    case RingPart::receive:
      return "receive";
    case RingPart::send:
      break;
  }
  return "send";
}

class RingRule final : public GraphRule {
 public:
  RingRule(const nccl::Plan& plan, const nccl::Parameters& parameters)
      : plan_(plan), parameters_(parameters), costs_(plan_, parameters_), slices_(nccl::slices_of(plan)) {
    std::int64_t most_steps = 1;
    for (int lane = 0; lane < nccl::lanes_of(plan_); ++lane) {
      lanes_.push_back(lane_of(lane));
      most_steps = std::max(most_steps, lanes_.back().all_steps);
    }
    slice_bits_ = static_cast<unsigned>(std::bit_width(static_cast<unsigned>(slices_ - 1)));
    step_bits_ = static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(most_steps - 1)));
  }

  /// Before anything but all_numbers() is asked.
  /// @throws Error if there are more nodes than a graph may have
  void count() {
    std::uint64_t all = 0;
    const auto refuse_more = [&](std::uint64_t nodes) {
      if (nodes > most_nodes)
        throw Error(fmt::format(
            "{} of {} by a ring of {} ranks: more than {} sends, receives and pieces of work, which are the "
            "most; take less data, fewer ranks or channels, or a protocol with longer chunks (\"simple\")",
            name_of(plan_.collective), to_text(Bytes(plan_.bytes)), ranks(), most_nodes));
    };
    // Ranks are alike, and counting all of what is too much would take minutes.
    refuse_more(least_nodes(0) * (ranks() - 1));
    for (std::size_t rank = 0; rank < ranks(); ++rank) {
      const std::uint64_t nodes = count_nodes(rank);
      refuse_more(all += nodes);
      nodes_.push_back(static_cast<std::uint32_t>(nodes));
    }
  }
  /// Of a rank.
  std::uint64_t all_numbers() const {
    return std::uint64_t{lanes_.size()} << (part_bits + slice_bits_ + step_bits_);
  }

  std::size_t ranks() const override { return static_cast<std::size_t>(plan_.layout.ranks); }
  std::uint32_t numbers() const override { return static_cast<std::uint32_t>(all_numbers()); }
  std::uint32_t cpus() const override { return nccl::workers_of(plan_) * cpus_of_ring_worker; }
  std::uint32_t nodes(std::size_t rank) const override { return nodes_[rank]; }

  std::vector<std::uint32_t> first_nodes(std::size_t rank) const override {
    std::vector<std::uint32_t> first;
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane)
      for (int slice = 0; slice < slices_; ++slice)
        if (const std::int64_t step = next_step(rank, lane, slice, -1); step < lanes_[lane].all_steps)
          first.push_back(number_of({lane, step, slice}, RingPart::start));
    std::ranges::sort(first);
    return first;
  }

  bool has(std::size_t rank, std::uint32_t number) const override {
    const Place at = place_of(number);
    if (at.slice >= slices_ || at.step >= lanes_[at.lane].all_steps) return false;
    const nccl::RingLane::Step step = step_of(rank, at);
    if (!lanes_[at.lane].ring.has_slice(step.piece, at.slice)) return false;
    switch (part_of(number)) {
      case RingPart::start:
        return next_step(rank, at.lane, at.slice, -1) == at.step;
      case RingPart::receive:
        return step.receives;
      case RingPart::send:
        return step.sends;
      case RingPart::work:
        break;
    }
    return true;
  }

  GraphNode shape(std::uint32_t number) const override {
    using Kind = GraphNode::Kind;
    const RingPart part = part_of(number);
    GraphNode node;
    node.kind = part == RingPart::send      ? Kind::send
                : part == RingPart::receive ? Kind::receive
                                            : Kind::compute;
    const std::uint32_t cpu = part == RingPart::send ? 2 : part == RingPart::receive ? 1 : 0;
    node.cpu = static_cast<std::uint16_t>(worker_of(place_of(number)) * cpus_of_ring_worker + cpu);
    return node;
  }

  GraphNode node(std::size_t rank, std::uint32_t number) const override {
    const Place at = place_of(number);
    const Lane& lane = lanes_[at.lane];
    const RingPart part = part_of(number);
    GraphNode node = shape(number);
    node.waits_for = part == RingPart::start ? 0 : 1;
    if (part == RingPart::start) {
      node.amount = costs_.start().ps();
      return node;
    }
    const nccl::RingLane::Step step = step_of(rank, at);
    const Bytes bytes(lane.ring.slice_of(step.piece, at.slice).bytes);
    if (part == RingPart::work) {
      SimTime time = costs_.data(bytes, step.sends, step.own && step.receives);
      if (step.sends) time += lane.of_rank[rank].hop;
      node.amount = time.ps();
      return node;
    }
    node.amount = nccl::on_wire(plan_.protocol, bytes).count();
    node.peer = Rank{part == RingPart::send ? lane.of_rank[rank].next : lane.of_rank[rank].previous};
    node.tag = Tag{static_cast<std::int32_t>(worker_of(at))};
    return node;
  }

  /// A worker goes to its next step when it has started this one.
  std::uint32_t waits_for_start(std::size_t rank, std::uint32_t number) const override {
    const RingPart part = part_of(number);
    if (part != RingPart::start && part != RingPart::work) return no_node;
    Place at = place_of(number);
    if (part == RingPart::work) at.step = next_step(rank, at.lane, at.slice, at.step);
    if (at.step == lanes_[at.lane].all_steps) return no_node;
    return number_of(at, receives(rank, at) ? RingPart::receive : RingPart::work);
  }

  std::uint32_t waits_for_end(std::size_t rank, std::uint32_t number) const override {
    switch (part_of(number)) {
      case RingPart::receive:
        return number - static_cast<std::uint32_t>(RingPart::receive) +
               static_cast<std::uint32_t>(RingPart::work);
      case RingPart::work:
        if (!sends(rank, place_of(number))) return no_node;
        return number - static_cast<std::uint32_t>(RingPart::work) +
               static_cast<std::uint32_t>(RingPart::send);
      case RingPart::start:
      case RingPart::send:
        break;
    }
    return no_node;
  }

  std::string describe(std::size_t, std::uint32_t number) const override {
    const Place at = place_of(number);
    const std::int64_t steps = lanes_[at.lane].ring.steps();
    return fmt::format("lane {}, round {}, step {}{}, {}", at.lane, at.step / steps, at.step % steps,
                       slices_ > 1 ? fmt::format(", slice {}", at.slice) : std::string(),
                       name_of(part_of(number)));
  }

 private:
  struct RankInRing {
    std::int32_t place, previous, next;
    SimTime hop;  ///< to the next one
  };
  struct Lane {
    nccl::RingLane ring;
    std::int64_t all_steps;  ///< of all rounds
    std::vector<RankInRing> of_rank;
  };
  struct Place {
    std::size_t lane;
    std::int64_t step;  ///< of all rounds
    int slice;
  };

  Lane lane_of(int number) const {
    Lane lane{nccl::RingLane(plan_, number), 0, {}};
    lane.all_steps = lane.ring.rounds() * lane.ring.steps();
    for (int rank = 0; rank < plan_.layout.ranks; ++rank) {
      const int place = lane.ring.place_of(rank), next = lane.ring.rank_at(place + 1);
      lane.of_rank.push_back({place, lane.ring.rank_at(place - 1), next, costs_.hop(rank, next)});
    }
    return lane;
  }

  static RingPart part_of(std::uint32_t number) {
    return static_cast<RingPart>(number & ((1U << part_bits) - 1));
  }
  Place place_of(std::uint32_t number) const {
    const std::uint32_t slice = number >> part_bits, step = slice >> slice_bits_;
    return {step >> step_bits_, step & ((1U << step_bits_) - 1),
            static_cast<int>(slice & ((1U << slice_bits_) - 1))};
  }
  std::uint32_t number_of(const Place& at, RingPart part) const {
    const auto step = static_cast<std::uint32_t>(at.lane << step_bits_) + static_cast<std::uint32_t>(at.step);
    return ((step << slice_bits_) + static_cast<std::uint32_t>(at.slice)) << part_bits |
           static_cast<std::uint32_t>(part);
  }

  std::uint32_t worker_of(const Place& at) const {
    return static_cast<std::uint32_t>(at.lane) * static_cast<std::uint32_t>(slices_) +
           static_cast<std::uint32_t>(at.slice);
  }
  bool receives(std::size_t rank, const Place& at) const {
    const Lane& lane = lanes_[at.lane];
    return lane.ring.receives(lane.of_rank[rank].place, step_in_round(lane, at.step));
  }
  bool sends(std::size_t rank, const Place& at) const {
    const Lane& lane = lanes_[at.lane];
    return lane.ring.sends(lane.of_rank[rank].place, step_in_round(lane, at.step));
  }
  static int step_in_round(const Lane& lane, std::int64_t step) {
    const int steps = lane.ring.steps();
    return static_cast<int>(step < steps ? step : step % steps);
  }

  nccl::RingLane::Step step_of(std::size_t rank, const Place& at) const {
    const Lane& lane = lanes_[at.lane];
    const int steps = lane.ring.steps(), place = lane.of_rank[rank].place;
    if (at.step < steps) return lane.ring.step(place, 0, static_cast<int>(at.step));
    return lane.ring.step(place, at.step / steps, static_cast<int>(at.step % steps));
  }

  /// The next one in which there is such a slice.
  std::int64_t next_step(std::size_t rank, std::size_t lane, int slice, std::int64_t step) const {
    const std::int64_t all = lanes_[lane].all_steps;
    for (++step; step < all && slice > 0; ++step)
      if (lanes_[lane].ring.has_slice(step_of(rank, {lane, step, slice}).piece, slice)) break;
    return step;
  }

  /// Of a step: its work, and the messages that it has.
  std::uint32_t nodes_of_step(std::size_t rank, const Place& at) const {
    return 1 + (receives(rank, at) ? 1 : 0) + (sends(rank, at) ? 1 : 0);
  }

  /// Of a lane's first slice, which is in every step; rounds are alike.
  std::uint64_t nodes_of_first_slice(std::size_t rank, std::size_t lane) const {
    const std::int64_t all = lanes_[lane].all_steps, steps = lanes_[lane].ring.steps();
    if (all == 0) return 0;
    std::uint64_t of_round = 0;
    for (std::int64_t step = 0; step < steps; ++step) of_round += nodes_of_step(rank, {lane, step, 0});
    return 1 + static_cast<std::uint64_t>(all / steps) * of_round;
  }

  std::uint64_t least_nodes(std::size_t rank) const {
    std::uint64_t nodes = 0;
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) nodes += nodes_of_first_slice(rank, lane);
    return nodes;
  }

  std::uint64_t count_nodes(std::size_t rank) const {
    std::uint64_t nodes = least_nodes(rank);
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
      const std::int64_t all = lanes_[lane].all_steps;
      for (int slice = 1; slice < slices_; ++slice) {
        std::int64_t step = next_step(rank, lane, slice, -1);
        if (step < all) ++nodes;
        for (; step < all; step = next_step(rank, lane, slice, step))
          nodes += nodes_of_step(rank, {lane, step, slice});
      }
    }
    return nodes;
  }

  const nccl::Plan plan_;
  const nccl::Parameters parameters_;
  const PrimitiveCosts costs_;
  const int slices_;
  std::vector<Lane> lanes_;
  unsigned slice_bits_ = 0, step_bits_ = 0;
  std::vector<std::uint32_t> nodes_;  ///< by rank
};

}  // namespace

std::unique_ptr<const GraphRule> rule_of_ring(const nccl::Plan& plan, const nccl::Parameters& parameters) {
  auto rule = std::make_unique<RingRule>(plan, parameters);
  rule->count();
  if (rule->all_numbers() > most_nodes / rule->ranks()) return nullptr;
  return rule;
}

}  // namespace morgana
