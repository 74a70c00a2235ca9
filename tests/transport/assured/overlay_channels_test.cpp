// Direct channels of overlay networks: when stations have one, and when they give it up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>

#include "emulator/transport/direct/direct.h"
#include "emulator/transport/overlay/overlay.h"
#include "tests/transport/harness.h"
#include "tests/transport/lossy_network.h"

namespace morgana::testing {
namespace {
using namespace literals;
using overlay::DirectChannel;
using Direct = OverlayParameters::Direct;
using SetUp = OverlayParameters::SetUp;
using State = overlay::DirectChannel::State;

/// Two stations a server, 10 us of work on a packet.
OverlayParameters with_direct(Direct direct, SetUp set_up, std::uint32_t identifiers) {
  OverlayParameters parameters;
  parameters.stations = 2;
  parameters.packet = 1000_B;
  parameters.relay = 10_us;
  parameters.direct = direct;
  parameters.set_up = set_up;
  parameters.identifiers = identifiers;
  parameters.signalling = 100_us;
  parameters.idle = 1_ms;
  return parameters;
}

/// Over hops on which a byte takes 1 ns and the way 1 us.
class OverlayRun {
 public:
  OverlayRun(std::size_t stations, const OverlayParameters& parameters)
      : network_(events, stations + parameters.servers(stations)),
        transport(events, std::make_unique<DirectTransport>(network_), stations, parameters),
        dispatch(events, transport) {}

  /// How long each message took.
  std::vector<SimTime> times(const std::vector<Planned>& plan) {
    const std::vector<Fate> fates = dispatch.run(plan);
    dispatch.expect_all_delivered();
    std::vector<SimTime> times;
    for (std::size_t message = 0; message < plan.size(); ++message)
      times.push_back(fates[message].delivered.value_or(SimTime()) - plan[message].at);
    return times;
  }

  EventQueue events;

 private:
  struct WholeMessages : LossyNetwork {
    WholeMessages(EventQueue& queue, std::size_t ports) : LossyNetwork(queue, ports) { largest = 10_KiB; }
  };
  WholeMessages network_;

