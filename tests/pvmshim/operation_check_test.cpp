#include "pvmshim/channel/operation_check.h"

#include <gtest/gtest.h>

#include "pvmshim/channel/codec.h"

namespace morgana {
namespace {

constexpr std::size_t ranks = 3;
constexpr Bytes room(1000);

Operation said(OperationKind kind, Rank peer = Rank{1}, Bytes bytes = Bytes(10)) {
  Operation operation;
  operation.kind = kind;
  operation.peer = peer;
  operation.bytes = bytes;
  return operation;
}

TEST(OperationCheck, AcceptsWhatRanksSay) {
  EXPECT_NO_THROW(check_said(said(OperationKind::send, Rank{2}, room), ranks, room));
  EXPECT_NO_THROW(check_said(said(OperationKind::receive, any_rank, Bytes(2000)), ranks, room));
}

TEST(OperationCheck, RefusesRanksThatDoNotExist) {
  EXPECT_THROW(check_said(said(OperationKind::send, Rank{3}), ranks, room), MalformedRecord);
  EXPECT_THROW(check_said(said(OperationKind::send, Rank{-2}), ranks, room), MalformedRecord);
  Operation announced = said(OperationKind::context_created);
  announced.members = {Rank{0}, Rank{7}};
  EXPECT_THROW(check_said(announced, ranks, room), MalformedRecord);
}

TEST(OperationCheck, RefusesAMessageThatTheRanksMemoryCannotHold) {
  EXPECT_THROW(check_said(said(OperationKind::send, Rank{1}, Bytes(1001)), ranks, room), MalformedRecord);
}

TEST(OperationCheck, RefusesSizesThatNoMachineHolds) {
  const Bytes absurd(largest_size);
  EXPECT_THROW(check_said(said(OperationKind::access, Rank{1}, absurd), ranks, room), MalformedRecord);
  Operation collective = said(OperationKind::collective);
  collective.collective.receive_sizes = {Bytes(1), absurd};
  EXPECT_THROW(check_said(collective, ranks, room), MalformedRecord);
}

TEST(OperationCheck, RefusesToStartOrEndOtherRanks) {
  EXPECT_THROW(check_said(said(OperationKind::spawn), ranks, room), MalformedRecord);
  EXPECT_THROW(check_said(said(OperationKind::kill), ranks, room), MalformedRecord);
}

}  // namespace
}  // namespace morgana
