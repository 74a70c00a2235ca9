#include "emulator/collectives/nccl/nccl_pat.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include "emulator/collectives/nccl/nccl_chunks.h"

namespace morgana::nccl {
namespace {

constexpr std::int64_t least_chunk = 64 << 10;
/// A chunk is halved until there are so many of all channels in the data.
constexpr std::int64_t chunks_of_all_gather = 32, chunks_of_reduce_scatter = 16;
constexpr int steps_of_buffer = 8;  // NCCL_STEPS

class PatWriter {
 public:
  PatWriter(const Plan& plan, int rank, const std::function<void(const Primitive&)>& visit)
      : plan_(plan),
        n_(plan.layout.ranks),
        rank_(rank),
        gathers_(plan.collective == MeasuredCollective::all_gather),
        how_(aggregation_of_pat(plan)),
        visit_(visit) {}

  void write() {
    const std::int64_t block = plan_.bytes / n_;
    for (offset_ = 0; offset_ < block; offset_ += how_.chunk) {
      bytes_ = std::min(how_.chunk, block - offset_);
      if (gathers_)
        gather();
      else
        reduce();
    }
  }

 private:
  /// Blocks of the ranks at `first`, `first` + `stride`, ..., each of which goes from `distance` nearer.
  struct Step {
    int distance, first, stride, blocks;
  };
  Step step(int distance, int first, int stride, int most) const {
    const int there = first < n_ ? (n_ - first + stride - 1) / stride : 0;
    return {distance, first, stride, std::min(most, there)};
  }
  /// While the aggregated blocks are spread.
  Step spreading(int scale) const {
    const int distance = scale * how_.branches;
    return step(distance, distance, 2 * distance, how_.blocks / (2 * scale));
  }
  /// Of one branch, in the trees of all aggregated blocks.
  Step along(int branch) const { return step(branch & -branch, branch, how_.branches, how_.blocks); }
  int messages(const Step& one) const { return (one.blocks + how_.per_message - 1) / how_.per_message; }

  void gather() {
    for (int scale = how_.blocks / 2; scale > 0; scale /= 2) {
      const Step spread = spreading(scale);
      send_all(spread);
      for (int i = 0; i < messages(spread); ++i) receive(spread, i);
    }
    follow(0, how_.branches);
  }
  /// A branch's own branches, the farthest first: each goes on as soon as it is there. The nearest one needs
  /// the blocks last, and what it brings goes no further.
  void follow(int branch, int width) {
    const Step parent = branch > 0 ? along(branch) : Step{};
    int received = 0;
    for (int distance = width / 2; distance > 0; distance /= 2) {
      const Step child = along(branch + distance);
      for (int i = 0; i < messages(child); ++i) {
        if (received < messages(parent)) receive(parent, received++);
        send(child, i);
      }
      if (distance > 1) {
        if (child.blocks > 0) follow(branch + distance, distance);
        continue;
      }
      while (received < messages(parent)) receive(parent, received++);
      for (int i = 0; i < messages(child); ++i) receive(child, i);
    }
  }

  /// The other way round. A branch's sum goes on when its nearest branch, the last one, has come.
  void reduce() {
    for (int branch = how_.branches - 1; branch > 0; --branch) {
      const Step one = along(branch);
      const bool is_nearest = branch % 2 == 1;
      if (is_nearest) send_all(one);
      const Step sum = is_nearest && branch > 1 ? along(branch - 1) : Step{};
      for (int i = 0; i < std::max(messages(one), messages(sum)); ++i) {
        if (i < messages(one)) receive(one, i);
        if (i < messages(sum)) send(sum, i);
      }
    }
    for (int scale = 1; scale < how_.blocks; scale *= 2) {
      const Step spread = spreading(scale);
      send_all(spread);
      for (int i = 0; i < messages(spread); ++i) receive(spread, i);
    }
  }

  void send_all(const Step& one) {
    for (int i = 0; i < messages(one); ++i) send(one, i);
  }
  Primitive part_of(const Step& one, int message) const {
    const int first = message * how_.per_message;
    Primitive part;
    part.in_stream = part.out_stream =
        static_cast<std::uint32_t>(std::countr_zero(static_cast<unsigned>(one.distance)));
    part.blocks = std::min(how_.per_message, one.blocks - first);
    part.bytes = part.blocks * bytes_;
    part.stride = one.stride * (plan_.bytes / n_);
    return part;
  }
  int rank_at(int distance) const { return ((rank_ + distance) % n_ + n_) % n_; }
  /// Of the rank that is so far away.
  std::int64_t offset_at(int distance) const { return rank_at(distance) * (plan_.bytes / n_) + offset_; }

  void send(const Step& one, int message) {
    Primitive out = part_of(one, message);
    const int first = one.first + message * how_.per_message * one.stride;
    out.to.push_back(rank_at(gathers_ ? -one.distance : one.distance));
    out.own = !gathers_ || first == one.distance;
    out.offset = offset_at(gathers_ ? first - one.distance : first);
    visit_(out);
  }
  void receive(const Step& one, int message) {
    Primitive in = part_of(one, message);
    const int first = one.first + message * how_.per_message * one.stride;
    in.from.push_back(rank_at(gathers_ ? one.distance : -one.distance));
    in.own = !gathers_;
    in.keeps = gathers_ || first == one.distance;
    in.offset = offset_at(gathers_ ? first : first - one.distance);
    visit_(in);
  }

  const Plan& plan_;
  int n_, rank_;
  bool gathers_;
  PatAggregation how_;
  const std::function<void(const Primitive&)>& visit_;
  std::int64_t offset_ = 0, bytes_ = 0;  // of a block, in this round
};

}  // namespace

std::uint32_t dimensions_of_pat(int ranks) {
  return static_cast<std::uint32_t>(std::bit_width(static_cast<unsigned>(ranks - 1)));
}

std::int64_t blocks_begun(const Plan& plan, const Primitive& one) {
  const bool is_first_chunk = one.blocks > 0 && one.offset % (plan.bytes / plan.layout.ranks) == 0;
  return is_first_chunk && !one.to.empty() ? one.blocks : 0;
}

PatAggregation aggregation_of_pat(const Plan& plan) {
  const std::int64_t channels = channels_in_use(plan);
  const std::int64_t least_chunks =
      plan.collective == MeasuredCollective::all_gather ? chunks_of_all_gather : chunks_of_reduce_scatter;
  std::int64_t chunk = simple_step;
  while (chunk * channels * least_chunks > plan.bytes && chunk > least_chunk) chunk /= 2;
  const int n = plan.layout.ranks;
  const std::int64_t of_channel = divided(plan.bytes / n, channels);
  PatAggregation how;
  how.chunk = chunk * channels;
  const auto can_double = [&] { return how.blocks < n / 2; };
  while (can_double() && chunk / (of_channel * how.blocks) >= 2) how.blocks *= 2;
  how.per_message = how.blocks;
  for (int steps = steps_of_buffer; steps > 1 && can_double(); steps /= 2) how.blocks *= 2;
  how.branches = (1 << dimensions_of_pat(n)) / how.blocks;
  return how;
}

void write_pat(const Plan& plan, int rank, const std::function<void(const Primitive&)>& visit) {
  assert(plan.collective == MeasuredCollective::all_gather ||
         plan.collective == MeasuredCollective::reduce_scatter);
  PatWriter(plan, rank, visit).write();
}

}  // namespace morgana::nccl
