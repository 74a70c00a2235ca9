#include "pvmshim/channel/operation_check.h"

#include <gtest/gtest.h>

#include "pvmshim/channel/codec.h"

namespace morgana {
namespace {

constexpr std::size_t ranks = 3;
constexpr Bytes payload_room(1000);

Operation said(OperationKind kind, Rank peer = Rank{1}, Bytes bytes = Bytes(10)) {
  Operation operation;
  operation.kind = kind;
  operation.peer = peer;
  operation.bytes = bytes;
  return operation;
}

TEST(OperationCheck, AcceptsWhatRanksSay) {
  EXPECT_NO_THROW(check_said(said(OperationKind::send, Rank{2}, payload_room), ranks, payload_room));
  EXPECT_NO_THROW(check_said(said(OperationKind::receive, any_rank, Bytes(2000)), ranks, payload_room));
}

TEST(OperationCheck, RefusesRanksThatDoNotExist) {
  EXPECT_THROW(check_said(said(OperationKind::send, Rank{3}), ranks, payload_room), MalformedRecord);
  EXPECT_THROW(check_said(said(OperationKind::send, Rank{-2}), ranks, payload_room), MalformedRecord);
  Operation announced = said(OperationKind::context_created);
  announced.members = {Rank{0}, Rank{7}};
  EXPECT_THROW(check_said(announced, ranks, payload_room), MalformedRecord);
}

TEST(OperationCheck, RefusesAMessageThatTheRanksMemoryCannotHold) {
  EXPECT_THROW(check_said(said(OperationKind::send, Rank{1}, Bytes(1001)), ranks, payload_room),
               MalformedRecord);
}

TEST(OperationCheck, RefusesSizesThatNoMachineHolds) {
  const Bytes absurd(largest_size);
  EXPECT_THROW(check_said(said(OperationKind::access, Rank{1}, absurd), ranks, payload_room),
               MalformedRecord);
  Operation collective = said(OperationKind::collective);
  collective.collective.receive_sizes = {Bytes(1), absurd};
  EXPECT_THROW(check_said(collective, ranks, payload_room), MalformedRecord);
}

TEST(OperationCheck, RefusesToStartOrEndOtherRanks) {
  EXPECT_THROW(check_said(said(OperationKind::spawn), ranks, payload_room), MalformedRecord);
  EXPECT_THROW(check_said(said(OperationKind::kill), ranks, payload_room), MalformedRecord);
}

}  // namespace
}  // namespace morgana
