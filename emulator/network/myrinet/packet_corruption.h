#pragma once

#include <cstdint>
#include <functional>

#include "emulator/core/random.h"
#include "emulator/network/network.h"
#include "emulator/topology/switch_graph.h"

namespace morgana::myrinet {

/// Decides on which channels packets are corrupted: by chance, independently on each channel that a packet
/// has crossed, or as a test says.
class PacketCorruption {
 public:
  /// @param probability  for each channel, 0 .. 1
  PacketCorruption(double probability, std::uint64_t seed)
      : probability_(probability), chance_(seed, "myrinet corruption") {}

  void decide_by(std::function<bool(UnitId, CableChannel)> decide) { decide_ = std::move(decide); }
  bool corrupts(UnitId id, CableChannel channel) {
    return decide_ ? decide_(id, channel) : probability_ > 0 && chance_.chance(probability_);
  }

 private:
  double probability_;
  RandomStream chance_;
  std::function<bool(UnitId, CableChannel)> decide_;
};

}  // namespace morgana::myrinet
