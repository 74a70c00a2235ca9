#pragma once

#include <functional>
#include <vector>

#include "emulator/core/random.h"
#include "tests/collectives/schedule_executor.h"

namespace morgana::schedule_tests {

/// One collective: every member's part of it.
using Parts = std::vector<CollectivePart>;

/// The shape of a case; sizes beyond it are drawn.
struct Shape {
  CollectiveKind kind{};
  std::int32_t members = 1;
  std::int32_t root = 0;
  bool in_place = false, blocking = true, commutative = true;
};

/// Parts that fit together. Sizes are drawn around MPICH's limits, and from small and large ones, zero
/// included; neighbourhoods have edges that are several and edges from a member to itself.
Parts draw_parts(const Shape& shape, RandomStream& random);
/// Parts of a kind in which all sizes are `bytes`.
Parts equal_parts(const Shape& shape, Bytes bytes, Bytes element = Bytes(1));

/// Of whose entry `me` must have heard when its part is done, because it then has something of theirs or
/// because the collective synchronises.
MemberSet needed_by(const Parts& parts, std::size_t me);

std::vector<Schedule> schedules_of(const Parts& parts, const CollectiveTuning& tuning = {});
/// Tuned to one algorithm.
CollectiveTuning tuned(CollectiveKind kind, std::string_view algorithm);

}  // namespace morgana::schedule_tests
