#include "emulator/network/atm/block_source.h"

#include <gtest/gtest.h>

#include <cmath>

#include "emulator/core/error.h"
#include "emulator/core/random.h"
#include "emulator/network/atm/reservations.h"
#include "tests/network/atm/chain.h"
#include "tests/network/atm/experiment.h"

namespace morgana::testing {
namespace {
using namespace literals;
using namespace atm;

constexpr double block_rate = 1 << 18;        // cells a second, which 16 bits tell exactly
constexpr std::int64_t interval = 3'814'698;  // 1 s / 2^18 = 3,814,697.27 ps, rounded up
constexpr BitRate round_rate(424'000'000);    // a cell lasts 1 us

BlockParameters blocks(BlockTransmission transmission) {
  BlockParameters parameters;
  parameters.transmission = transmission;
  parameters.rate = BitRate(424LL << 18);
  return parameters;
}

ResourceCell answer(std::uint32_t sequence, bool refused) {
  ResourceCell cell;
  cell.protocol = ResourceProtocol::abt_delayed;
  cell.backward = true;
  cell.block_rate = encode_rate(block_rate);
  cell.sequence = sequence;
  cell.congestion = refused;
  return cell;
}

TEST(BlockSource, SendsABlockAtOnceBetweenItsRequestAndItsEnd) {
  BlockSource source(blocks(BlockTransmission::immediate), 1e6);
  EXPECT_EQ(source.next(), 0);
  const auto request = source.send(0);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->protocol, ResourceProtocol::abt_immediate);
  EXPECT_EQ(decode_rate(request->block_rate), block_rate);
  EXPECT_EQ(source.next(), interval);
  EXPECT_FALSE(source.send(interval));
  EXPECT_FALSE(source.has_more());
  source.packet_ended();
  EXPECT_TRUE(source.has_more());
  const auto end = source.send(2 * interval);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->block_rate, 0);
  EXPECT_FALSE(source.has_more());
}

TEST(BlockSource, WaitsForTheAnswerAndAsksAgainWithoutOne) {
  BlockSource source(blocks(BlockTransmission::delayed), 1e6);
  ASSERT_TRUE(source.send(1000));
  EXPECT_EQ(source.next(), 1000 + (10_ms).ps());
  source.take(answer(1, true));
  EXPECT_EQ(source.next(), 1000 + (10_ms).ps());
  const auto again = source.send(source.next());
  ASSERT_TRUE(again);
  EXPECT_EQ(again->sequence, 2U);
  source.take(answer(2, false));
  EXPECT_EQ(source.next(), 1000 + (10_ms).ps() + interval);
  EXPECT_FALSE(source.send(source.next()));
}

// A grant that comes when the source has asked again lets it go; one of the block before does not.
TEST(BlockSource, TakesAGrantOfAnEarlierRequestForTheSameBlock) {
  BlockSource source(blocks(BlockTransmission::delayed), 1e6);
  source.send(0);
  source.send(source.next());  // asks again
  source.take(answer(1, false));
  EXPECT_FALSE(source.send(source.next()));
  source.packet_ended();
  source.send(source.next());  // the end
  const auto next = source.send(source.next());
  ASSERT_TRUE(next);
  EXPECT_EQ(next->sequence, 3U);
  source.take(answer(2, false));
  EXPECT_TRUE(source.send(source.next())) << "the grant was of the block before";
}

TEST(BlockSource, RefusesParametersThatMeanNothing) {
  const auto refused = [](auto change) {
    BlockParameters parameters = blocks(BlockTransmission::delayed);
    change(parameters);
    EXPECT_THROW(BlockSource(parameters, 1e6), Error);
  };
  refused([](BlockParameters& p) { p.reservable = 0; });
  refused([](BlockParameters& p) { p.reservable = 1.1; });
  refused([](BlockParameters& p) { p.retry = SimTime(); });
  refused([](BlockParameters& p) { p.rate = BitRate(100); });
}

