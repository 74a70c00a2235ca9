#include "emulator/transport/overlay/overlay.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "emulator/core/error.h"
#include "emulator/transport/direct/direct.h"
#include "emulator/transport/sscop/sscop.h"
#include "tests/transport/assured/lossy_cells.h"
#include "tests/transport/harness.h"

namespace morgana::testing {
namespace {
namespace overlay_messages {
using namespace literals;
using Shape = OverlayParameters::Shape;

/// Two stations a server, 10 us of work on a packet.
OverlayParameters pairs_of_stations(Shape shape = Shape::ring) {
  OverlayParameters parameters;
  parameters.shape = shape;
  parameters.stations = 2;
  parameters.packet = 1000_B;
  parameters.relay = 10_us;
  return parameters;
}

struct Result {
  std::vector<Fate> fates;
  std::vector<CounterTable> counted;
};

/// Over hops on which a byte takes 1 ns and the way 1 us.
Result run(const std::vector<Planned>& plan, std::size_t stations, const OverlayParameters& parameters,
           LossyNetwork::Script script = nullptr, bool all = true) {
  EventQueue events;
  LossyNetwork network(events, stations + parameters.servers(stations), std::move(script));
  Overlay transport(events, std::make_unique<DirectTransport>(network), stations, parameters);
  Dispatch dispatch(events, transport);
  const std::vector<Fate> fates = dispatch.run(plan);
  if (all) dispatch.expect_all_delivered();
  return {fates, transport.counted()};
}

std::int64_t number(const CounterTable& table, std::size_t row, std::size_t column) {
  return std::get<std::int64_t>(table.rows.at(row).at(column));
}

// With its header of 12 B the packet takes 112 ns and 1 us to the server, which works on it for 10 us, and
// the same on to the other station.
TEST(Overlay, RelaysAMessageBetweenTheStationsOfAServer) {
  const Result result = run({{0_us, 0, 1, 100}}, 2, pairs_of_stations());
  EXPECT_EQ(result.fates[0].departed, 112_ns);
  EXPECT_EQ(result.fates[0].delivered, 1112_ns + 10_us + 1112_ns);
}

// Six stations have three servers: from station 1 to station 4 two of them, as the last one is next to the
// first; in a tree, from station 2 to station 4, all three.
TEST(Overlay, RelaysFromServerToServer) {
  const Result ring = run({{0_us, 1, 4, 100}}, 6, pairs_of_stations());
  EXPECT_EQ(ring.fates[0].delivered, 3 * 1112_ns + 2 * 10_us);
  EXPECT_EQ(number(ring.counted[0], 0, 2), 1);
  EXPECT_EQ(number(ring.counted[0], 1, 2), 0);
  EXPECT_EQ(number(ring.counted[0], 2, 2), 1);
  EXPECT_EQ(number(ring.counted[1], 0, 5), 2) << "servers crossed";
  const Result tree = run({{0_us, 2, 4, 100}}, 6, pairs_of_stations(Shape::tree));
  EXPECT_EQ(tree.fates[0].delivered, 4 * 1112_ns + 3 * 10_us);
}

// 2,500 B are packets of 1,000, 1,000 and 500 B, which leave behind each other at 1,012, 2,024 and 2,536 ns.
// The server has done with the first at 1,012 + 1,000 + 10,000 ns, with the last 20 us after that, and sends
// it on in 512 ns and 1 us.
TEST(Overlay, RelaysALongMessagePacketByPacket) {
  const Result result = run({{0_us, 0, 1, 2500}}, 2, pairs_of_stations());
  EXPECT_EQ(result.fates[0].departed, 2536_ns);
  EXPECT_EQ(result.fates[0].delivered, 2012_ns + 30_us + 1512_ns);
  EXPECT_EQ(number(result.counted[0], 0, 2), 3);
  EXPECT_EQ(number(result.counted[0], 0, 3), 2500 + 3 * 12);
  EXPECT_EQ(number(result.counted[0], 0, 7), 3)
      << "waiting at once, the first being worked on until 12,012 ns";
}

// A second processor takes the second packet, which came 1,012 ns after the first, and the first one the
// third.
TEST(Overlay, WorksOnAPacketWithEachProcessor) {
  OverlayParameters parameters = pairs_of_stations();
  parameters.processors = 2;
  const Result result = run({{0_us, 0, 1, 2500}}, 2, parameters);
  EXPECT_EQ(result.fates[0].delivered, 2012_ns + 20_us + 1512_ns);
}

// The long packet's bytes cost 1 us more on one processor than the short one's on the other, which overtakes
// it: its message is told after the long one's.
TEST(Overlay, DeliversInOrderWhatOvertakesInAServer) {
  OverlayParameters parameters = pairs_of_stations();
  parameters.processors = 2;
  parameters.relay_per_byte = ByteCost::from_fs(10'000'000);  // 10 ns
  const Result result = run({{0_us, 0, 1, 988}, {0_us, 0, 1, 0}}, 2, parameters);
  const SimTime first = 2000_ns + 10_us + 1000 * 10_ns + 2000_ns;
  EXPECT_EQ(result.fates[0].delivered, first);
  EXPECT_EQ(result.fates[1].delivered, first);
}

TEST(Overlay, CarriesMessagesOfNoBytes) {
  EXPECT_EQ(run({{0_us, 0, 1, 0}}, 2, pairs_of_stations()).fates[0].delivered, 2 * 1012_ns + 10_us);
}

// The server loses the second of three packets on its way out: the message is lost when the last one has
// come, and the next message comes.
TEST(Overlay, LosesAMessageOfWhichAPacketIsLost) {
  const Result result = run(
      {{0_us, 0, 1, 2500}, {0_us, 0, 1, 0}}, 2, pairs_of_stations(),
      [](const Unit& unit, std::uint64_t n) { return unit.from == PortId{2} && n == 1; }, false);
  EXPECT_EQ(result.fates[0].lost, 2012_ns + 30_us + 1512_ns);
  EXPECT_EQ(result.fates[1].delivered, 2012_ns + 40_us + 1012_ns);
  EXPECT_EQ(number(result.counted[1], 0, 6), 1);
}

// Every hop over SSCOP, and every fifth frame lost: each message comes once, and in order (Dispatch fails
// otherwise).
TEST(Overlay, DeliversExactlyOnceAndInOrderOverLossyHops) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 20; ++round) {
    const std::uint32_t stations = 2 + static_cast<std::uint32_t>(random() % 7);
    std::vector<Planned> plan;
    for (int message = 0; message < 60; ++message) {
      const auto from = static_cast<std::uint32_t>(random() % stations);
      const auto to = (from + 1 + static_cast<std::uint32_t>(random() % (stations - 1))) % stations;
      plan.push_back({SimTime::from_ps(static_cast<std::int64_t>(random() % 2'000'000'000)), from, to,
                      static_cast<std::int64_t>(random() % 5000)});
    }
    sort_by_time(plan);
    OverlayParameters parameters = pairs_of_stations(random() % 2 == 0 ? Shape::ring : Shape::tree);
    parameters.processors = 1 + static_cast<std::uint32_t>(random() % 2);
    parameters.relay_per_byte = ByteCost::from_fs(static_cast<std::int64_t>(random() % 20'000'000));
    EventQueue events;
    const std::size_t hosts = stations + parameters.servers(stations);
    LossyCells network(events, hosts, [&](const Unit&, std::uint64_t) { return random() % 5 == 0; });
    SscopParameters hops;
    hops.frame = 400_B;
    hops.poll = 1_ms;
    hops.keep_alive = 2_ms;
    Overlay transport(events, std::make_unique<Sscop>(events, network, hosts, hops), stations, parameters);
    Dispatch dispatch(events, transport);
    dispatch.run(plan);
    dispatch.expect_all_delivered();
    EXPECT_GT(network.units.lost(), 0U);
  }
}

TEST(Overlay, RefusesWhatCannotBe) {
  OverlayParameters parameters = pairs_of_stations();
  parameters.stations = 0;
  EXPECT_THROW(parameters.check(), Error);
  parameters = pairs_of_stations();
  parameters.packet = Bytes();
  EXPECT_THROW(parameters.check(), Error);
  parameters = pairs_of_stations();
  parameters.processors = 0;
  EXPECT_THROW(parameters.check(), Error);
  parameters = pairs_of_stations();
  parameters.arity = 0;
  EXPECT_THROW(parameters.check(), Error);
}

// Its stations' kernels are those of the hops.
TEST(Overlay, CopiesInKernelsIfItsHopsDo) {
  class Sockets final : public DirectTransport {
   public:
    using DirectTransport::DirectTransport;
    bool copies_in_kernels() const override { return true; }
  };
  EventQueue events;
  LossyNetwork network(events, 3), other(events, 3);
  EXPECT_TRUE(
      Overlay(events, std::make_unique<Sockets>(network), 2, pairs_of_stations()).copies_in_kernels());
  EXPECT_FALSE(
      Overlay(events, std::make_unique<DirectTransport>(other), 2, pairs_of_stations()).copies_in_kernels());
}

}  // namespace overlay_messages
}  // namespace
}  // namespace morgana::testing
