// Ultra Ethernet's transport over a network that does what a script says.
#include "emulator/transport/uet/uet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/core/random.h"
#include "tests/support/effort.h"
#include "tests/transport/scripted_network.h"

namespace morgana::testing {
namespace {

using What = TcpDispatch::What;
using Control = UetParameters::Control;
using Fate = ScriptedNetwork::Fate;

// A byte in a nanosecond, 1,000 ns of latency, packets of 1,000 B of payload and 64 B of header, control
// packets of 64 B: a packet that starts at t is there at t + 2,064, its acknowledgement at t + 3,128.
constexpr std::int64_t ns = 1'000;
constexpr SimTime latency = SimTime::from_ps(1'000 * ns);

UetParameters plain(Control control = Control::none) {
  UetParameters all;
  all.payload = Bytes(1'000);
  all.acknowledge_bytes = Bytes(4'000);
  all.timeout = SimTime::from_ps(20'000 * ns);
  all.control = control;
  all.nscc.base_round_trip = SimTime::from_ps(3'128 * ns);
  all.nscc.fast_below = SimTime::from_ps(300 * ns);
  all.balancing = LoadBalancing::oblivious;
  return all;
}

/// Of each message what was told, and what went over the network.
struct Story {
  std::vector<std::vector<TcpDispatch::Told>> told;
  std::vector<std::size_t> deliveries;
  std::vector<ScriptedNetwork::Injected> injected;
  UetCounters counters;

  std::int64_t when(std::size_t message, What what) const {
    for (const TcpDispatch::Told& one : told[message])
      if (one.what == what) return one.at / ns;
    return -1;
  }
  /// Times at which packets with data (or without) left a host for the network.
  std::vector<std::int64_t> sent(std::uint32_t from, bool data) const {
    std::vector<std::int64_t> all;
    for (const ScriptedNetwork::Injected& one : injected)
      if (one.unit.from == PortId{from} && one.unit.may_be_trimmed == data) all.push_back(one.at / ns);
    return all;
  }
};

Story story_of(const UetParameters& parameters, const std::vector<TcpPlanned>& plan,
               const ScriptedNetwork::Script& script) {
  EventQueue events;
  ScriptedNetwork network(events, 8, Bytes(2'000), SimTime::from_ps(ns), script);
  Uet uet(events, network, 8, parameters);
  TcpDispatch dispatch(events, uet);
  dispatch.run(plan);
  return {dispatch.told, dispatch.deliveries, network.injected, uet.counters()};
}

Fate in_time(const Unit&, std::uint64_t) {
  return {.latency = latency};
}
/// What may be trimmed, which are packets with data, by their place among all units between two hosts.
ScriptedNetwork::Script with(std::uint64_t ordinal, Fate fate) {
  return [=](const Unit& unit, std::uint64_t place) {
    return unit.may_be_trimmed && place == ordinal ? fate : Fate{.latency = latency};
  };
}

TEST(Uet, CarriesAMessageInPackets) {
  const Story one = story_of(plain(), {{0, 0, 1, 2'500, 0, true}}, in_time);
  EXPECT_EQ(one.sent(0, true), (std::vector<std::int64_t>{0, 1'064, 2'128}));
  EXPECT_EQ(one.when(0, What::departed), 2'692);  // 2,128 + 564
  EXPECT_EQ(one.when(0, What::delivered), 3'692);
  EXPECT_EQ(one.when(0, What::completed), 4'756);
  // The first packet is acknowledged, and the last, which asks.
  EXPECT_EQ(one.sent(1, false), (std::vector<std::int64_t>{2'064, 3'692}));
  EXPECT_EQ(one.counters.packets, 3U);
  EXPECT_EQ(one.counters.repeated, 0U);
}

TEST(Uet, TakesItsTimesInTheNic) {
  UetParameters parameters = plain();
  parameters.inline_limit = Bytes(100);
  parameters.post_latency = SimTime::from_ps(10 * ns);
  parameters.fetch_latency = SimTime::from_ps(200 * ns);
  parameters.fetch_per_byte = ByteCost::from_fs(1'000'000);
  parameters.delivery_latency = SimTime::from_ps(30 * ns);
  parameters.completion_latency = SimTime::from_ps(5 * ns);
  const Story fetched = story_of(parameters, {{0, 0, 1, 101}}, in_time);
  EXPECT_EQ(fetched.when(0, What::delivered), 10 + 200 + 101 + 165 + 1'000 + 30 + 5);
  const Story carried = story_of(parameters, {{0, 0, 1, 100}}, in_time);
  EXPECT_EQ(carried.when(0, What::delivered), 10 + 164 + 1'000 + 30 + 5);
}

// A NACK leaves at 3,128, when packet 1's header is there, and arrives at 4,192; packet 4 is in the port
// until 5,320. It is sent again before all that is new.
TEST(Uet, SendsATrimmedPacketAgainAfterItsNack) {
  const Story one =
      story_of(plain(), {{0, 0, 1, 10'000}}, with(1, {.latency = latency, .trimmed = Trimmed::on_the_way}));
  EXPECT_EQ(one.counters.nacks, 1U);
  EXPECT_EQ(one.counters.repeated, 1U);
  EXPECT_EQ(one.counters.timeouts, 0U);
  EXPECT_EQ(one.sent(0, true).size(), 11U);
  EXPECT_EQ(one.when(0, What::delivered), 11 * 1'064 + 1'000);  // no time is lost
}

// Nothing tells of packet 1 until its timeout, 20,000 after it was sent at 1,064.
TEST(Uet, SendsALostPacketAgainAfterItsTimeoutAndNoOther) {
  const Story one = story_of(plain(), {{0, 0, 1, 10'000}}, with(1, {.latency = latency, .lost = true}));
  EXPECT_EQ(one.counters.timeouts, 1U);
  EXPECT_EQ(one.counters.repeated, 1U);
  EXPECT_EQ(one.when(0, What::delivered), 1'064 + 20'000 + 1'064 + 1'000);
}

// Message 0 loses its only packet. A write does not wait for it, a send does: it may be matched first. The
// processes of message 3 have a connection of their own, which is second in line.
TEST(Uet, DeliversSendsInTheirOrderAndWritesAtOnce) {
  const Story one = story_of(
      plain(), {{0, 0, 1, 500}, {0, 0, 1, 500}, {0, 0, 1, 500, 0, false, Verb::write}, {0, 0, 1, 500, 1}},
      with(0, {.latency = latency, .lost = true}));
  EXPECT_EQ(one.when(3, What::delivered), 2 * 564 + 1'000);
  EXPECT_EQ(one.when(2, What::delivered), 4 * 564 + 1'000);
  EXPECT_EQ(one.when(0, What::delivered), 20'000 + 564 + 1'000);
  EXPECT_EQ(one.when(1, What::delivered), one.when(0, What::delivered));
  EXPECT_EQ(one.deliveries, (std::vector<std::size_t>{3, 2, 0, 1}));
}

TEST(Uet, ReadsBringTheBytesBack) {
  UetParameters parameters = plain();
  parameters.fetch_latency = SimTime::from_ps(200 * ns);
  const Story one = story_of(parameters, {{0, 0, 1, 1'500, 0, false, Verb::read}}, in_time);
  EXPECT_EQ(one.sent(0, true), (std::vector<std::int64_t>{0}));
  EXPECT_EQ(one.sent(1, true), (std::vector<std::int64_t>{1'064 + 200, 1'264 + 1'064}));
  EXPECT_EQ(one.when(0, What::departed), 64);
  EXPECT_EQ(one.when(0, What::delivered), 2'328 + 564 + 1'000);
}

// After 7 repetitions by timeouts the 8th fails the connection; messages given to it later come back, too.
TEST(Uet, ReturnsWhatItGivesUp) {
  const auto loses_data = [](const Unit& unit, std::uint64_t) {
    return Fate{.latency = latency, .lost = unit.may_be_trimmed};
  };
  const Story one = story_of(plain(), {{0, 0, 1, 500}, {1'000'000 * ns, 0, 1, 500}}, loses_data);
  EXPECT_EQ(one.when(0, What::returned), 8 * 20'000);
  EXPECT_EQ(one.when(1, What::returned), 1'000'000);
  EXPECT_EQ(one.counters.failed, 1U);
  EXPECT_EQ(one.sent(0, true).size(), 8U);
}

// Every credit is lost for a while: the speculative credit of 1.5 x 3,128 B is spent with the fifth packet.
TEST(Uet, AsksForCreditThatDoesNotCome) {
  std::int64_t lost = 0;
  const auto script = [&](const Unit& unit, std::uint64_t) {
    const bool is_control = unit.from == PortId{1};
    return Fate{.latency = latency, .lost = is_control && lost++ < 12};
  };
  const Story one = story_of(plain(Control::rccc), {{0, 0, 1, 20'000, 0, true}}, script);
  EXPECT_GT(one.counters.credit_requests, 0U);
  EXPECT_NE(one.when(0, What::completed), -1);
  EXPECT_EQ(one.counters.failed, 0U);
}

/// Messages of all verbs between 4 hosts, over a network that delays, loses, trims and marks units by chance.
class Stormy {
 public:
  Stormy(std::uint64_t seed, Control control) : random_(seed, "uet") {
    for (std::size_t left = 1 + random_.below(30); left > 0; --left) {
      TcpPlanned one{static_cast<std::int64_t>(random_.below(60'000)) * ns, 0, 0,
                     static_cast<std::int64_t>(random_.below(random_.chance(0.2) ? 30'000 : 2'500))};
      one.from = static_cast<std::uint32_t>(random_.below(4));
      one.to = static_cast<std::uint32_t>((one.from + 1 + random_.below(3)) % 4);
      one.channel = random_.below(2);
      one.verb = static_cast<Verb>(random_.below(4));
      one.completes = one.verb != Verb::read && random_.chance(0.5);
      plan.push_back(one);
    }
    std::stable_sort(plan.begin(), plan.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
    UetParameters parameters = plain(control);
    parameters.balancing = static_cast<LoadBalancing>(random_.below(4));
    parameters.entropies = static_cast<unsigned>(1 + random_.below(8));
    parameters.tries = 1'000;
    const double losses = random_.chance(0.3) ? 0 : 0.15, trims = random_.chance(0.3) ? 0 : 0.2;
    const std::uint64_t spread = random_.chance(0.5) ? 1 : 30'000;  // more than the timeout: repeated in vain
    outcome = story_of(parameters, plan, [&, this](const Unit&, std::uint64_t) {
      return Fate{
          .latency = latency + SimTime::from_ps(static_cast<std::int64_t>(random_.below(spread)) * ns),
          .lost = random_.chance(losses),
          .marked = random_.chance(0.3),
          .trimmed = random_.chance(trims) ? Trimmed::on_the_way : Trimmed::no};
    });
  }

  std::vector<TcpPlanned> plan;
  Story outcome;

 private:
  RandomStream random_;
};

class UetInStorms : public ::testing::TestWithParam<Control> {};

TEST_P(UetInStorms, DeliversEachMessageExactlyOnce) {
  std::uint64_t repeated = 0, timeouts = 0, trimmed = 0, early = 0;
  for (std::uint64_t seed = 0; seed < random_cases(300) && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const Stormy storm(seed, GetParam());
    for (std::size_t message = 0; message < storm.plan.size(); ++message) {
      const TcpPlanned& planned = storm.plan[message];
      std::vector<What> expected{What::departed, What::delivered};
      if (planned.completes) expected.push_back(What::completed);
      std::vector<What> told;
      for (const TcpDispatch::Told& one : storm.outcome.told[message]) told.push_back(one.what);
      EXPECT_EQ(told, expected) << "message " << message;
    }
    // Sends between two processes are delivered in their order.
    std::vector<std::size_t> last(4 * 4 * 2, 0);
    for (const std::size_t message : storm.outcome.deliveries) {
      const TcpPlanned& planned = storm.plan[message];
      if (planned.verb == Verb::write || planned.verb == Verb::read) continue;
      std::size_t& before = last[(planned.from * 4 + planned.to) * 2 + planned.channel];
      EXPECT_LE(before, message);
      before = message;
    }
    repeated += storm.outcome.counters.repeated;
    timeouts += storm.outcome.counters.timeouts;
    trimmed += storm.outcome.counters.trimmed;
    early += storm.outcome.counters.early;
  }
  for (const std::uint64_t count : {repeated, timeouts, trimmed, early}) EXPECT_GT(count, 100U);
}

std::string name_of_control(const ::testing::TestParamInfo<Control>& control) {
  constexpr const char* names[] = {"none", "nscc", "rccc", "both"};
  return names[static_cast<std::size_t>(control.param)];
}

INSTANTIATE_TEST_SUITE_P(Controls, UetInStorms,
                         ::testing::Values(Control::none, Control::nscc, Control::rccc, Control::both),
                         name_of_control);

TEST(Uet, RefusesWhatDoesNotFit) {
  EventQueue events;
  ScriptedNetwork network(events, 2, Bytes(1'000), SimTime::from_ps(ns), in_time);
  EXPECT_THROW(Uet(events, network, 2, plain()), Error);  // 1,064 B
  ScriptedNetwork wide(events, 2, Bytes(1'064), SimTime::from_ps(ns), in_time);
  UetParameters parameters = plain();
  EXPECT_NO_THROW(Uet(events, wide, 2, parameters));
  parameters.data_class = 8;
  EXPECT_THROW(Uet(events, wide, 2, parameters), Error);
}

}  // namespace
}  // namespace morgana::testing