TEST(Reservations, PromiseNoMoreThanThereIs) {
  Reservations link(100);
  link.commit(30);
  EXPECT_TRUE(link.take(1, 50, 1));
  EXPECT_FALSE(link.take(2, 30, 1));
  EXPECT_TRUE(link.take(2, 20, 2));
  EXPECT_DOUBLE_EQ(link.promised(), 100);
  EXPECT_TRUE(link.take(1, 40, 2)) << "in place of its 50";
  link.give_back(1, 1);  // an older request
  EXPECT_DOUBLE_EQ(link.promised(), 90);
  link.give_back(1, 2);
  link.release(2);
  EXPECT_DOUBLE_EQ(link.promised(), 30);
}

AtmParameters network_of(std::uint32_t switches, std::size_t hosts, BlockTransmission transmission) {
  AtmParameters parameters;
  parameters.network = chain_plan(switches, {round_rate, SimTime()}, hosts).graph();
  parameters.switches.policy = DropPolicy::push_out;
  parameters.rates.blocks = blocks(transmission);
  return parameters;
}

constexpr ServiceCategory abt = ServiceCategory::abt;

// The request leaves at 0; the i-th cell of data i intervals later takes 1 us on each of two links.
TEST(BlockTransfer, ImmediateTakesTheBlocksTime) {
  AtmExperiment experiment(network_of(1, 2, BlockTransmission::immediate), 1);
  const Fate fate = experiment.run({{0_us, 0, 1, 3, abt}})[0];
  EXPECT_EQ(fate.departed, SimTime::from_ps(3 * interval) + 1_us);
  EXPECT_EQ(fate.delivered, SimTime::from_ps(3 * interval) + 2_us);
}

// The request comes back after 4 us on four links: then the first cell goes.
TEST(BlockTransfer, DelayedTakesAWayThereAndBackMore) {
  AtmExperiment experiment(network_of(1, 2, BlockTransmission::delayed), 1);
  const Fate fate = experiment.run({{0_us, 0, 1, 3, abt}})[0];
  EXPECT_EQ(fate.delivered, 4_us + SimTime::from_ps(2 * interval) + 2_us);
}

/// Blocks of random lengths from many hosts to host 0, which can take three at a time.
std::vector<PlannedTrain> random_blocks(RandomStream& random, std::uint32_t hosts, std::size_t number) {
  std::vector<PlannedTrain> plan;
  SimTime at;
  for (std::size_t block = 0; block < number; ++block) {
    at += SimTime::from_ps(static_cast<std::int64_t>(1 + random.below(40'000'000)));
    const auto from = static_cast<std::uint32_t>(1 + random.below(hosts - 1));
    plan.push_back({at, from, 0, static_cast<std::uint32_t>(1 + random.below(20)), abt});
  }
  return plan;
}

TEST(BlockTransfer, ImmediateBlocksComeWholeOrNotAtAll) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    RandomStream random(seed, "blocks");
    const std::vector<PlannedTrain> plan = random_blocks(random, 12, 200);
    AtmParameters parameters = network_of(2, 12, BlockTransmission::immediate);
    parameters.switches.buffer = 24;
    AtmExperiment experiment(parameters, seed);
    const std::vector<Fate>& fates = experiment.run(plan);
    std::uint64_t lost = 0, cells = 0, refused = 0;
    for (std::size_t block = 0; block < plan.size(); ++block)
      if (fates[block].lost) {
        ++lost;
        cells += plan[block].cells;
      }
    for (std::size_t number = 0; number < experiment.network().connections(); ++number)
      refused += experiment.network().connection(ChannelId(number)).counters.blocks_refused;
    EXPECT_GT(lost, 0U);
    EXPECT_LT(lost, plan.size());
    EXPECT_EQ(refused, lost);
    // Of a refused block all cells, its request and its end.
    EXPECT_EQ(experiment.lost_cells(), cells + 2 * lost);
  }
}

