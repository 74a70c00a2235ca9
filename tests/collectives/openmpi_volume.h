#pragma once

#include "tests/collectives/schedule_volume.h"

namespace morgana::schedule_tests {

// What the tests of Open MPI's algorithms share.

constexpr std::int32_t most_openmpi_members = 17;
inline constexpr bool rooted = true;

struct OpenMpi {
  std::string_view algorithm = "";  ///< "": Open MPI's own choice
  Bytes segment = Bytes();
  std::uint32_t chains = 1;
};

inline CollectiveTuning tuning_of(CollectiveKind kind, const OpenMpi& how) {
  CollectiveTuning tuning = how.algorithm.empty() ? CollectiveTuning() : tuned(kind, how.algorithm);
  tuning.library = CollectiveLibrary::openmpi;
  tuning.segment = how.segment;
  tuning.chains = how.chains;
  return tuning;
}

inline Execution run(const Shape& shape, const OpenMpi& how, Bytes bytes, Bytes element = Bytes(1)) {
  Execution execution =
      execute(schedules_of(equal_parts(shape, bytes, element), tuning_of(shape.kind, how)), Sends::eager);
  EXPECT_EQ(execution.failure, "");
  return execution;
}

/// Calls `check` with the numbers of members 2 .. 17, all roots of rooted kinds, and what came of them.
template <class Check>
void for_openmpi(CollectiveKind kind, const OpenMpi& how, Bytes bytes, Check check, bool has_root = false) {
  for (std::int32_t members = 2; members <= most_openmpi_members; ++members)
    for (std::int32_t root = 0; root < (has_root ? members : 1); ++root) {
      SCOPED_TRACE(testing::Message() << how.algorithm << ": root " << root << " of " << members);
      check(members, run({kind, members, root}, how, bytes), root);
    }
}

inline int total_messages(const Execution& execution) {
  int messages = 0;
  for (const auto& member : execution.members) messages += member.messages_sent;
  return messages;
}

/// The largest power of two within `members`, and its logarithm.
inline std::int32_t power_within(std::int32_t members) {
  return 1 << hops_of_tree(members);
}

}  // namespace morgana::schedule_tests
