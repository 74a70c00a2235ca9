#include "emulator/traffic/network_traffic.h"

#include <gtest/gtest.h>

#include "emulator/core/error.h"
#include "emulator/network/ethernet/switched.h"
#include "emulator/topology/switch_plan.h"

namespace morgana {
namespace {
using namespace literals;

/// A hub with two switches below it, four hosts on each, everything at 100 Mb/s.
CabledGraph small_tree() {
  return CabledGraph::uniform(topology::graph_of(topology::star(3), {1, 1, 1, 1, 2, 2, 2, 2}),
                              {BitRate(100'000'000), 500_ns});
}

NetworkUnderTest under_test() {
  return {[](EventQueue& events, std::uint64_t) {
            SwitchedEthernetParameters parameters;
            parameters.forwarding = 3_us;
            return std::make_unique<SwitchedEthernet>(events, small_tree(), parameters);
          },
          8, 3};
}

const LinkLoad& link(const NetworkTraffic& traffic, LinkEnd from) {
  for (const LinkLoad& one : traffic.links.loads)
    if (one.from == from) return one;
  throw Error("no such link");
}

TrafficSettings short_run() {
  TrafficSettings settings;
  settings.length = 1500_B;
  settings.messages = 4000;
  settings.warm_up = 500;
  return settings;
}

// Two transmissions of 1526 bytes at 80 ns, two cables and a switch on one switch; two of each more by the
// hub.
TEST(NetworkTraffic, OnAQuietNetworkIsTheFormula) {
  TrafficSettings settings = short_run();
  settings.messages = 400;
  const SwitchGraph graph = small_tree().graph;
  const auto hop = (122'080 + 500 + 3'000) * 1.0;
  const NetworkTraffic local = measure_network(
      under_test(), Destinations({TrafficPattern::Kind::local, 0, {}, 2}, graph, 1), 1e-5, settings);
  EXPECT_NEAR(local.result.latency.mean, 2 * hop - 3'000, 1);
  const NetworkTraffic across =
      measure_network(under_test(), Destinations({TrafficPattern::Kind::bit_reversal}, 8, 1), 1e-5, settings);
  // 1 <-> 4 and 3 <-> 6 of 000 to 111; the others send to themselves and keep silent.
  EXPECT_NEAR(across.result.latency.mean, 4 * hop - 3'000, 1);
}

// A host offers a frame of 1538 bytes on the wire, gap included, for 1500 of payload. Four of seven others
// are across: the trunks up carry 4 x 4/7 as much as a host's link.
TEST(NetworkTraffic, UtilisationIsWhatTheLoadMakesOfIt) {
  constexpr double host_share = 0.2, line = 0.0125;  // bytes a nanosecond
  const double load = host_share * line * 1500 / 1538 * 8 / 3;
  const NetworkTraffic traffic = measure_network(under_test(), Destinations({}, 8, 1), load, short_run());
  EXPECT_NEAR(traffic.accepted.mean / load, 1, 0.03);
  EXPECT_NEAR(link(traffic, {LinkEnd::Kind::host, 0, 0}).utilisation, host_share, 0.01);
  const double trunk = host_share * 16 / 7;
  EXPECT_NEAR(link(traffic, {LinkEnd::Kind::switch_port, 1, 4}).utilisation, trunk, 0.03);
  EXPECT_NEAR(link(traffic, {LinkEnd::Kind::switch_port, 0, 1}).utilisation, trunk, 0.03);
  EXPECT_EQ(traffic.result.lost, 0u);
}

// The hosts ask for 16/7 of a trunk: it is never idle, and no more than that gets through.
TEST(NetworkTraffic, ATrunkThatIsAskedTooMuchIsTheBottleneck) {
  const double load = 0.0125 * 1500 / 1538 * 8 / 3;
  const NetworkTraffic traffic = measure_network(under_test(), Destinations({}, 8, 1), load, short_run());
  EXPECT_GT(link(traffic, {LinkEnd::Kind::switch_port, 1, 4}).utilisation, 0.999);
  EXPECT_LT(traffic.accepted.mean, 0.85 * load);
}

TEST(NetworkTraffic, AnIdleLoadIsAFiftiethOfWhatAHostSends) {
  EXPECT_NEAR(idle_load(under_test(), short_run()), 0.02 * 0.0125 * 1500 / 1538 * 8 / 3, 1e-9);
}

/// What host 0 sends is lost at once, without an event: its cable is out. Or what all send.
class WithoutHost0 : public SwitchedEthernet {
 public:
  WithoutHost0(EventQueue& events, bool without_all)
      : SwitchedEthernet(events, small_tree(), {}), without_all_(without_all) {}
  void inject(const Unit& unit) override {
    if (!without_all_ && unit.from != PortId{0}) SwitchedEthernet::inject(unit);
  }

 private:
  bool without_all_;
};

TEST(NetworkTraffic, AHostThatIsCutOffDoesNotSayWhatHostsCanSend) {
  NetworkUnderTest network = under_test();
  network.make = [](EventQueue& events, std::uint64_t) {
    return std::make_unique<WithoutHost0>(events, false);
  };
  EXPECT_NEAR(injection_limit(network, short_run()), 0.0125 * 1500 / 1538 * 8 / 3, 1e-9);
  network.make = [](EventQueue& events, std::uint64_t) {
    return std::make_unique<WithoutHost0>(events, true);
  };
  EXPECT_THROW(injection_limit(network, short_run()), Error);
}

TEST(NetworkTraffic, RefusesMessagesThatAreTooLong) {
  TrafficSettings settings = short_run();
  settings.length = 1501_B;
  EXPECT_THROW(measure_network(under_test(), Destinations({}, 8, 1), 1e-5, settings), Error);
  EXPECT_THROW(idle_load(under_test(), settings), Error);
}

}  // namespace
}  // namespace morgana
