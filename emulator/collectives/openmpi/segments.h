#pragma once

#include <algorithm>
#include <cstdint>

#include "emulator/collectives/member.h"

namespace morgana::collectives::openmpi {

/// A message in pieces of whole elements, all alike but for a shorter last one. Member::segment says how long
/// a piece is, to the nearest element; a message is whole where that is shorter than an element or no
/// shorter than the message. Source: COLL_BASE_COMPUTED_SEGCOUNT in coll_base_functions.h.
class Segments {
 public:
  Segments(Bytes message, Bytes element, Bytes segment) : message_(message), piece_(message) {
    if (segment < element || segment >= message) return;
    const std::int64_t elements = segment.count() / element.count();
    const bool rounds_up = segment.count() - elements * element.count() > element.count() / 2;
    piece_ = std::min(message, element * (elements + (rounds_up ? 1 : 0)));
  }
  /// The member's whole message.
  explicit Segments(const Member& member)
      : Segments(member.part.bytes, member.part.element, member.segment) {}

  std::int64_t count() const {
    return message_ == Bytes() ? 1 : (message_.count() + piece_.count() - 1) / piece_.count();
  }
  Bytes operator[](std::int64_t i) const { return std::min(piece_, message_ - piece_ * i); }
  Bytes piece() const { return piece_; }

 private:
  Bytes message_, piece_;
};

}  // namespace morgana::collectives::openmpi