TEST(BlockTransfer, DelayedBlocksAllComeAndNeverMoreAtOnceThanTheLinkHasRoomFor) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    RandomStream random(seed, "blocks");
    const std::vector<PlannedTrain> plan = random_blocks(random, 12, 200);
    AtmParameters parameters = network_of(2, 12, BlockTransmission::delayed);
    parameters.rates.blocks.retry = 100_us;
    parameters.switches.buffer = 24;  // a cell of each that sends, and of each that asks
    AtmExperiment experiment(parameters, seed);
    for (const Fate& fate : experiment.run(plan)) EXPECT_TRUE(fate.delivered);
    EXPECT_EQ(experiment.lost_cells(), 0U);
    std::uint64_t refused = 0;
    for (std::size_t number = 0; number < experiment.network().connections(); ++number)
      refused += experiment.network().connection(ChannelId(number)).counters.blocks_refused;
    EXPECT_GT(refused, 0U) << "the load was too low to try anything";
  }
}

// Blocks that come as a Poisson process to a link with room for m of them find no room with the probability
// of Erlang's loss formula, whatever their lengths: for m = 3 and an offered load of 1.5 it is 0.1343.
TEST(BlockTransfer, ImmediateBlocksAreRefusedAsErlangHasIt) {
  constexpr std::uint32_t hosts = 200;
  constexpr std::size_t number = 20'000;
  AtmParameters parameters = network_of(1, hosts, BlockTransmission::immediate);
  RandomStream random(1, "erlang");
  std::vector<PlannedTrain> plan;
  double at = 0;
  for (std::size_t block = 0; block < number; ++block) {
    // A block of 20 cells keeps its rate for 21 intervals, one of 10 for 11: 16 on average.
    at += -std::log(1 - random.uniform()) * 16.0 * interval / 1.5;
    const std::uint32_t cells = random.chance(0.5) ? 20 : 10;
    plan.push_back({SimTime::from_ps(static_cast<std::int64_t>(at)),
                    static_cast<std::uint32_t>(1 + random.below(hosts - 1)), 0, cells, abt});
  }
  AtmExperiment experiment(parameters, 1);
  const std::vector<Fate>& fates = experiment.run(plan);
  double refused = 0;
  for (const Fate& fate : fates) refused += fate.lost ? 1 : 0;
  EXPECT_NEAR(refused / number, 0.1343, 0.01);
}

// What a refused request was promised at the first switch is given back when the answer passes it: of two
// switches, host 3 fills the link to host 2 for a long time, and the trunk is free for host 1 though host 0
// has asked to cross it.
TEST(BlockTransfer, ARefusalGivesBackWhatOtherSwitchesPromised) {
  AtmParameters parameters = network_of(2, 0, BlockTransmission::delayed);
  CablePlan plan = chain_plan(2, {round_rate, SimTime()}, 0);
  for (const std::uint32_t at : {0U, 0U, 1U, 1U, 1U}) plan.hosts.push_back({at, {round_rate, SimTime()}});
  parameters.network = plan.graph();
  parameters.rates.blocks.reservable = 0.3;  // one block
  AtmExperiment experiment(parameters, 1);
  const std::vector<Fate>& fates =
      experiment.run({{0_us, 3, 2, 5000, abt}, {100_us, 0, 2, 3, abt}, {200_us, 1, 4, 3, abt}});
  // The way there and back over two switches is 6 us.
  EXPECT_EQ(fates[2].delivered, 200_us + 6_us + SimTime::from_ps(2 * interval) + 3_us);
  EXPECT_GT(fates[1].delivered, fates[0].delivered);
}

TEST(BlockTransfer, LeavesWhatCbrHasAgreedOn) {
  AtmParameters parameters = network_of(1, 3, BlockTransmission::immediate);
  parameters.rates.contracts = Contracts::shaped;
  parameters.rates.cbr.peak = 800'000;  // of 1,000,000 cells a second
  AtmExperiment experiment(parameters, 1);
  const std::vector<Fate>& fates =
      experiment.run({{0_us, 1, 0, 5, ServiceCategory::cbr}, {1_us, 2, 0, 5, abt}, {1_us, 0, 2, 5, abt}});
  EXPECT_TRUE(fates[0].delivered);
  EXPECT_TRUE(fates[1].lost);
  EXPECT_TRUE(fates[2].delivered);
}

}  // namespace
}  // namespace morgana::testing