 public:
  Overlay transport;
  Dispatch dispatch;
};

constexpr SimTime directly = 1100_ns;                   // 100 B
constexpr SimTime by_one_server = 2 * 1112_ns + 10_us;  // with a header of 12 B
constexpr SimTime by_two_servers = 3 * 1112_ns + 2 * 10_us;

TEST(OverlayChannels, OfTheSameServerNeedNoServer) {
  OverlayRun run(4, with_direct(Direct::same_server, SetUp::before_run, 0));
  EXPECT_THAT(run.times({{0_us, 0, 1, 100}, {1_ms, 0, 2, 100}}),
              ::testing::ElementsAre(directly, by_two_servers));
}

// Over a direct channel everything is as over the transport alone: no header, no packets.
TEST(OverlayChannels, AreTheTransportUnderneathWhereAllHaveOne) {
  std::mt19937_64 random(7);
  std::vector<Planned> plan;
  for (int message = 0; message < 200; ++message) {
    const auto from = static_cast<std::uint32_t>(random() % 6);
    plan.push_back({SimTime::from_ps(static_cast<std::int64_t>(random() % 1'000'000'000)), from,
                    (from + 1 + static_cast<std::uint32_t>(random() % 5)) % 6,
                    static_cast<std::int64_t>(random() % 1500)});
  }
  sort_by_time(plan);
  EventQueue events;
  LossyNetwork network(events, 6);
  DirectTransport alone(network);
  const std::vector<Fate> expected = Dispatch(events, alone).run(plan);
  for (const std::uint32_t identifiers : {0U, 6U}) {
    OverlayRun run(6, with_direct(Direct::any, SetUp::before_run, identifiers));
    EXPECT_EQ(run.dispatch.run(plan), expected);
  }
}

// Of two identifiers one is that of the channel to the server. Before the run 0 and 1, 2 and 3 get the
// others.
TEST(OverlayChannels, AreThereForNearNumbersFirstAsLongAsIdentifiersLast) {
  OverlayRun run(4, with_direct(Direct::any, SetUp::before_run, 2));
  EXPECT_THAT(run.times({{0_us, 0, 1, 100}, {1_ms, 1, 2, 100}, {2_ms, 3, 2, 100}}),
              ::testing::ElementsAre(directly, by_two_servers, directly));
  EXPECT_THAT(run.transport.channels().free(), ::testing::Each(0U));
}

// The first message is relayed, and behind it goes what asks for a channel. Server 0 works on it when it has
// done with the message, from 11,112 ns on, and server 1 as well, from 22,224 ns on. The answer is back at
// server 0 1,012 ns later, and at the station 11,012 ns after that; then signalling takes 100 us.
TEST(OverlayChannels, AreSetUpWithTheFirstMessage) {
  OverlayRun run(4, with_direct(Direct::any, SetUp::on_demand, 2));
  const SimTime open = 22'224_ns + 10_us + 1012_ns + 10_us + 1012_ns + 100_us;
  const std::vector<SimTime> times = run.times({{0_us, 0, 2, 100}, {100_us, 0, 2, 100}, {200_us, 2, 0, 100}});
  EXPECT_EQ(times[1], by_two_servers);
  EXPECT_EQ(times[2], directly);
  const DirectChannel* channel = run.transport.channels().find(HostId{0}, HostId{2});
  ASSERT_NE(channel, nullptr);
  EXPECT_EQ(channel->set_up, 1);
  OverlayRun later(4, with_direct(Direct::any, SetUp::on_demand, 2));
  EXPECT_EQ(later.times({{0_us, 0, 2, 100}, {open + 1_us, 0, 2, 100}}).back(), directly);
  OverlayRun sooner(4, with_direct(Direct::any, SetUp::on_demand, 2));
  EXPECT_EQ(sooner.times({{0_us, 0, 2, 100}, {open - 1_us, 0, 2, 100}}).back(), by_two_servers);
}

// Station 0 has a channel to 1. To 2 it is refused one until nobody has used that for 1 ms; then it is
// released, and the next time that 0 asks it gets one.
TEST(OverlayChannels, AreReleasedForOthersWhenTheyHaveBeenIdle) {
  OverlayRun run(4, with_direct(Direct::any, SetUp::on_demand, 2));
  const std::vector<SimTime> times = run.times({{0_us, 0, 1, 100},
                                                {200_us, 0, 1, 100},
                                                {600_us, 0, 2, 100},   // refused: 1 is not idle
                                                {1000_us, 0, 2, 100},  // does not ask yet
                                                {2000_us, 0, 2, 100},  // refused again, and 1 released
                                                {3500_us, 0, 2, 100},  // granted
                                                {4000_us, 0, 2, 100},
                                                {4000_us, 0, 1, 100}});
  EXPECT_EQ(times[1], directly);
  EXPECT_EQ(times[3], by_two_servers);
  EXPECT_EQ(times[4], by_two_servers);
  EXPECT_EQ(times[6], directly);
  EXPECT_GE(times[7], by_one_server);
  const overlay::DirectChannels& channels = run.transport.channels();
  EXPECT_EQ(channels.find(HostId{0}, HostId{1})->released, 1);
  EXPECT_EQ(channels.find(HostId{0}, HostId{2})->refused, 2);
  EXPECT_EQ(channels.find(HostId{0}, HostId{2})->set_up, 1);
}

// Eight stations have four servers in a ring: with channels between all servers two are crossed, not three.
TEST(OverlayChannels, BetweenServersSpareThoseInBetween) {
  OverlayParameters parameters = with_direct(Direct::never, SetUp::before_run, 0);
  EXPECT_EQ(OverlayRun(8, parameters).times({{0_us, 0, 4, 100}})[0], 4 * 1112_ns + 3 * 10_us);
  parameters.servers_direct = true;
  EXPECT_EQ(OverlayRun(8, parameters).times({{0_us, 0, 4, 100}})[0], by_two_servers);
  parameters.server_identifiers = 4;  // two stations, two neighbours
  EXPECT_EQ(OverlayRun(8, parameters).times({{0_us, 0, 4, 100}})[0], 4 * 1112_ns + 3 * 10_us);
}

// Channels come and go all the time: messages come once and in order (Dispatch fails otherwise), and in the
// end each station has as many identifiers left as it has no channels for.
TEST(OverlayChannels, ComeAndGoWithoutLosingMessagesOrIdentifiers) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  std::int64_t released = 0;
  for (int round = 0; round < 40; ++round) {
    const std::uint32_t stations = 3 + static_cast<std::uint32_t>(random() % 8);
    const std::uint32_t identifiers = 2 + static_cast<std::uint32_t>(random() % 3);
    OverlayParameters parameters = with_direct(Direct::any, SetUp::on_demand, identifiers);
    if (random() % 2 == 0) parameters.shape = OverlayParameters::Shape::tree;
    parameters.servers_direct = random() % 2 == 0;
    parameters.processors = 1 + static_cast<std::uint32_t>(random() % 2);
    parameters.idle = SimTime::from_ps(1'000'000 + static_cast<std::int64_t>(random() % 300'000'000));
    std::vector<Planned> plan;
    for (int message = 0; message < 300; ++message) {
      const auto from = static_cast<std::uint32_t>(random() % stations);
      plan.push_back({SimTime::from_ps(static_cast<std::int64_t>(random() % 20'000'000'000)), from,
                      (from + 1 + static_cast<std::uint32_t>(random() % (stations - 1))) % stations,
                      static_cast<std::int64_t>(random() % 4000)});
    }
    sort_by_time(plan);
    OverlayRun run(stations, parameters);
    run.times(plan);
    std::vector<std::uint32_t> taken(stations);
    for (const DirectChannel& channel : run.transport.channels().all()) {
      EXPECT_TRUE(channel.state == State::open || channel.state == State::closed);
      released += channel.released;
      if (channel.state != State::open) continue;
      ++taken[index(channel.lower)];
      ++taken[index(channel.higher)];
    }
    for (std::uint32_t station = 0; station < stations; ++station)
      EXPECT_EQ(run.transport.channels().free()[station] + taken[station], identifiers - 1) << station;
  }
  EXPECT_GT(released, 100);
}

}  // namespace
}  // namespace morgana::testing
