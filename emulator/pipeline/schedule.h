#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "emulator/pipeline/stage.h"

namespace morgana::pipeline {

/// A message's pieces at each stage, in whole bytes. Without reassembly and refragmentation they are the same
/// at all stages; all stages' pieces have the same sum.
using Pieces = std::vector<std::vector<Bytes>>;

/// Every real size rounded so that their sum is `message`: each boundary between fragments is moved to the
/// nearest byte. @param sizes  at least a byte each, summing up to `message`
std::vector<Bytes> whole_bytes(std::span<const RealBytes> sizes, Bytes message);

/// A piece's time in a stage.
struct Transfer {
  SimTime begin, end;
  Bytes first, size;  ///< of the message's bytes
};

/// A message's way through all stages, to the picosecond.
class Schedule {
 public:
  /// Each piece enters a stage as soon as all its bytes have left the stage before and the piece before it
  /// has left this one. @param pieces  one sequence for each stage
  Schedule(std::span<const Stage> stages, const Pieces& pieces);

  /// By stage, then in order.
  const std::vector<std::vector<Transfer>>& transfers() const { return transfers_; }
  SimTime latency() const { return transfers_.back().back().end; }

  /// The stage that works longest, the first of several; and T_f + T_b + T_l, which are the latency (Eq. 4).
  struct Parts {
    std::size_t bottleneck = 0;
    SimTime first;   ///< T_f: until the first piece reaches the bottleneck
    SimTime inside;  ///< T_b: from there until the last one leaves it
    SimTime last;    ///< T_l: until that has left the pipeline
  };
  Parts parts() const;

 private:
  std::vector<std::vector<Transfer>> transfers_;
};

}  // namespace morgana::pipeline
