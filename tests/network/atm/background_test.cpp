#include "emulator/network/atm/background.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "emulator/core/error.h"
#include "tests/network/atm/chain.h"
#include "tests/network/atm/experiment.h"

namespace morgana::testing {
namespace {
using namespace literals;

// Mean number of an M/D/1 queue: rho + rho^2 / (2 (1 - rho)).
TEST(AtmBackground, PoissonCellsQueueAsTheTheoryOfQueuesHasIt) {
  for (const double rho : {0.3, 0.6, 0.7}) {
    AtmParameters parameters = chain(1, oc3);
    parameters.switches.background = {1, 1, 0, 1, SimTime(), 0.5, false};
    parameters.switches.background.set_load(rho);
    AtmExperiment experiment(parameters, 1);
    experiment.run({{10_s, 0, 1, 1}});
    for (const auto& counters : experiment.network().counters(0)) {
      EXPECT_NEAR(counters.utilisation(), rho, 0.01 * rho);
      EXPECT_NEAR(counters.mean_queue(), rho + rho * rho / (2 * (1 - rho)), 0.02);
    }
  }
}

// Of two switches with two hosts each, traffic to host 1 alone: nothing at the others' outputs or on the
// trunk, whatever switches do when their buffers fill.
TEST(AtmBackground, LoadsTheLinksOfTheHostsThatAreNamed) {
  for (const atm::DropPolicy policy : {atm::DropPolicy::tail, atm::DropPolicy::push_out})
    for (const double copies : {1.0, 0.5, 0.3}) {
      AtmParameters parameters = chain(2, oc3, 4);
      parameters.switches.policy = policy;
      parameters.switches.buffer = 100;
      parameters.switches.background = {3, 1, 0, 1, SimTime(), copies, false};
      parameters.switches.background.set_load(0.6);
      parameters.loaded_hosts = {1};
      AtmExperiment experiment(parameters, 1);
      experiment.run({{2_s, 0, 1, 1}, {2_s, 2, 3, 1}});
      const auto first = experiment.network().counters(0), second = experiment.network().counters(1);
      EXPECT_NEAR(first[1].utilisation(), 0.6, 0.01);
      for (const auto& counters : {first[0], first[2], second[0], second[1], second[2]})
        EXPECT_EQ(counters.background_in, 0U);
    }
}

TEST(AtmBackground, CantLoadTheLinkOfAHostThatThereIsNot) {
  AtmParameters parameters = chain(1, oc3, 2);
  parameters.loaded_hosts = {2};
  EXPECT_THROW(AtmExperiment(parameters, 1), Error);
}

TEST(AtmBackground, OnOffSourcesOfferTheLoadThatIsAskedFor) {
  for (const double rho : {0.4, 0.7, 1.5}) {
    atm::BackgroundTraffic traffic{4, 1, 0.0643, 0.425, 1_ms, 0.5, false};
    traffic.set_load(rho);
    EXPECT_NEAR(traffic.load(), rho, 1e-12);
    atm::Background background(traffic, atm::cell_time(oc3), 3, 1, "test");
    std::vector<double> copies(3);
    const std::int64_t end = (20_s).ps();
    std::int64_t before = 0;
    while (background.next_time() < end) {
      ASSERT_GE(background.next_time(), before);
      before = background.next_time();
      background.take([&](std::uint32_t output) { ++copies[output]; });
    }
    for (const double count : copies)
      EXPECT_NEAR(count * atm::cell_time(oc3).seconds() / 20, rho, 0.02 * rho);
  }
}

// Other peaks than those of the ATM paper's Table 5.4 would mean that load is counted otherwise: an ON share
// of 0.87, a low rate of 10 Mb/s and copying at 0.5 fit its nine loads, printed with one decimal, cut off.
TEST(AtmBackground, PeaksOfThePaperGiveItsLoads) {
  const std::pair<double, double> paper[] = {{150, 0.4}, {200, 0.5}, {250, 0.7}, {300, 0.8}, {350, 0.9},
                                             {400, 1.1}, {450, 1.2}, {500, 1.4}, {550, 1.5}};
  for (const auto& [peak, rho] : paper) {
    const atm::BackgroundTraffic traffic{1, peak / 155.52, 10 / 155.52, 0.87, 1_ms, 0.5, false};
    EXPECT_EQ(std::floor(traffic.load() * 10) / 10, rho) << peak;
  }
}

TEST(AtmBackground, ConstantSourcesKeepTheirIntervalAcrossTimesOff) {
  const atm::BackgroundTraffic traffic{1, 0.5, 0, 0.5, 30_us, 1, true};
  atm::BackgroundSource source(RandomStream(7, "constant"), traffic, 1_us);
  std::int64_t last = 0;
  for (int cells = 0; cells < 1'000'000; ++cells) last = source.next();
  EXPECT_NEAR(SimTime::from_ps(last).seconds(), 4, 0.05);  // 2 us of time ON each, ON for half of the time
}

// A cell in 10^20 cell times while OFF lies far after the end of simulated time: the load is that of ON
// alone.
TEST(AtmBackground, ARateThatIsAlmostNothingIsNothing) {
  atm::BackgroundTraffic almost{1, 1, 1e-20, 0.5, 100_us, 0.5, false}, nothing = almost;
  nothing.low = 0;
  almost.set_load(0.3);
  nothing.set_load(0.3);
  const auto cells_until = [](const atm::BackgroundTraffic& traffic) {
    atm::Background background(traffic, atm::cell_time(oc3), 2, 1, "test");
    std::int64_t cells = 0;
    for (; background.next_time() < (1_s).ps(); ++cells) background.take([](std::uint32_t) {});
    return static_cast<double>(cells);
  };
  // 0.3 of 1 s / 2.726 us is 110,000 for each output, twice that of the source: in 5,000 bursts, so that one
  // standard deviation is sqrt(2 / 5,000), 2 %.
  EXPECT_NEAR(cells_until(almost), 220'000, 15'000);
  EXPECT_NEAR(cells_until(nothing), 220'000, 15'000);
}

TEST(AtmBackground, RefusesToOfferAlmostNothing) {
  for (const double load : {1e-12, 1e-300}) {
    atm::BackgroundTraffic traffic{1, 1, 0, 0.5, 1_ms, 0.5, false};
    traffic.set_load(load);
    EXPECT_THROW(atm::Background(traffic, atm::cell_time(oc3), 2, 1, "test"), Error);
  }
}

}  // namespace
}  // namespace morgana::testing
