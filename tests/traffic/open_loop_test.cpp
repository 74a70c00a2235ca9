#include "emulator/traffic/open_loop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "emulator/core/error.h"
#include "emulator/network/logp/logp_network.h"
#include "emulator/traffic/saturation.h"

namespace morgana {
namespace {

using namespace literals;

/// 100 bytes take 99 ns at each interface and 500 ns between them; the next may follow after 100 ns.
constexpr LogpParameters interfaces{500_ns, 1_ns, ByteCost::from_fs(1'000'000)};
constexpr double carries = 1;  // bytes a nanosecond and host
constexpr std::size_t hosts = 16;

TrafficResult measure(double load, TrafficPattern::Kind pattern, TrafficSettings settings = {}) {
  EventQueue events;
  LogpNetwork network(events, hosts, interfaces);
  settings.length = Bytes(100);
  settings.load = load;
  return measure_traffic(events, network, Destinations({.kind = pattern}, hosts, 1), settings);
}

constexpr auto apart = TrafficPattern::Kind::bit_reversal;  // nobody else sends there

TEST(OpenLoop, MessagesThatDoNotMeetTakeWhatTheNetworkTakes) {
  const TrafficResult result = measure(0.5, apart);
  EXPECT_DOUBLE_EQ(result.latency.mean, 599);
  EXPECT_DOUBLE_EQ(result.latencies.quantile(0.99), 599);
  EXPECT_NEAR(result.latency.radius, 0, 1e-9);
  EXPECT_NEAR(result.accepted.mean, 0.5 * 12 / 16, 0.002);  // four of the sixteen hosts send to themselves
  EXPECT_EQ(result.delivered, 20'000u);
  EXPECT_EQ(result.lost, 0u);
  EXPECT_FALSE(result.stalled);
}

TEST(OpenLoop, AnOverloadedNetworkAcceptsWhatItCarriesAndTheSourcesQueueCounts) {
  const TrafficResult result = measure(2, apart);
  EXPECT_NEAR(result.accepted.mean, carries * 12 / 16, 0.002);
  EXPECT_GT(result.latency.mean, 10'000);
  EXPECT_GT(result.generated, 3 * result.delivered / 2);
}

TEST(OpenLoop, GivesUpWithWhatStalls) {
  const TrafficResult result = measure(200, apart);
  EXPECT_TRUE(result.stalled);
  EXPECT_NEAR(result.accepted.mean, carries * 12 / 16, 0.02);
}

TEST(OpenLoop, ASingleServersQueueIsTheMeanThatTheoryGives) {
  // M/D/1 at the sender: at half load the mean wait is half a service time (Pollaczek and Khinchine).
  // Receivers of a permutation get messages one service time apart, and none waits there.
  TrafficSettings settings;
  settings.process = TrafficSettings::Process::exponential;
  settings.messages = 400'000;
  const TrafficResult result = measure(0.5, apart, settings);
  EXPECT_NEAR(result.latency.mean, 599 + 50, 3 * result.latency.radius);
  EXPECT_LT(result.latency.radius, 2);
  EXPECT_NEAR(result.accepted.mean, 0.5 * 12 / 16, 3 * result.accepted.radius);
}

/// Begins with messages of three times their length, which fade with the number of those before.
class Fading : public LogpNetwork {
 public:
  Fading(EventQueue& events, double fades_by) : LogpNetwork(events, hosts, interfaces), fades_by_(fades_by) {}
  void inject(const Unit& unit) override {
    constexpr double more = 200;
    Unit longer = unit;
    if (fades_by_ > 0) longer.size += Bytes(std::llround(more * std::exp(-injected_++ / fades_by_)));
    LogpNetwork::inject(longer);
  }

 private:
  double fades_by_, injected_ = 0;
};

TrafficResult measure_settled(double load, double fades_by = 0) {
  EventQueue events;
  Fading network(events, fades_by);
  TrafficSettings settings;
  settings.length = Bytes(100);
  settings.load = load;
  settings.warm_up = 0;
  measure_until_settled(settings, hosts);
  return measure_traffic(events, network, Destinations({.kind = apart}, hosts, 1), settings);
}

TEST(OpenLoop, GoesOnUntilTheNetworkHasSettled) {
  const TrafficResult quick = measure_settled(0.25);
  EXPECT_DOUBLE_EQ(quick.latency.mean, 599);
  EXPECT_EQ(quick.delivered, 2000u) << "after 500 and windows of 500 and 1000 the third: two agree";
  EXPECT_TRUE(quick.settled);
  // Half a load is too much for messages that are twice as long. Those fade by a third each 800; until then
  // queues grow, and are empty again some thousand messages later.
  const TrafficResult late = measure_settled(0.5, 2000);
  EXPECT_GE(late.delivered, 4000u);
  EXPECT_NEAR(late.accepted.mean, 0.5 * 12 / 16, 0.01);
  EXPECT_NEAR(late.latency.mean, 600, 20);
  EXPECT_FALSE(late.overloaded());
}

TEST(OpenLoop, AnOverloadedNetworkSettlesByWhatItAccepts) {
  const TrafficResult result = measure_settled(2);
  EXPECT_TRUE(result.overloaded());
  EXPECT_NEAR(result.accepted.mean, carries * 12 / 16, 0.01);  // batches of 50 end with whole messages
  EXPECT_LE(result.delivered, 2000u) << "its latency never settles";
  EXPECT_TRUE(result.settled);
  EXPECT_LT(std::abs(result.change), settling_accepted);
}

TEST(OpenLoop, AWindowThatIsShorterThanTwoLatenciesHasNotSettled) {
  const auto settled = [](std::uint64_t at_most) {
    EventQueue events;
    LogpNetwork network(events, hosts, {1'000'000_ns, 1_ns, ByteCost::from_fs(1'000)});
    TrafficSettings settings;
    settings.length = Bytes(100);
    settings.load = 0.5;
    settings.warm_up = 0;
    measure_until_settled(settings, hosts);
    settings.at_most = at_most;
    return measure_traffic(events, network, Destinations({.kind = apart}, hosts, 1), settings).settled;
  };
  // Twelve hosts send a message each 200 ns: 120,000 in two latencies of a millisecond.
  EXPECT_FALSE(settled(200'000));
  EXPECT_TRUE(settled(1'000'000));
}

TEST(OpenLoop, TheSameSeedGivesTheSame) {
  TrafficSettings settings;
  const auto uniform = TrafficPattern::Kind::uniform;
  const double first = measure(0.7, uniform, settings).latency.mean;
  EXPECT_EQ(measure(0.7, uniform, settings).latency.mean, first);
  settings.seed = 2;
  EXPECT_NE(measure(0.7, uniform, settings).latency.mean, first);
}

TEST(OpenLoop, RefusesMessagesThatTheNetworkDoesNotCarry) {
  struct Small : LogpNetwork {
    using LogpNetwork::LogpNetwork;
    Bytes largest_unit() const override { return Bytes(64); }
  };
  EventQueue events;
  Small network(events, hosts, interfaces);
  TrafficSettings settings;
  settings.load = 0.1;
  EXPECT_THROW(measure_traffic(events, network, Destinations({}, hosts, 1), settings), Error);
}

TEST(Saturation, OfInterfacesIsWhatTheyCarry) {
  const auto point = [](double load) {
    const TrafficResult result = measure(load, apart);
    return LoadPoint{load, result.accepted.mean, result.latency.mean};
  };
  const Saturation saturation = find_saturation(point, {.lowest = 0.05});
  EXPECT_NEAR(saturation.peak, carries * 12 / 16, 0.005);
  EXPECT_NEAR(saturation.knee.value(), carries, 0.05);  // latency is the same up to there
}

TEST(Saturation, FindsThePeakOfANetworkThatCollapsesBeyondIt) {
  int measured = 0;
  const auto point = [&](double load) {
    ++measured;
    const double accepted = load < 1 ? load : 1 / load;
    return LoadPoint{load, accepted, 100 + 400 * load * load};  // doubled at a load of 0.5
  };
  const Saturation saturation = find_saturation(point, {.lowest = 0.01, .step = 1.3, .halvings = 4});
  EXPECT_NEAR(saturation.peak, 1, 0.02);
  EXPECT_NEAR(saturation.peak_load, 1, 0.02);
  EXPECT_NEAR(saturation.knee.value(), 0.5, 0.005);
  EXPECT_LT(measured, 50);
  EXPECT_TRUE(std::is_sorted(saturation.points.begin(), saturation.points.end(),
                             [](const LoadPoint& a, const LoadPoint& b) { return a.load < b.load; }));
}

/// Loads far below the knee are only glanced at, and the two measures stay what they are.
TEST(Saturation, PassesIdleLoadsByGlances) {
  std::vector<double> measured;
  const auto network = [](double load) {
    return LoadPoint{load, load < 1 ? load : 1 / load, 100 + 400 * load * load};  // doubled at a load of 0.5
  };
  const auto point = [&](double load) {
    measured.push_back(load);
    return network(load);
  };
  const SaturationSearch by_steps{.lowest = 0.001, .halvings = 4};
  find_saturation(point, by_steps);
  const std::size_t without = measured.size();
  measured.clear();
  std::vector<double> glanced;
  SaturationSearch search = by_steps;
  search.glance = [&](double load) {
    glanced.push_back(load);
    return network(load);
  };
  const Saturation saturation = find_saturation(point, search);
  EXPECT_NEAR(saturation.peak, 1, 0.02);
  EXPECT_NEAR(saturation.peak_load, 1, 0.02);
  EXPECT_NEAR(saturation.knee.value(), 0.5, 0.005);
  // From 0.001 to 0.25, where latency is a quarter above that of an idle network, are 24 steps of a quarter
  // and 8 doublings, of which the last is too far.
  EXPECT_LE(measured.size() + 20, without);
  ASSERT_FALSE(glanced.empty());
  EXPECT_GT(glanced.back(), 0.25);
  EXPECT_LT(glanced.back(), 0.52);
  EXPECT_EQ(saturation.points.size(), measured.size());
}

TEST(Saturation, AsksForNoLoadBeyondTheHighestAndHasNoKneeThere) {
  const auto point = [](double load) { return LoadPoint{load, load, 100 + 50 * load}; };  // doubled at 2
  const SaturationSearch up_to_one{.highest = 1, .lowest = 0.02};
  const Saturation saturation = find_saturation(point, up_to_one);
  EXPECT_EQ(saturation.points.back().load, 1);
  EXPECT_EQ(saturation.peak_load, 1);
  EXPECT_FALSE(saturation.knee);
  const Saturation doubled = find_saturation(
      [](double load) {
        return LoadPoint{load, load, load < 0.9 ? 100.0 : 1000.0};
      },
      up_to_one);
  EXPECT_GT(doubled.knee.value(), 0.8);
  EXPECT_LT(doubled.knee.value(), 1);
}

TEST(Saturation, ANetworkThatStallsHasNoBoundOfLatency) {
  const auto point = [](double load) {
    const bool stalls = load > 0.5;
    return LoadPoint{load, stalls ? 0.001 : load, 100, 0, 0, stalls};  // what arrived was quick
  };
  const Saturation saturation = find_saturation(point, {.highest = 1, .lowest = 0.02, .halvings = 4});
  EXPECT_NEAR(saturation.knee.value(), 0.5, 0.02);
}

TEST(Saturation, GoesDownIfTheLowestLoadIsTooHigh) {
  const auto point = [](double load) {
    return LoadPoint{load, load < 1 ? load : 1, load < 1 ? 100 / (1 - 0.9 * load) : 2000 * load};
  };
  const Saturation saturation = find_saturation(point, {.lowest = 3, .halvings = 4});
  EXPECT_NEAR(saturation.peak, 1, 0.01);
  // 100 / (1 - 0.9 load) doubles near 0.55; the lowest load's is a little above 100.
  EXPECT_NEAR(saturation.knee.value(), 0.56, 0.03);
}

}  // namespace
}  // namespace morgana
