#pragma once

#include <tsl/robin_map.h>

#include <array>
#include <bit>
#include <cstddef>
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
  void add(Rank from, Rank to, Bytes bytes) {
    traffic_[key(from, to)].add(bytes);
    ++sizes_[static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(bytes.count())))];
  }
  /// By sender, then by receiver.
  std::vector<Pair> pairs() const;
  /// How many messages had which size: place 0 counts those of no bytes, place b those of at least 2^(b-1)
  /// and less than 2^b.
  const std::array<std::int64_t, 65>& sizes() const { return sizes_; }

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
  std::array<std::int64_t, 65> sizes_{};
};

}  // namespace morgana
