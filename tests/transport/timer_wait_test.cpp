// How long transports say that messages waited for retransmission timers.
#include "emulator/transport/timer_wait.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/transport/gobackn/go_back_n.h"
#include "emulator/transport/infiniband/reliable_connections.h"
#include "emulator/transport/tcp/tcp.h"
#include "tests/transport/lossy_network.h"

namespace morgana::testing {
namespace {
using namespace literals;

struct Handed {
  SimTime at;
  std::int64_t bytes;
};
struct Told {
  SimTime departed, delivered, departed_after_wait, wait;
};

/// Host 0 sends to host 1, and every message is delivered.
class WaitDispatch : private EventHandler, private ShipmentListener {
 public:
  WaitDispatch(EventQueue& events, Transport& transport) : events_(events), transport_(transport) {}
  std::vector<Told> run(const std::vector<Handed>& plan) {
    plan_ = plan;
    told_.resize(plan.size());
    for (std::size_t i = 0; i < plan.size(); ++i) events_.schedule(plan[i].at, *this, i);
    while (!events_.idle()) events_.handle_next();
    return told_;
  }

 private:
  void handle(std::uint64_t message) override {
    transport_.send({{message, this}, HostId{0}, HostId{1}, Bytes(plan_[message].bytes)});
  }
  void shipment_departed(MessageId id) override {
    told_[id.number].departed = events_.now();
    told_[id.number].departed_after_wait = transport_.timer_wait();
  }
  void shipment_delivered(MessageId id) override {
    told_[id.number].delivered = events_.now();
    told_[id.number].wait = transport_.timer_wait();
  }
  void shipment_lost(MessageId) override { ADD_FAILURE() << "lost"; }
  void shipment_returned(MessageId, Outcome) override { ADD_FAILURE() << "returned"; }

  EventQueue& events_;
  Transport& transport_;
  std::vector<Handed> plan_;
  std::vector<Told> told_;
};

/// Over LossyNetwork (1 ns a byte, 1 us of latency). @param lost  of the units of host 0, from 0
template <typename Make>
std::vector<Told> told_by(Make make, const std::vector<Handed>& plan, const std::set<std::uint64_t>& lost) {
  EventQueue events;
  LossyNetwork network(events, 2, [&](const Unit& unit, std::uint64_t ordinal) {
    return unit.from == PortId{0} && lost.contains(ordinal);
  });
  network.largest = Bytes(4300);
  auto transport = make(events, network);
  return WaitDispatch(events, transport).run(plan);
}

auto tcp = [](EventQueue& events, Network& network) {
  TcpParameters parameters;
  parameters.handshake = false;
  return Tcp(events, network, 2, parameters);
};
auto tcp_with_handshake = [](EventQueue& events, Network& network) {
  TcpParameters parameters;
  parameters.handshake = true;
  return Tcp(events, network, 2, parameters);
};
auto go_back_n = [](EventQueue& events, Network& network) { return GoBackN(events, network, 2, {}); };
auto reliable = [](EventQueue& events, Network& network) {
  RcParameters parameters;
  parameters.timeout = 4;  // 65.536 us
  return ReliableConnections(events, network, 2, parameters);
};

/// A message of one unit that is lost goes again, whole, when the timer has run out: without what it waited,
/// from when it had left, it is as late as one that left and went at once.
template <typename Make>
void expect_that_a_lost_unit_waits(Make make) {
  const std::vector<Handed> plan{{0_us, 1000}};
  const Told without = told_by(make, plan, {}).at(0);
  EXPECT_EQ(without.wait, SimTime());
  EXPECT_EQ(without.departed_after_wait, SimTime());
  const Told with = told_by(make, plan, {0}).at(0);
  EXPECT_GT(with.wait, SimTime());
  EXPECT_GE(with.delivered, without.delivered + with.wait);
  EXPECT_LE(with.delivered, without.delivered + with.wait + 2_us);  // it has left a second time: some 1 us
  EXPECT_EQ(with.departed_after_wait, SimTime());
  // A second loss: the wait is that of both timers.
  const Told twice = told_by(make, plan, {0, 1}).at(0);
  EXPECT_GE(twice.wait, 2 * with.wait);
  EXPECT_LE(twice.delivered, without.delivered + twice.wait + 4_us);
}

TEST(TimerWait, OfTcpIsFromTheLastSegmentToTheTimeout) {
  expect_that_a_lost_unit_waits(tcp);
}
TEST(TimerWait, OfGoBackNIsFromTheLastUnitToTheTimeout) {
  expect_that_a_lost_unit_waits(go_back_n);
}
TEST(TimerWait, OfReliableConnectionsIsTheTimeout) {
  expect_that_a_lost_unit_waits(reliable);
  EXPECT_EQ(told_by(reliable, {{0_us, 1000}}, {0}).at(0).wait, 65'536_ns);
}

TEST(TimerWait, OfTcpHasLostSyns) {
  const Told with = told_by(tcp_with_handshake, {{0_us, 1000}}, {0}).at(0);
  EXPECT_LE(with.wait, 1_s);  // RFC 6298, 2.1: the first timeout
  EXPECT_GT(with.wait, 1_s - 1_us);
}

TEST(TimerWait, BeginsWhenAMessageIsHandedOver) {
  TimerWait wait(10_us);
  wait.add(2_us, 8_us);
  EXPECT_EQ(wait.total(), SimTime());
  wait.add(4_us, 15_us);
  EXPECT_EQ(wait.total(), 5_us);
  wait.add(20_us, 30_us);
  EXPECT_EQ(wait.total(), 15_us);
}

/// The second one is handed over while the window is closed and the timer runs, the third one when all is
/// well.
TEST(TimerWait, OfMessagesBehindALossIsTheirOwn) {
  const auto one_at_a_time = [](EventQueue& events, Network& network) {
    return GoBackN(events, network, 2, {.window = 1});
  };
  const std::vector<Told> told = told_by(one_at_a_time, {{0_us, 960}, {50_us, 960}, {2_s, 960}}, {0});
  EXPECT_GT(told.at(0).wait, 200_ms);
  EXPECT_EQ(told.at(0).wait - told.at(1).wait, 50_us - 1_us);  // a unit of 1,000 B leaves after 1 us
  EXPECT_EQ(told.at(1).departed_after_wait, told.at(1).wait);
  EXPECT_EQ(told.at(2).wait, SimTime());
}

}  // namespace
}  // namespace morgana::testing
