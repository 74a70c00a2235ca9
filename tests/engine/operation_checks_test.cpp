#include "emulator/engine/operation_checks.h"

#include <gtest/gtest.h>

#include "emulator/core/error.h"

namespace morgana {
namespace {

TEST(OperationChecks, AllRanksTogetherMoveANumberOfBytes) {
  const OperationChecks checks(4);
  const Operation operation;
  const std::int64_t most = std::int64_t{1} << 58;  // a fourth of 2^60
  EXPECT_NO_THROW(checks.size(Rank{0}, operation, Bytes(most)));
  EXPECT_THROW(checks.size(Rank{0}, operation, Bytes(most + 1)), Error);
  EXPECT_THROW(checks.size(Rank{0}, operation, Bytes(-1)), Error);
}

TEST(OperationChecks, EverySizeOfACollectiveIsLookedAt) {
  const OperationChecks checks(4);
  Operation operation;
  operation.kind = OperationKind::collective;
  operation.collective.receive_sizes = {Bytes(1), Bytes(-1)};
  EXPECT_THROW(checks.sizes(Rank{0}, operation), Error);
  operation.kind = OperationKind::read_clock;
  EXPECT_NO_THROW(checks.sizes(Rank{0}, operation)) << "what is left there from before is not a part of it";
}

TEST(OperationChecks, PeersAreRanksAndWildcardsOnlyWhereTheyMayBe) {
  const OperationChecks checks(2);
  Operation operation;
  operation.peer = Rank{1};
  EXPECT_NO_THROW(checks.peer(Rank{0}, operation, false));
  operation.peer = Rank{2};
  EXPECT_THROW(checks.peer(Rank{0}, operation, true), Error);
  operation.peer = any_rank;
  EXPECT_NO_THROW(checks.peer(Rank{0}, operation, true));
  EXPECT_THROW(checks.peer(Rank{0}, operation, false), Error);
}

TEST(OperationChecks, NegativeTagsAreRefused) {
  const OperationChecks checks(2);
  Operation operation;
  operation.peer = Rank{1};
  operation.tag = Tag{-3};
  EXPECT_THROW(checks.envelope(Rank{0}, operation, true), Error);
  operation.tag = any_tag;
  EXPECT_NO_THROW(checks.envelope(Rank{0}, operation, true));
  EXPECT_THROW(checks.envelope(Rank{0}, operation, false), Error);
}

}  // namespace
}  // namespace morgana
