#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <vector>

#include "emulator/core/host_use.h"
#include "emulator/operations/operation.h"

namespace morgana {

/// Who has sent what to whom: messages of a program's calls, those that carry out its collectives, and
/// one-sided accesses. Bytes are the program's, without envelopes and control messages.
class RankTraffic {
 public:
  struct Pair {
    Rank from{}, to{};
    Traffic traffic;
  };
  void add(Rank from, Rank to, Bytes bytes) { traffic_[key(from, to)].add(bytes); }
  /// By sender, then by receiver.
  std::vector<Pair> pairs() const;

 private:
  static constexpr unsigned half = 32;
  static std::uint64_t key(Rank from, Rank to) {
    return static_cast<std::uint64_t>(from) << half | static_cast<std::uint32_t>(to);
  }
  /// The table goes by the lowest bits, which are those of the receiver alone.
  struct Hash {
    std::size_t operator()(std::uint64_t pair) const {
      const std::uint64_t mixed = pair * 0x9e3779b97f4a7c15;
      return mixed ^ mixed >> half;
    }
  };
  tsl::robin_map<std::uint64_t, Traffic, Hash> traffic_;
};

}  // namespace morgana
