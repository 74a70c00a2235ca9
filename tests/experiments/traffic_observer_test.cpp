#include "experiments/traffic_observer.h"

#include <gtest/gtest.h>

namespace morgana::atm_paper {
namespace {

constexpr Rank daemon{0}, master{1}, worker{2}, other{3};

class Traffic : public testing::Test {
 protected:
  void compute(Rank rank, double seconds) {
    Operation operation;
    operation.elapsed = SimTime::from_seconds(seconds);
    tell(rank, operation, {});
  }
  void send(Rank rank, Rank to) {
    Operation operation;
    operation.kind = OperationKind::send;
    operation.peer = to;
    tell(rank, operation, {});
  }
  void receive(Rank rank, Rank from, std::int64_t bytes) {
    Operation operation;
    operation.kind = OperationKind::wait;
    Completed message;
    message.source = from;
    message.bytes = Bytes(bytes);
    tell(rank, operation, {&message, 1});
  }
  TrafficObserver traffic;

 private:
  void tell(Rank rank, const Operation& operation, std::span<const Completed> completed) {
    traffic.operation_ended(rank, operation, SimTime(), SimTime(), completed);
  }
};

TEST_F(Traffic, CountsWhatTasksReceiveOfEachOther) {
  receive(worker, master, 40);
  receive(other, worker, 8192);
  receive(worker, daemon, 1000);  // PVM's own
  receive(daemon, worker, 1000);
  EXPECT_EQ(traffic.lengths().summary().count(), 2u);
  EXPECT_EQ(traffic.lengths().summary().mean(), (40 + 8192) / 2.0);
}

TEST_F(Traffic, KnowsWhoStillComputesWhenSending) {
  compute(worker, 0.0001);
  send(worker, other);  // setting up
  compute(worker, 5);
  send(worker, other);   // in the middle
  send(worker, daemon);  // PVM's own
  compute(worker, 5);
  send(worker, master);  // the result
  EXPECT_EQ(traffic.during_computing(), 1u);
}

TEST_F(Traffic, LeavesTheMasterOutOfTheMeanComputing) {
  compute(master, 100);
  compute(worker, 1);
  compute(other, 3);
  EXPECT_DOUBLE_EQ(traffic.worker_computing(), 2);
}

}  // namespace
}  // namespace morgana::atm_paper
