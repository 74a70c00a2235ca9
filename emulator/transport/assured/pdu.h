#pragma once

#include <cstdint>

namespace morgana::assured {

/// A sequence number, of as many bits as the protocol's frames have for it (Sequence).
using Number = std::uint32_t;

/// Sequence numbers of so many bits, which wrap.
/// @tparam bits  2 to 32
template <unsigned bits>
struct Sequence {
  static constexpr Number half = Number{1} << (bits - 1);
  static constexpr Number highest = half + (half - 1);

  static constexpr Number plus(Number number, std::uint32_t steps) { return (number + steps) & highest; }
  /// How many steps lead from one number on to another. From `half` on, `to` lies behind.
  static constexpr std::uint32_t distance(Number from, Number to) { return (to - from) & highest; }
  static constexpr bool behind(Number from, Number to) { return distance(from, to) >= half; }
};

/// The sender asks for the receiver's status.
struct Poll {
  Number nps;  ///< N(PS): the POLL's own number
  Number ns;   ///< N(S): the next new SD's
  bool operator==(const Poll&) const = default;
};

/// Unsolicited status: first .. end-1 are missing.
struct Ustat {
  Number first, end;
  Number nmr;  ///< N(MR): the first SD that the receiver does not accept
  Number nr;   ///< N(R): the first SD that is missing
  bool operator==(const Ustat&) const = default;
};

}  // namespace morgana::assured
