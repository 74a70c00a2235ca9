// Programs at the interfaces: when they are told what, and when a packet in transit goes on. Times by hand: a
// flit lasts 6.25 ns, a cable 49.2 ns, routing 150 ns.
#include <gtest/gtest.h>

#include "tests/network/myrinet/small_graphs.h"
#include "tests/network/myrinet/worm_experiment.h"

namespace morgana::testing {
namespace {
using namespace literals;
using What = InterfaceNote::What;
using Notes = std::vector<InterfaceNote>;

WormParameters with_program(SimTime time) {
  WormParameters parameters;
  parameters.program = time;
  return parameters;
}

// The first flit comes at 150 + 2 x 49.2 = 248.4.
TEST(InterfaceProgram, IsToldWhenFourBytesOfAPacketAreThere) {
  const WormCase given{star(2), with_program(0_ns), {{0_ns, 0, 1, 32, {{1}}}}, {}, {}};
  EXPECT_EQ(WormExperiment(given).run().notes[1], Notes({{267'150_ps, What::early}}));
}

TEST(InterfaceProgram, IsToldAtTheLastByteOfAPacketThatHasFewer) {
  const WormCase given{star(2), with_program(0_ns), {{0_ns, 0, 1, 0, {{1}}}}, {}, {}};
  EXPECT_EQ(WormExperiment(given).run().notes[1], Notes({{254'650_ps, What::early}}));
}

// As with detection and programming, but with the time of three flits in place of their 475 ns.
TEST(InterfaceProgram, HasAPacketSentOnWhenItSays) {
  const WormCase given{row(3), with_program(0_ns), {{0_ns, 0, 1, 32, {{2, 2, 0}, {3, 3, 1}}}}, {}, {}};
  EXPECT_EQ(WormExperiment(given).run().fates[0],
            departed_and_delivered(256'250_ps, 1'981'100_ps - 475_ns + 18'750_ps));
}

// By way of host 1; its 200 bytes and 4 more have come there by 248.4 + 204 x 6.25. Host 3's packet, granted
// the same output first, holds it until long after: what host 1 sends is stopped, what it receives is not.
TEST(InterfaceProgram, IsToldThatAllHasComeThoughSendingOnIsStopped) {
  const WormCase given{
      star(4), with_program(0_ns), {{0_ns, 0, 2, 200, {{1}, {2}}}, {0_ns, 3, 2, 1000, {{2}}}}, {}, {}};
  WormExperiment experiment(given);
  const WormResults results = experiment.run();
  ASSERT_EQ(results.notes[1].size(), 3u);
  EXPECT_EQ(results.notes[1][0], (InterfaceNote{267'150_ps, What::early_in_transit}));
  EXPECT_EQ(results.notes[1][1], (InterfaceNote{248'400_ps + 204 * 6'250_ps, What::received}));
  EXPECT_EQ(results.notes[1][2].what, What::departed);
  EXPECT_GT(results.notes[1][2].at, 1000 * 6'250_ps);
  const SwitchGraph& graph = experiment.graph();
  EXPECT_GT(experiment.network().time_stopped(graph.channel_from(HostNumber{1})), 1_us);
  EXPECT_EQ(experiment.network().time_stopped(graph.channel_from(HostNumber{0})), 0_ns);
}

// The first of 34 flits would start at 199.2; the stop works at 205.45, when the second would. The go works
// at 1000: the other 33 until 1000 + 33 x 6.25, and a cable. What has not been sent goes on after any time.
TEST(InterfaceProgram, StopsItsSwitchWithinAPacket) {
  const SimTime stop = 205'450_ps - 49'200_ps;
  WormCase given{star(2),
                 WormParameters(),
                 {{0_ns, 0, 1, 32, {{1}}}},
                 {},
                 {},
                 {{stop, 1, true}, {950'800_ps, 1, false}}};
  WormExperiment experiment(given);
  EXPECT_EQ(*experiment.run().fates[0].times.delivered, 1000_ns + 33 * 6'250_ps + 49'200_ps);
  const SwitchGraph& graph = experiment.graph();
  EXPECT_EQ(experiment.network().time_stopped(graph.channel_from(graph.port_of(1))), 1000_ns - 205'450_ps);
  given.parameters.deadlock_timeout = 100_ns;
  EXPECT_EQ(*WormExperiment(given).run().fates[0].times.delivered, 1000_ns + 33 * 6'250_ps + 49'200_ps);
}

TEST(InterfaceProgram, IsToldThatThereIsNoRoom) {
  WormParameters parameters = with_program(0_ns);
  parameters.pool = 100;
  const WormCase given{star(3), parameters, {{0_ns, 0, 2, 200, {{1}, {2}}}}, {}, {}};
  const WormResults discarded = WormExperiment(given).run();
  EXPECT_EQ(discarded.notes[1], Notes({{267'150_ps, What::early_no_room}}));
  EXPECT_EQ(discarded.fates[0].why, WormLoss::pool_overflow);
}

}  // namespace
}  // namespace morgana::testing
