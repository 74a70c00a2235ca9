#pragma once

#include <cstdint>

#include "emulator/collectives/nccl/nccl_chunks.h"
#include "emulator/collectives/nccl/nccl_schedule.h"

namespace morgana::nccl {

/// A lane's part of the buffer, or of each block. May be empty.
ChunkPiece share_of_lane(const Plan& plan, int lane);
/// Of each lane, > 0.
std::int64_t channels_of_lane(const Plan& plan);
/// What a channel sends at a time, > 0.
std::int64_t chunk_of_channel(const Plan& plan);

/// What the ranks of one lane's ring do, step by step. Each step follows from its number: none is stored.
class RingLane {
 public:
  /// @param plan  by Algorithm::ring; must outlive this  @param lane  below lanes_of(plan)
  RingLane(const Plan& plan, int lane);

  /// How often data go around; 0: there is nothing for this lane.
  std::int64_t rounds() const { return rounds_; }
  /// Of a round.
  int steps() const { return steps_; }

  /// In the ring of a rail a node is entered at the rail's GPU and left from the one before it.
  int place_of(int rank) const {
    return rank / per_node_ * gpus_ + (rank % per_node_ + gpus_ - lane_ % gpus_) % gpus_;
  }
  /// @param place  any: the one before 0 is the last
  int rank_at(int place) const {
    place = (place % n_ + n_) % n_;
    return place / gpus_ * per_node_ + (place % gpus_ + lane_) % gpus_;
  }

  struct Step {
    bool receives = false, sends = false, own = false, keeps = false;
    ChunkPiece piece{};
  };
  // Of a step alone:
  bool receives(int place, int number) const { return steps_ > 1 ? number > 0 : along(place, {}).receives; }
  bool sends(int place, int number) const {
    return steps_ > 1 ? number < steps_ - 1 : along(place, {}).sends;
  }
  /// @param round  below rounds()  @param number  below steps()
  Step step(int place, std::int64_t round, int number) const;

  /// Below Plan's slices. A step's first slice is always there.
  bool has_slice(const ChunkPiece& piece, int slice) const {
    return slice == 0 || slice_bytes(piece) * slice < piece.bytes;
  }
  ChunkPiece slice_of(const ChunkPiece& piece, int slice) const {
    const std::int64_t each = slice_bytes(piece), begin = each * slice;
    return {piece.offset + begin, each < piece.bytes - begin ? each : piece.bytes - begin};
  }

 private:
  std::int64_t slice_bytes(const ChunkPiece& piece) const;
  Step along(int place, const ChunkPiece& piece) const;
  int wrapped(int place) const { return place < 0 ? place + n_ : place >= n_ ? place - n_ : place; }

  const Plan& plan_;
  int lane_, n_, per_node_, gpus_, slices_, steps_, root_place_;
  ChunkPiece share_;
  std::int64_t most_;   ///< bytes of a chunk
  std::int64_t parts_;  ///< chunks that go around in a round
  std::int64_t rounds_;
  std::int64_t last_;   ///< bytes of a chunk in the last round
  std::int64_t least_;  ///< bytes of a slice, of several
};

}  // namespace morgana::nccl
