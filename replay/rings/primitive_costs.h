#pragma once

#include "emulator/collectives/nccl/nccl_schedule.h"

namespace morgana {

/// What the primitives of a plan cost a worker.
class PrimitiveCosts {
 public:
  /// Both must outlive this.
  PrimitiveCosts(const nccl::Plan& plan, const nccl::Parameters& parameters);

  /// Before everything else that a worker does.
  SimTime start() const { return parameters_.launch + costs_.start; }
  /// Of what `rank` sends to `to`. Switches take no time.
  SimTime hop(int rank, int to) const;
  /// Of the data alone. @param adds  what comes is added to what is there
  SimTime data(Bytes bytes, bool sends, bool adds) const;
  /// Of a switch, not a GPU.
  bool is_unit(int rank) const { return rank >= plan_.layout.ranks; }
  bool is_unit_of_node(int rank) const {
    return is_unit(rank) && plan_.units->is_of_node(rank - plan_.layout.ranks);
  }

 private:
  const nccl::Plan& plan_;
  const nccl::Parameters& parameters_;
  const nccl::Costs& costs_;
  ByteCost per_byte_;
  std::int64_t sharing_;  ///< workers that share a GPU
};

}  // namespace morgana
