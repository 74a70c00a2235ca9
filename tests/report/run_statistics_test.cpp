#include "emulator/report/run_statistics.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace morgana {
namespace {

using namespace literals;

constexpr Rank rank0{0}, rank1{1};

Operation operation(OperationKind kind, CallPart part = CallPart::whole) {
  Operation result;
  result.kind = kind;
  result.part = part;
  return result;
}

Completed received(Rank source, Bytes bytes) {
  Completed result;
  result.source = source;
  result.bytes = bytes;
  return result;
}

TEST(RunStatistics, WhatLiesBetweenCallsIsComputing) {
  RunStatistics statistics(1);
  statistics.operation_ended(rank0, operation(OperationKind::send), 10_us, 12_us, {});
  statistics.operation_ended(rank0, operation(OperationKind::exit), 20_us, 20_us, {});
  EXPECT_EQ(statistics.ranks()[0].end, 20_us);
  EXPECT_EQ(statistics.ranks()[0].communication, 2_us);
  EXPECT_EQ(statistics.ranks()[0].compute(), 18_us);
}

// pvm_spawn sends each task that it has started the ids of the others, which a program may ask for or not.
TEST(RunStatistics, WhatServesPvmsTasksIsNoMessageOfTheProgram) {
  RunStatistics statistics(2);
  Operation introduction = operation(OperationKind::send), siblings = operation(OperationKind::wait);
  introduction.call = Call::pvm_spawn;
  introduction.context = service_context;
  introduction.peer = rank1;
  introduction.bytes = 112_B;
  siblings.call = Call::pvm_siblings;
  statistics.operation_ended(rank0, introduction, 10_us, 12_us, {});
  const std::vector<Completed> told{received(rank0, 112_B)};
  statistics.operation_ended(rank1, siblings, 10_us, 12_us, told);
  const RunStatistics::PerRank total = statistics.total();
  EXPECT_EQ(total.messages_sent, 0);
  EXPECT_EQ(total.messages_received, 0);
  EXPECT_EQ(total.bytes_sent + total.bytes_received, 0_B);
  for (const CallUse& use : statistics.calls()) EXPECT_EQ(use.bytes, 0_B);
}

TEST(RunStatistics, WhatLiesBetweenThePartsOfOneCallIsCommunication) {
  RunStatistics statistics(1);
  statistics.operation_ended(rank0, operation(OperationKind::send, CallPart::first), 10_us, 12_us, {});
  statistics.operation_ended(rank0, operation(OperationKind::wait, CallPart::last), 13_us, 20_us, {});
  EXPECT_EQ(statistics.ranks()[0].communication, 10_us);
}

TEST(RunStatistics, SleepingIsNoCommunication) {
  RunStatistics statistics(1);
  statistics.operation_ended(rank0, operation(OperationKind::sleep), 0_us, 30_us, {});
  EXPECT_EQ(statistics.ranks()[0].communication, 0_us);
  EXPECT_EQ(statistics.simulated_time(), 30_us);
}

TEST(RunStatistics, WaitingInVainInsideOfACallIsCommunication) {
  RunStatistics statistics(1);
  statistics.operation_ended(rank0, operation(OperationKind::receive, CallPart::first), 5_us, 5_us, {});
  statistics.operation_ended(rank0, operation(OperationKind::sleep, CallPart::last), 5_us, 30_us, {});
  EXPECT_EQ(statistics.ranks()[0].communication, 25_us);
}

// Where threads take turns other threads' calls lie between the parts of a call, and its wait stands alone.
TEST(RunStatistics, ABlockingCallCountsOnceWhereItsWaitStandsAlone) {
  RunStatistics statistics(1);
  Operation receive = operation(OperationKind::receive, CallPart::first);
  Operation look = operation(OperationKind::wait), wait = operation(OperationKind::wait);
  Operation send = operation(OperationKind::send), own = operation(OperationKind::wait);
  receive.call = look.call = wait.call = Call::MPI_Recv;
  send.call = Call::MPI_Isend;
  own.call = Call::MPI_Wait;
  look.duration = 2_us;
  statistics.operation_ended(rank0, receive, 5_us, 5_us, {});
  statistics.operation_ended(rank0, look, 5_us, 7_us, {});
  statistics.operation_ended(rank0, send, 7_us, 8_us, {});
  const std::vector<Completed> come{received(rank0, 9_B)};
  statistics.partner_came(rank0, WaitCause::late_sender, 11_us);
  statistics.operation_ended(rank0, wait, 8_us, 12_us, come);
  statistics.operation_ended(rank0, own, 12_us, 13_us, {});
  std::map<Call, CallUse> uses;
  for (const CallUse& use : statistics.calls()) uses[use.call] = use;
  EXPECT_EQ(uses[Call::MPI_Recv].count, 1U);
  EXPECT_EQ(uses[Call::MPI_Recv].time, 6_us);
  EXPECT_EQ(uses[Call::MPI_Recv].bytes, 9_B);
  EXPECT_EQ(uses[Call::MPI_Recv].late_sender, 3_us) << "from the wait on";
  EXPECT_EQ(uses[Call::MPI_Isend].count, 1U);
  EXPECT_EQ(uses[Call::MPI_Wait].count, 1U);
}

// In replays: a look of threads after what they go on to wait for, or a wait for switches that add up.
TEST(RunStatistics, TimeThatPassesInACallOfMpisIsOneUnlessTheCallGoesOn) {
  RunStatistics statistics(1);
  Operation passes = operation(OperationKind::sleep);
  passes.call = Call::MPI_Wait;
  passes.completion = Completion::some;
  for (int look = 0; look < 3; ++look) statistics.operation_ended(rank0, passes, 5_us, 30_us, {});
  ASSERT_EQ(statistics.calls().size(), 1U);
  EXPECT_EQ(statistics.calls()[0].count, 0);
  passes.completion = Completion::all;
  statistics.operation_ended(rank0, passes, 40_us, 50_us, {});
  EXPECT_EQ(statistics.calls()[0].count, 1);
  EXPECT_EQ(statistics.calls()[0].time, 85_us);
  EXPECT_EQ(statistics.ranks()[0].communication, 85_us);
}

// The emulator is asked for one poll of 2 us; 20 us later the rank asks again, having polled four times and
// computed for 12 us.
TEST(RunStatistics, PollsThatARankAnswersItselfAreCallsToo) {
  RunStatistics statistics(1);
  Operation poll = operation(OperationKind::test_probe);
  poll.call = Call::MPI_Iprobe;
  statistics.operation_ended(rank0, poll, 10_us, 12_us, {});
  poll.elapsed = 20_us;
  poll.polled = 8_us;
  const std::vector<Completed> found{received(rank0, 100_B)};
  statistics.operation_ended(rank0, poll, 32_us, 33_us, found);
  statistics.operation_ended(rank0, operation(OperationKind::exit), 33_us, 33_us, {});
  EXPECT_EQ(statistics.ranks()[0].communication, 11_us);
  EXPECT_EQ(statistics.ranks()[0].compute(), 22_us);
  ASSERT_EQ(statistics.calls().size(), 1U);
  EXPECT_EQ(statistics.calls()[0].call, Call::MPI_Iprobe);
  EXPECT_EQ(statistics.calls()[0].count, 6U);
  EXPECT_EQ(statistics.calls()[0].time, 11_us);
}

TEST(RunStatistics, ARankThatIsEndedInACallHasWaitedThere) {
  RunStatistics statistics(1);
  statistics.operation_ended(rank0, operation(OperationKind::receive, CallPart::first), 5_us, 5_us, {});
  statistics.operation_ended(rank0, operation(OperationKind::exit), 30_us, 30_us, {});
  EXPECT_EQ(statistics.ranks()[0].communication, 25_us);
  EXPECT_EQ(statistics.ranks()[0].compute(), 5_us);
}

TEST(RunStatistics, MessagesCountWhereTheyAreSentAndWhereTheirReceivesComplete) {
  RunStatistics statistics(2);
  Operation send = operation(OperationKind::send);
  send.bytes = 100_B;
  statistics.operation_ended(rank0, send, 0_us, 1_us, {});
  const std::vector<Completed> completed{received(rank0, 100_B), received(any_rank, 0_B)};
  statistics.operation_ended(rank1, operation(OperationKind::wait), 0_us, 5_us, completed);
  EXPECT_EQ(statistics.ranks()[0].messages_sent, 1u);
  EXPECT_EQ(statistics.ranks()[0].bytes_sent, 100_B);
  EXPECT_EQ(statistics.ranks()[1].messages_received, 1u);
  EXPECT_EQ(statistics.ranks()[1].bytes_received, 100_B);
}

TEST(RunStatistics, AProbeReceivesNothing) {
  RunStatistics statistics(1);
  const std::vector<Completed> found{received(rank0, 100_B)};
  statistics.operation_ended(rank0, operation(OperationKind::probe), 0_us, 5_us, found);
  EXPECT_EQ(statistics.ranks()[0].messages_received, 0u);
}

TEST(RunStatistics, ACancelledReceiveReceivesNothing) {
  RunStatistics statistics(1);
  std::vector<Completed> completed{received(rank0, 100_B)};
  completed[0].cancelled = true;
  statistics.operation_ended(rank0, operation(OperationKind::wait), 0_us, 5_us, completed);
  EXPECT_EQ(statistics.ranks()[0].messages_received, 0u);
}

TEST(RunStatistics, TheRunEndsWithItsLastRank) {
  RunStatistics statistics(2);
  statistics.operation_ended(rank0, operation(OperationKind::exit), 7_us, 7_us, {});
  statistics.operation_ended(rank1, operation(OperationKind::exit), 4_us, 4_us, {});
  EXPECT_EQ(statistics.simulated_time(), 7_us);
  EXPECT_EQ(statistics.total().end, 11_us);
}

TEST(RunStatistics, ARankThatOthersStartComputesFromThenOn) {
  RunStatistics statistics(1);
  Operation spawn = operation(OperationKind::spawn);
  spawn.peer = rank1;
  statistics.operation_ended(rank0, spawn, 30_us, 30_us, {});
  statistics.operation_ended(rank1, operation(OperationKind::send), 34_us, 36_us, {});
  statistics.operation_ended(rank1, operation(OperationKind::exit), 38_us, 38_us, {});
  EXPECT_EQ(statistics.ranks()[1].begin, 30_us);
  EXPECT_EQ(statistics.ranks()[1].compute(), 6_us);
  EXPECT_DOUBLE_EQ(statistics.ranks()[1].communication_share(), 0.25);
  EXPECT_EQ(statistics.total().compute(), 30_us + 6_us);
}

TEST(RunStatistics, LatencyRunsFromTheSendsBeginToTheDelivery) {
  RunStatistics statistics(2);
  statistics.message_delivered(rank0, rank1, 8_B, 10_us, 15_us);
  statistics.message_delivered(rank0, rank1, 8_B, 20_us, 27_us);
  EXPECT_EQ(statistics.latency().summary().count(), 2u);
  EXPECT_NEAR(statistics.latency().summary().mean(), 6e-6, 1e-15);
}

}  // namespace
}  // namespace morgana
