// Reliable connections with congestion control and traffic classes, over a link that marks and holds up what
// it is told to.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/core/event_queue.h"
#include "emulator/network/network.h"
#include "emulator/transport/infiniband/reliable_connections.h"

namespace morgana {
namespace {

constexpr SimTime nano(double ns) {
  return SimTime::from_ps(static_cast<std::int64_t>(ns * 1'000 + 0.5));
}

/// Hosts with a cable of 100 Gb/s each to everywhere, and 1 us to the other end. Each class has its own.
class MarkingLink final : public Network, public MarkingNetwork, private EventHandler {
 public:
  explicit MarkingLink(EventQueue& events) : events_(events) {}

  std::function<bool(std::size_t number)> marks = [](std::size_t) { return false; };
  SimTime first_cnp = SimTime::max();  ///< that host 0 sends
  SimTime held_until;                  ///< what host 0 sends in class 1
  std::vector<SimTime> starts;         ///< of what host 0 sends in class `watched`
  unsigned watched = 0;

  void inject(const Unit& unit) override {
    const bool held = unit.from == PortId{0} && unit.traffic_class == 1;
    SimTime& free = free_[{unit.from, unit.traffic_class}];
    const SimTime start = std::max({events_.now(), free, held ? held_until : SimTime()});
    if (unit.from == PortId{0} && unit.traffic_class == watched && unit.size > Bytes(100))
      starts.push_back(start);
    free = start + rate.time_for(unit.size);
    if (unit.from == PortId{0} && unit.size == Bytes(32)) first_cnp = std::min(first_cnp, start);
    units_.push_back(unit);
    events_.schedule(free, *this, 2 * (units_.size() - 1));
    events_.schedule(free + nano(1'000), *this, 2 * (units_.size() - 1) + 1);
  }
  Bytes largest_unit() const override { return Bytes(4'132); }
  NetworkCapabilities capabilities() const override { return {.traffic_classes = 2, .lossless = true}; }
  NetworkExtensions extensions() override { return {.marking = this}; }
  BitRate port_rate(PortId) const override { return rate; }
  Bytes on_link(Bytes unit) const override { return unit; }
  bool delivered_marked() const override { return marked_; }

 private:
  void handle(std::uint64_t what) override {
    const Unit unit = units_[what / 2];
    marked_ = marks(what / 2);
    if (what % 2 == 0)
      listener_->unit_departed(unit.id, unit.from);
    else
      listener_->unit_delivered(unit.id, unit.to);
  }

  static constexpr BitRate rate{100'000'000'000};
  EventQueue& events_;
  std::vector<Unit> units_;
  std::map<std::pair<PortId, unsigned>, SimTime> free_;
  bool marked_ = false;
};

RcParameters with_dcqcn() {
  RcParameters parameters;
  parameters.path_mtu = Bytes(1'024);
  parameters.control = RcParameters::Control::dcqcn;
  return parameters;
}

/// Writes between hosts 0 and 1.
class RcPace : public ::testing::Test, private ShipmentListener {
 protected:
  void run(const RcParameters& parameters, const std::vector<std::pair<unsigned, std::int64_t>>& writes) {
    ReliableConnections transport(events_, link_, 2, parameters);
    for (std::size_t number = 0; number < writes.size(); ++number)
      transport.send({.id = {number, this},
                      .from = HostId{writes[number].first},
                      .to = HostId{1 - writes[number].first},
                      .bytes = Bytes(writes[number].second),
                      .verb = Verb::write,
                      .completes = true});
    while (!events_.empty()) events_.handle_next();
    counters_ = transport.counters();
  }

  EventQueue events_;
  MarkingLink link_{events_};
  RcCounters counters_;
  std::map<std::uint64_t, SimTime> completed_;

 private:
  void shipment_departed(MessageId) override {}
  void shipment_delivered(MessageId) override {}
  void shipment_completed(MessageId id) override { completed_[id.number] = events_.now(); }
  void shipment_lost(MessageId) override { FAIL(); }
  void shipment_returned(MessageId, Outcome) override { FAIL(); }
};

/// Packets of 1,024 B and BTH, ICRC 16 B take 83.2 ns, the first one with RETH 84.48 ns. It comes marked at
/// 1,084.48 ns; the CNP of 32 B takes 2.56 ns and is back at 2,087.04 ns. From then on the rate is half.
TEST_F(RcPace, IsHalfOnceTheFirstCnpHasCome) {
  link_.marks = [](std::size_t number) { return number == 0; };
  run(with_dcqcn(), {{0, 100 * 1'024}});
  ASSERT_EQ(link_.starts.size(), 100U);
  std::size_t halved = 0;
  for (std::size_t n = 2; n < link_.starts.size(); ++n) {
    const bool after = link_.starts[n - 1] >= nano(2'087.04);
    halved += after;
    EXPECT_EQ(link_.starts[n] - link_.starts[n - 1], nano(after ? 166.4 : 83.2)) << n;
  }
  EXPECT_EQ(halved, 100 - 27U);  // starts 1 to 25 come before it, and 26 keeps the pace of 25
  EXPECT_EQ(counters_.marked, 1U);
  EXPECT_EQ(counters_.notifications, 1U);
}

TEST_F(RcPace, IsNotTouchedByMarksWithoutCongestionControl) {
  link_.marks = [](std::size_t) { return true; };
  RcParameters parameters = with_dcqcn();
  parameters.control = RcParameters::Control::none;
  run(parameters, {{0, 100 * 1'024}});
  EXPECT_EQ(link_.starts.back(), nano(84.48 + 98 * 83.2));
  EXPECT_EQ(counters_.notifications, 0U);
}

TEST_F(RcPace, AReceiverNotifiesOnceInAnInterval) {
  link_.marks = [](std::size_t) { return true; };
  run(with_dcqcn(), {{0, 100 * 1'024}});  // less than 50 us
  EXPECT_EQ(counters_.marked, 100U);
  EXPECT_EQ(counters_.notifications, 1U);
}

TEST_F(RcPace, AReceiverNotifiesOfEachMarkedPacketWithoutAnInterval) {
  link_.marks = [](std::size_t number) { return number % 2 == 0; };
  RcParameters parameters = with_dcqcn();
  parameters.dcqcn.cnp_interval = SimTime();
  run(parameters, {{0, 100 * 1'024}});
  EXPECT_EQ(counters_.notifications, counters_.marked);
  EXPECT_GT(counters_.marked, 10U);
}

/// Read responses are the pace's as well: host 1 reads from host 0, which halves its rate.
TEST_F(RcPace, HoldsForReadResponses) {
  link_.marks = [](std::size_t number) { return number == 1; };  // 0 is the request
  ReliableConnections transport(events_, link_, 2, with_dcqcn());
  struct Ignore : morgana::ShipmentListener {
    void shipment_departed(MessageId) override {}
    void shipment_delivered(MessageId) override {}
    void shipment_lost(MessageId) override { FAIL(); }
    void shipment_returned(MessageId, Outcome) override { FAIL(); }
  } listener;
  transport.send({.id = {0, &listener},
                  .from = HostId{1},
                  .to = HostId{0},
                  .bytes = Bytes(100 * 1'024),
                  .verb = Verb::read});
  while (!events_.empty()) events_.handle_next();
  ASSERT_EQ(link_.starts.size(), 100U);
  EXPECT_EQ(link_.starts[2] - link_.starts[1], nano(83.2));
  EXPECT_EQ(link_.starts[60] - link_.starts[59], nano(166.4));
  EXPECT_EQ(transport.counters().notifications, 1U);
}

/// Host 0 writes 1,000 packets to host 1, which reads 50 from it: they take turns, so that the read ends
/// after some 100 packets.
TEST_F(RcPace, IsSharedByRequestsAndReadResponses) {
  ReliableConnections transport(events_, link_, 2, with_dcqcn());
  struct Ends : morgana::ShipmentListener {
    explicit Ends(EventQueue& queue) : events(queue) {}
    void shipment_departed(MessageId) override {}
    void shipment_delivered(MessageId id) override { delivered[id.number] = events.now(); }
    void shipment_lost(MessageId) override { FAIL(); }
    void shipment_returned(MessageId, Outcome) override { FAIL(); }
    EventQueue& events;
    std::map<std::uint64_t, SimTime> delivered;
  } ends(events_);
  transport.send({.id = {0, &ends},
                  .from = HostId{0},
                  .to = HostId{1},
                  .bytes = Bytes(1'000 * 1'024),
                  .verb = Verb::write});
  transport.send(
      {.id = {1, &ends}, .from = HostId{1}, .to = HostId{0}, .bytes = Bytes(50 * 1'024), .verb = Verb::read});
  while (!events_.empty()) events_.handle_next();
  EXPECT_GT(ends.delivered.at(1), nano(2'000 + 100 * 83.2));
  EXPECT_LT(ends.delivered.at(1), nano(2'000 + 115 * 83.2));
  EXPECT_GT(ends.delivered.at(0), nano(1'000 + 1'050 * 83.2));
}

/// Host 0's data is held up; the CNP that it owes for host 1's goes in a class of its own, its
/// acknowledgement does not.
TEST_F(RcPace, CnpsPassDataThatIsHeldUp) {
  link_.held_until = nano(100'000);
  link_.marks = [](std::size_t) { return true; };
  RcParameters parameters = with_dcqcn();
  parameters.data_class = 1;
  run(parameters, {{0, 8}, {1, 8}});
  EXPECT_LT(link_.first_cnp, nano(3'000));
  EXPECT_GT(completed_.at(1), nano(100'000));
}

TEST_F(RcPace, CnpsWaitBehindDataOfTheirClass) {
  link_.held_until = nano(100'000);
  link_.marks = [](std::size_t) { return true; };
  RcParameters parameters = with_dcqcn();
  parameters.data_class = parameters.cnp_class = 1;
  run(parameters, {{0, 8}, {1, 8}});
  EXPECT_GT(link_.first_cnp, nano(100'000));
}

TEST_F(RcPace, ClassesThatTheNetworkLacksAreRefused) {
  RcParameters parameters;
  parameters.data_class = 2;
  EXPECT_THROW(ReliableConnections(events_, link_, 2, parameters), Error);
}

}  // namespace
}  // namespace morgana
