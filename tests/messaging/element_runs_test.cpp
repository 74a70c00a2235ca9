#include "emulator/messaging/element_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace morgana {
namespace {
namespace element_runs_of_parts {
using ::testing::ElementsAre;
using ::testing::IsEmpty;

ElementRun run(std::int64_t element, std::int64_t bytes) {
  return {Bytes(element), Bytes(bytes)};
}

TEST(ElementRuns, GiveEachElementItsShare) {
  EXPECT_THAT(element_runs({}), IsEmpty());
  // An int, two doubles, three shorts in XDR, which gives each four bytes.
  EXPECT_THAT(element_runs({{3, 1, 4}, {6, 2, 20}, {2, 3, 32}}),
              ElementsAre(run(4, 4), run(8, 16), run(4, 12)));
}

TEST(ElementRuns, JoinPartsOfElementsOfOneSize) {
  EXPECT_THAT(element_runs({{6, 2, 16}, {6, 0, 16}, {8, 3, 40}, {4, 1, 44}}),
              ElementsAre(run(8, 40), run(4, 4)));
}

// Five bytes are no two elements; a part that counts no elements has bytes nevertheless.
TEST(ElementRuns, AreBytesWhereTheyCannotBeShared) {
  EXPECT_THAT(element_runs({{0, 2, 5}, {0, 0, 9}}), ElementsAre(run(1, 9)));
}

}  // namespace element_runs_of_parts
}  // namespace
}  // namespace morgana
