#include "emulator/collectives/nccl/nccl_ring.h"

#include <algorithm>
#include <cassert>

namespace morgana::nccl {
namespace {

// Useful bytes of a channel's buffers (NCCL 2.30.7, src/include/device.h): a step is an eighth of 512 KiB
// (LL), of 4,915,200 B (LL128), of 4 MiB (Simple).
constexpr std::int64_t ll_chunk = 32 << 10, ll128_chunk = 576'000;
constexpr std::int64_t steps_of_ring_chunk = 4;
constexpr std::int64_t least_slice = 32 << 10;

}  // namespace

ChunkPiece share_of_lane(const Plan& plan, int lane) {
  constexpr std::int64_t element = measured_element.count();
  const std::int64_t all = has_blocks(plan.collective) ? plan.bytes / plan.layout.ranks : plan.bytes;
  const std::int64_t each = divided(divided(all, lanes_of(plan)), element) * element;
  const std::int64_t begin = std::min(all, each * lane);
  return {begin, std::min(all - begin, each)};
}

std::int64_t channels_of_lane(const Plan& plan) {
  return std::max(1, channels_in_use(plan) / lanes_of(plan));
}

std::int64_t chunk_of_channel(const Plan& plan) {
  switch (plan.protocol) {
    case Protocol::ll:
      return ll_chunk;
    case Protocol::ll128:
      return ll128_chunk;
    case Protocol::simple:
      break;
  }
  const bool short_chunks = plan.algorithm == Algorithm::tree ||
                            plan.collective == MeasuredCollective::broadcast ||
                            plan.collective == MeasuredCollective::reduce;
  return short_chunks ? simple_step : simple_step * steps_of_ring_chunk;
}

RingLane::RingLane(const Plan& plan, int lane)
    : plan_(plan),
      lane_(lane),
      n_(plan.layout.ranks),
      per_node_(plan.layout.per_node),
      gpus_(plan.layout.gpus()),
      slices_(nccl::slices_of(plan)),
      steps_(1),
      root_place_(place_of(plan.root)),
      share_(share_of_lane(plan, lane)),
      most_(channels_of_lane(plan) * chunk_of_channel(plan)),
      parts_(1),
      least_(least_slice * channels_of_lane(plan)) {
  assert(n_ > 1);
  switch (plan.collective) {
    case MeasuredCollective::all_reduce:
      parts_ = n_;
      steps_ = 2 * n_ - 1;
      break;
    case MeasuredCollective::all_gather:
    case MeasuredCollective::reduce_scatter:
      steps_ = n_;
      break;
    default:
      break;
  }
  rounds_ = divided(share_.bytes, most_ * parts_);
  last_ = std::min(most_, aligned(divided(share_.bytes - (rounds_ - 1) * most_ * parts_, parts_)));
}

std::int64_t RingLane::slice_bytes(const ChunkPiece& piece) const {
  return slices_ == 1 ? piece.bytes : std::max(aligned(divided(piece.bytes, slices_)), least_);
}

/// What is sent in the first step of an all-reduce has been reduced by all when it comes to its own place;
/// then it goes around once more.
RingLane::Step RingLane::step(int place, std::int64_t round, int number) const {
  const std::int64_t done = round * most_ * parts_;
  const std::int64_t chunk = round + 1 < rounds_ ? most_ : last_;
  const ChunkPiece whole{share_.offset + done, std::min(chunk, share_.bytes - done)};
  Step step;
  step.receives = receives(place, number);
  step.sends = sends(place, number);
  switch (plan_.collective) {
    case MeasuredCollective::all_reduce: {
      const int of = wrapped(place - 1 - number + (number >= n_ ? n_ : 0));
      const std::int64_t begin = std::min(share_.bytes, done + chunk * static_cast<std::int64_t>(of));
      step.piece = {share_.offset + begin, std::min(chunk, share_.bytes - begin)};
      step.own = number < n_;
      step.keeps = number >= n_ - 1;
      return step;
    }
    case MeasuredCollective::all_gather:
      step.piece = {rank_at(wrapped(place - number)) * (plan_.bytes / n_) + whole.offset, whole.bytes};
      step.own = number == 0;
      step.keeps = true;
      return step;
    case MeasuredCollective::reduce_scatter:
      step.piece = {rank_at(wrapped(place - 1 - number)) * (plan_.bytes / n_) + whole.offset, whole.bytes};
      step.own = true;
      step.keeps = number == n_ - 1;
      return step;
    default:
      return along(place, whole);
  }
}

/// Broadcast: from the root around the ring. Reduce: to the root.
RingLane::Step RingLane::along(int place, const ChunkPiece& piece) const {
  const int after_root = wrapped(place - root_place_);
  if (plan_.collective == MeasuredCollective::broadcast)
    return {after_root > 0, after_root < n_ - 1, after_root == 0, true, piece};
  return {after_root != 1, after_root != 0, true, after_root == 0, piece};
}

}  // namespace morgana::nccl
