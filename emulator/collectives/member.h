#pragma once

#include <bit>
#include <cstdint>

#include "emulator/operations/operation.h"

namespace morgana::collectives {

/// Whose part of which collective is being planned.
struct Member {
  const CollectivePart& part;
  std::int32_t members;
  std::int32_t me;
  /// Of Open MPI's algorithms, where one is named: CollectiveTuning::segment and chains.
  Bytes segment = Bytes();
  std::int32_t chains = 1;

  bool is_root() const { return me == part.root; }
  /// The member `distance` places after (before) this one, around the ring; 0 <= distance < members.
  std::int32_t after(std::int32_t distance) const { return wrapped(me + distance); }
  std::int32_t before(std::int32_t distance) const { return wrapped(me - distance + members); }
  /// This member's number when the root is counted as 0, and the member who has a number.
  std::int32_t number_from_root() const { return wrapped(me - part.root + members); }
  std::int32_t numbered_from_root(std::int32_t number) const { return wrapped(number + part.root); }

 private:
  std::int32_t wrapped(std::int32_t index) const { return index >= members ? index - members : index; }
};

constexpr bool is_power_of_two(std::int32_t n) {
  return std::has_single_bit(static_cast<std::uint32_t>(n));
}
/// The largest power of two that is not above `n`, > 0.
constexpr std::int32_t power_of_two_within(std::int32_t n) {
  return static_cast<std::int32_t>(std::bit_floor(static_cast<std::uint32_t>(n)));
}

}  // namespace morgana::collectives
