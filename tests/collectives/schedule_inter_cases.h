#pragma once

#include <vector>

#include "tests/collectives/schedule_cases.h"

namespace morgana::schedule_tests {

/// The shape of a collective between two groups; sizes beyond it are drawn.
struct InterShape {
  CollectiveKind kind{};
  std::int32_t first = 1, second = 1;  ///< members of each group
  std::int32_t root = 0;
  bool blocking = true, commutative = true;

  std::int32_t members() const { return first + second; }
  std::int32_t group_of(std::int32_t member) const { return member < first ? 0 : 1; }
  std::int32_t size_of(std::int32_t group) const { return group == 0 ? first : second; }
  /// The members of the group other than this member's.
  std::int32_t first_remote(std::int32_t member) const { return group_of(member) == 0 ? first : 0; }
  std::int32_t remote_size(std::int32_t member) const { return size_of(1 - group_of(member)); }
};

/// Those that MPI defines between groups.
std::vector<CollectiveKind> kinds_between_groups();
bool is_rooted(CollectiveKind kind);

/// Parts that fit together; members of the root's group name any other of their group as the root.
Parts draw_inter_parts(const InterShape& shape, RandomStream& random);
/// Parts in which all sizes are `bytes`. Where both groups together reduce, that times what makes both alike.
Parts equal_inter_parts(const InterShape& shape, Bytes bytes);

/// What `me` has to have of others when its part is done, and of whose entry it must have heard.
struct Needs {
  Bytes bytes;
  MemberSet members;
};
Needs needs_of(const InterShape& shape, const Parts& parts, std::int32_t me);

}  // namespace morgana::schedule_tests
