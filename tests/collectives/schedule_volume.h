#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <string_view>

#include "tests/collectives/schedule_cases.h"

namespace morgana::schedule_tests {

// What the tests of volumes and rounds share.

using Kind = CollectiveKind;

constexpr std::int32_t most_members = 40;

inline int rounds_of_halving(std::int32_t members) {  // ceil(log2 n)
  return static_cast<int>(std::bit_width(static_cast<std::uint32_t>(members - 1)));
}
inline int hops_of_tree(std::int32_t members) {  // floor(log2 n): the deepest member of a binomial tree
  return static_cast<int>(std::bit_width(static_cast<std::uint32_t>(members))) - 1;
}
inline bool power_of_two(std::int32_t n) {
  return std::has_single_bit(static_cast<std::uint32_t>(n));
}

inline Execution run(const Shape& shape, std::string_view algorithm, Bytes bytes, Bytes element = Bytes(1)) {
  return execute(schedules_of(equal_parts(shape, bytes, element), tuned(shape.kind, algorithm)),
                 Sends::eager);
}

/// Calls `check` with the members 1 .. 40 (or the powers of two among them) and what came of them.
template <class Check>
void for_members(Kind kind, std::string_view algorithm, Bytes bytes, Check check, bool only_powers = false) {
  for (std::int32_t members = 2; members <= most_members; ++members) {
    if (only_powers && !power_of_two(members)) continue;
    SCOPED_TRACE(members);
    check(members, run({kind, members}, algorithm, bytes));
  }
}

inline Bytes total_sent(const Execution& execution) {
  Bytes total;
  for (const auto& member : execution.members) total += member.sent;
  return total;
}
inline Bytes total_reduced(const Execution& execution) {
  Bytes total;
  for (const auto& member : execution.members) total += member.reduced;
  return total;
}

template <class Each>
void expect_of_all(const Execution& execution, Each each) {
  for (std::size_t me = 0; me < execution.members.size(); ++me) {
    SCOPED_TRACE(me);
    each(execution.members[me]);
  }
}

}  // namespace morgana::schedule_tests
