// Reliable connections whose flows have windows, over a link that measures what has to be known of it and
// loses what it is told to.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/core/event_queue.h"
#include "emulator/core/random.h"
#include "emulator/network/network.h"
#include "emulator/transport/infiniband/reliable_connections.h"
#include "tests/transport/reference_dctcp_flow.h"

namespace morgana {
namespace {

SimTime picoseconds_of(double ns) {
  return SimTime::from_ps(std::llround(ns * 1'000));
}

/// Hosts with a cable of 100 Gb/s each to everywhere, and 1 us to the other end. One port on the way records
/// the telemetry that `records` says.
class MeasuredLink final : public Network,
                           public MarkingNetwork,
                           public TelemetryNetwork,
                           private EventHandler {
 public:
  explicit MeasuredLink(EventQueue& events) : events_(events) {}

  std::function<bool()> loses = [] { return false; };
  std::function<PortTelemetry(SimTime now)> records = [](SimTime now) {
    return PortTelemetry{.port = 1, .at = now, .rate = rate};
  };
  unsigned hops = 1;
  std::vector<bool> marks;      ///< of the n-th data packet that arrives; none beyond
  std::vector<SimTime> starts;  ///< of what host 0 sends that is longer than 100 B
  std::vector<std::int64_t> sizes;
  std::int64_t most_under_way = 0;  ///< packets longer than 100 B of host 0

  void inject(const Unit& unit) override {
    SimTime& free = free_[unit.from];
    const SimTime start = std::max(events_.now(), free);
    free = start + rate.time_for(unit.size);
    sizes.push_back(unit.size.count());
    if (is_data(unit)) {
      starts.push_back(start);
      most_under_way = std::max(most_under_way, ++under_way_);
    }
    units_.push_back(unit);
    events_.schedule(free, *this, 2 * (units_.size() - 1));
    events_.schedule(free + picoseconds_of(1'000), *this, 2 * (units_.size() - 1) + 1);
  }
  Bytes largest_unit() const override { return Bytes(4'400); }
  NetworkCapabilities capabilities() const override { return {}; }
  NetworkExtensions extensions() override { return {.marking = this, .telemetry = this}; }
  BitRate port_rate(PortId) const override { return rate; }
  Bytes on_link(Bytes unit) const override { return unit; }
  bool delivered_marked() const override { return marked_; }
  std::span<const PortTelemetry> delivered_telemetry() const override { return telemetry_; }
  unsigned delivered_hops() const override { return hops; }

 private:
  static bool is_data(const Unit& unit) { return unit.from == PortId{0} && unit.size > Bytes(100); }
  void handle(std::uint64_t what) override {
    const Unit unit = units_[what / 2];
    if (what % 2 == 0) return listener_->unit_departed(unit.id, unit.from);
    if (is_data(unit)) --under_way_;
    marked_ = is_data(unit) && arrived_ < marks.size() && marks[arrived_];
    arrived_ += is_data(unit) ? 1 : 0;
    if (loses()) return listener_->unit_lost(unit.id);
    telemetry_.clear();
    if (unit.telemetry_ports > 0) telemetry_.push_back(records(events_.now()));
    listener_->unit_delivered(unit.id, unit.to);
  }

  static constexpr BitRate rate{100'000'000'000};
  EventQueue& events_;
  std::vector<Unit> units_;
  std::map<PortId, SimTime> free_;
  std::vector<PortTelemetry> telemetry_;
  std::int64_t under_way_ = 0;
  std::size_t arrived_ = 0;  ///< data packets
  bool marked_ = false;
};

/// A window of so many packets, whatever happens.
RcParameters with_window(double packets) {
  RcParameters parameters;
  parameters.path_mtu = Bytes(1'024);
  parameters.control = RcParameters::Control::swift;
  parameters.swift.first_window = parameters.swift.least_window = parameters.swift.most_window = packets;
  return parameters;
}

struct WindowMessage {
  unsigned from;
  std::int64_t bytes;
  Verb verb = Verb::write;
};

/// Messages between hosts 0 and 1, all at time 0.
class RcWindow : public ::testing::Test, private ShipmentListener {
 protected:
  void run(const RcParameters& parameters, const std::vector<WindowMessage>& messages) {
    ReliableConnections transport(events_, link_, 2, parameters);
    for (std::size_t number = 0; number < messages.size(); ++number)
      transport.send({.id = {number, this},
                      .from = HostId{messages[number].from},
                      .to = HostId{1 - messages[number].from},
                      .bytes = Bytes(messages[number].bytes),
                      .verb = messages[number].verb,
                      .completes = messages[number].verb != Verb::read});
    while (!events_.empty()) events_.handle_next();
    counters_ = transport.counters();
    EXPECT_EQ(delivered_.size(), messages.size());
  }

  EventQueue events_;
  MeasuredLink link_{events_};
  RcCounters counters_;
  std::map<std::uint64_t, SimTime> delivered_;

 private:
  void shipment_departed(MessageId) override {}
  void shipment_delivered(MessageId id) override {
    EXPECT_TRUE(delivered_.emplace(id.number, events_.now()).second) << id.number;
  }
  void shipment_lost(MessageId) override { FAIL(); }
  void shipment_returned(MessageId, Outcome) override { FAIL(); }
};

/// A packet of 1,024 B and 16 B takes 83.2 ns, the first one with RETH 84.48 ns; an acknowledgement of 20
/// B 1.6 ns. Three may be under way: number n + 3 starts when the acknowledgement of number n has come,
/// 2,001.6 ns after n has left.
TEST_F(RcWindow, HoldsBackWhatDoesNotFit) {
  run(with_window(3.9), {{0, 12 * 1'024}});
  ASSERT_EQ(link_.starts.size(), 12U);
  EXPECT_EQ(link_.starts[1], picoseconds_of(84.48));
  EXPECT_EQ(link_.starts[2], picoseconds_of(84.48 + 83.2));
  for (std::size_t n = 3; n < 12; ++n) {
    const double takes = n == 3 ? 84.48 : 83.2;
    EXPECT_EQ(link_.starts[n], link_.starts[n - 3] + picoseconds_of(takes + 2'001.6)) << n;
  }
  EXPECT_EQ(counters_.reports, 12U);
  EXPECT_EQ(counters_.feedback, 0U);
  EXPECT_EQ(counters_.acknowledgements, 12U);
  EXPECT_EQ(counters_.least_window, Bytes(static_cast<std::int64_t>(3.9 * 1'040)));
}

/// One packet goes in any case: 84.48 ns and 83.2 ns, and 2,001.6 ns until its acknowledgement has come. The
/// first round trip is known once that has come.
TEST_F(RcWindow, OfLessThanAPacketIsAPace) {
  run(with_window(0.5), {{0, 4 * 1'024}});
  ASSERT_EQ(link_.starts.size(), 4U);
  EXPECT_EQ(link_.starts[1], picoseconds_of(84.48 + 2'001.6));
  EXPECT_EQ(link_.starts[2] - link_.starts[1], picoseconds_of(2 * (84.48 + 2'001.6)));
  EXPECT_EQ(link_.starts[3] - link_.starts[2], picoseconds_of(2 * (83.2 + 2'001.6)));
}

/// TIMELY with segments of two packets and T_high = 1.5 us. Up to packet 27 the line's rate decides: packet n
/// starts at 84.48 + 83.2 (n - 1) ns. The acknowledgement of packet 1 comes 2,084.8 ns after its start, at
/// 2,169.28 ns, that of packet 3 at 2,335.68 ns, that of packet 5 at 2,502.08 ns; each cuts the rate by beta
/// (1 - 1,500 / 2,084.8). The segment of packets 26 and 27 has begun at 2,164.48 ns, and what follows begins
/// 16,640 bit at the first of these rates later, the next one at the second.
TEST_F(RcWindow, OfTimelyIsAPaceOfSegments) {
  RcParameters parameters = with_window(1);
  parameters.control = RcParameters::Control::timely;
  parameters.timely.segment = Bytes(2 * 1'040);
  parameters.timely.low = picoseconds_of(1'000);
  parameters.timely.high = picoseconds_of(1'500);
  run(parameters, {{0, 32 * 1'024}});
  ASSERT_EQ(link_.starts.size(), 32U);
  for (std::size_t n = 1; n < 28; ++n)
    EXPECT_EQ(link_.starts[n], picoseconds_of(84.48 + 83.2 * static_cast<double>(n - 1))) << n;
  const double cut = 1 - 0.8 * (1 - 1'500 / 2'084.8);
  EXPECT_EQ(link_.starts[28] - link_.starts[26], picoseconds_of(16'640 / (100 * cut)));
  EXPECT_EQ(link_.starts[29] - link_.starts[28], picoseconds_of(83.2));
  EXPECT_EQ(link_.starts[30] - link_.starts[28], picoseconds_of(16'640 / (100 * cut * cut)));
  EXPECT_EQ(counters_.held, 0U);
  EXPECT_EQ(counters_.reports, 32U);
  EXPECT_LT(counters_.least_rate, BitRate(60'200'000'000));
}

/// Read responses have windows of their sender, and are reported by packets of their own. The request of 32 B
/// takes 2.56 ns and 1 us; the first and the last response have AETH.
TEST_F(RcWindow, HoldsForReadResponses) {
  run(with_window(2), {{1, 6 * 1'024, Verb::read}});
  ASSERT_EQ(link_.starts.size(), 6U);
  EXPECT_EQ(link_.starts[0], picoseconds_of(1'002.56));
  EXPECT_EQ(link_.starts[1], link_.starts[0] + picoseconds_of(83.52));
  EXPECT_EQ(link_.starts[2], link_.starts[0] + picoseconds_of(83.52 + 2'001.6));
  EXPECT_EQ(link_.starts[4], link_.starts[2] + picoseconds_of(83.2 + 2'001.6));
  EXPECT_EQ(counters_.feedback, 6U);
  EXPECT_EQ(counters_.reports, 6U);
}

/// Host 0 writes 40 packets, and host 1 reads 20 from it: one window for both, and they take turns.
TEST_F(RcWindow, IsSharedByRequestsAndReadResponses) {
  run(with_window(4), {{0, 40 * 1'024}, {1, 20 * 1'024, Verb::read}});
  EXPECT_EQ(link_.most_under_way, 4);
  EXPECT_LT(delivered_.at(1), delivered_.at(0));
  EXPECT_GT(delivered_.at(1), picoseconds_of(9 * 2'000));
}

TEST_F(RcWindow, IsNoLimitWithoutCongestionControl) {
  RcParameters parameters = with_window(2);
  parameters.control = RcParameters::Control::none;
  run(parameters, {{0, 12 * 1'024}});
  EXPECT_EQ(link_.starts.back(), picoseconds_of(84.48 + 10 * 83.2));
  EXPECT_EQ(counters_.reports, 0U);
}

/// HPCC's packets and acknowledgements have 42 B more. The way has two switches, and space for five.
TEST_F(RcWindow, TelemetryTakesSpace) {
  RcParameters parameters = with_window(2);
  parameters.control = RcParameters::Control::hpcc;
  link_.hops = 1;
  run(parameters, {{0, 2 * 1'024}});
  EXPECT_EQ(link_.sizes,
            (std::vector<std::int64_t>{1'024 + 16 + 16 + 42, 1'024 + 16 + 42, 20 + 42, 20 + 42}));
  EXPECT_EQ(counters_.no_space, 0U);
}

TEST_F(RcWindow, ReportsThatLackPortsAreCounted) {
  RcParameters parameters = with_window(2);
  parameters.control = RcParameters::Control::hpcc;
  link_.hops = 2;
  run(parameters, {{0, 2 * 1'024}});
  EXPECT_EQ(counters_.no_space, 2U);
}

/// T = 10 us: W_init = 125,000 B, N = 100: W_AI = 62.5 B. The port says that its link is full and 375,000 B
/// wait: U grows to 4, and the window falls to a quarter, and on.
TEST_F(RcWindow, HpccFollowsWhatPortsRecord) {
  RcParameters parameters = with_window(2);
  parameters.control = RcParameters::Control::hpcc;
  parameters.hpcc.base_round_trip = picoseconds_of(10'000);
  link_.records = [](SimTime now) {
    return PortTelemetry{.port = 1,
                         .at = now,
                         .queue = Bytes(375'000),
                         .sent = Bytes(now.ps() / 80),
                         .rate = BitRate(100'000'000'000)};
  };
  run(parameters, {{0, 400 * 1'024}});
  EXPECT_LT(counters_.least_window, Bytes(2'000));
  EXPECT_GE(counters_.least_window, Bytes(62));
  EXPECT_GT(counters_.held, 0U);
}

/// When the packets of one write start, by the model of DCTCP's window: one behind the other, at its pace,
/// and as it holds them. A packet is 1,040 B on the link, the first one 16 B more; an acknowledgement 20 B.
std::vector<SimTime> starts_by_the_model(const RcParameters& parameters, const std::vector<bool>& marks) {
  constexpr std::int64_t packet = 1'040, reth = 16, byte_ps = 80, way = 1'000'000, acknowledgement = 20;
  testing::ReferenceDctcpFlow flow(parameters.dctcp, 100'000'000'000, packet,
                                   parameters.dctcp_round_trip.ps() / byte_ps);
  std::vector<SimTime> starts;
  std::vector<std::int64_t> reported_at;
  std::size_t reported = 0;
  std::int64_t now = 0;
  const auto under_way = [&] { return static_cast<std::int64_t>(starts.size() - reported) * packet; };
  const auto is_held = [&] { return under_way() > 0 && under_way() + packet > flow.window(); };
  while (starts.size() < marks.size()) {
    now = std::max(now, flow.may_send.ps());
    while (reported < starts.size() && (reported_at[reported] <= now || is_held())) {
      const bool marked = marks[reported];
      now = std::max(now, reported_at[reported]);
      const SimTime at = SimTime::from_ps(reported_at[reported++]);
      flow.acknowledged({.now = at,
                         .place = static_cast<std::int64_t>(reported) * packet,
                         .returned = Bytes(packet),
                         .marked_bytes = Bytes(marked ? packet : 0),
                         .under_way = Bytes(under_way())});
    }
    const std::int64_t size = packet + (starts.empty() ? reth : 0);
    starts.push_back(SimTime::from_ps(now));
    flow.sent(SimTime::from_ps(now), size);
    now += size * byte_ps;
    reported_at.push_back(now + way + acknowledgement * byte_ps + way);
  }
  return starts;
}

TEST(RcDctcp, FlowsStartTheirPacketsWhenTheModelSays) {
  std::uint64_t held = 0;
  Bytes least = CongestionControl::unlimited;
  for (std::uint64_t seed = 0; seed < 200 && !::testing::Test::HasFailure(); ++seed) {
    RandomStream random(seed, "DCTCP over reliable connections");
    const double share = 0.3 * random.uniform() * random.uniform();
    RcParameters parameters;
    parameters.path_mtu = Bytes(1'024);
    parameters.control = RcParameters::Control::dctcp;
    parameters.dctcp.gain = 0.05 + 0.5 * random.uniform();
    parameters.dctcp_round_trip =
        SimTime::from_ps(2'000'000 + static_cast<std::int64_t>(random.below(2'000'000)));
    EventQueue events;
    MeasuredLink link(events);
    for (int n = 0; n < 300; ++n) link.marks.push_back(random.chance(share));
    struct Ignored final : ShipmentListener {
      void shipment_departed(MessageId) override {}
      void shipment_delivered(MessageId) override {}
      void shipment_lost(MessageId) override { FAIL(); }
      void shipment_returned(MessageId, Outcome) override { FAIL(); }
    } listener;
    ReliableConnections transport(events, link, 2, parameters);
    transport.send({.id = {0, &listener},
                    .from = HostId{0},
                    .to = HostId{1},
                    .bytes = Bytes(300 * 1'024),
                    .verb = Verb::write});
    while (!events.empty()) events.handle_next();
    EXPECT_EQ(link.starts, starts_by_the_model(parameters, link.marks)) << "seed " << seed;
    held += transport.counters().held;
    least = std::min(least, transport.counters().least_window);
  }
  EXPECT_GT(held, 1'000U);  // windows less than the way holds
  EXPECT_EQ(least, Bytes(2 * 1'040));
}

/// Whatever is lost, reports included, everything is delivered once.
TEST_F(RcWindow, LossesDoNotCloseItForGood) {
  for (const auto control : {RcParameters::Control::swift, RcParameters::Control::hpcc,
                             RcParameters::Control::timely, RcParameters::Control::dctcp}) {
    for (const auto early : {RcParameters::Early::refused, RcParameters::Early::kept}) {
      for (std::uint64_t seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE(std::to_string(seed));
        RandomStream random(seed, "losses of windows");
        const double share = 0.06 * random.uniform();
        link_.loses = [&random, share] { return random.chance(share); };
        delivered_.clear();
        RcParameters parameters = with_window(0.5 + 5 * random.uniform());
        parameters.control = control;
        parameters.hpcc.base_round_trip = picoseconds_of(1'000);
        parameters.dctcp_round_trip = picoseconds_of(1'000);
        parameters.early = early;
        parameters.timeout = 6;
        std::vector<WindowMessage> messages;
        for (unsigned number = 0; number < 8; ++number)
          messages.push_back({static_cast<unsigned>(random.below(2)),
                              static_cast<std::int64_t>(random.below(6'000)),
                              random.chance(0.4) ? Verb::read : Verb::write});
        run(parameters, messages);
        if (HasFailure()) return;
      }
    }
  }
}

TEST_F(RcWindow, ANetworkWithoutTelemetryIsRefused) {
  struct Bare final : Network {
    void inject(const Unit&) override {}
    Bytes largest_unit() const override { return Bytes(4'400); }
  } bare;
  RcParameters parameters = with_window(1);
  EXPECT_THROW(ReliableConnections(events_, bare, 2, parameters), Error);
  parameters.control = RcParameters::Control::hpcc;
  EXPECT_THROW(ReliableConnections(events_, bare, 2, parameters), Error);
}

}  // namespace
}  // namespace morgana
