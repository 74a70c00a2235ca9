// A torus under more traffic than it bears: nothing is lost that need not be, packets of two hosts keep their
// order, and every run is the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "emulator/core/random.h"
#include "emulator/network/myrinet/myrinet_network.h"
#include "emulator/network/myrinet/routes/shortest_routes.h"
#include "emulator/network/myrinet/routes/simple_routes.h"
#include "emulator/topology/kinds/torus.h"

namespace morgana::testing {
namespace {
using namespace literals;
using UnitLoss = MyrinetNetwork::UnitLoss;

const SwitchGraph& torus() {
  static const SwitchGraph graph =
      topology::torus({.sides = {4, 4}, .hosts_per_switch = 4, .ports_per_switch = 8});
  return graph;
}

/// Packets of 1 to 1000 bytes between hosts at random, about as fast as the hosts could send them.
class Crowd : private EventHandler, private UnitListener {
 public:
  struct Report {
    std::uint64_t unit;
    char what;
    SimTime at;
    bool operator==(const Report&) const = default;
  };

  Crowd(RouteTable routes, const MyrinetParameters& parameters, std::uint64_t seed)
      : routes_(std::move(routes)), network_(events_, torus(), routes_, parameters, seed) {
    network_.report_to(*this);
    RandomStream random(seed, "crowd");
    for (std::uint64_t unit = 0; unit < 5000; ++unit) {
      const auto from = static_cast<std::uint32_t>(random.below(64));
      const auto to = static_cast<std::uint32_t>((from + 1 + random.below(63)) % 64);
      units_.push_back({UnitId{unit}, PortId{from}, PortId{to}, Bytes(1 + std::int64_t(random.below(1000)))});
      events_.schedule(SimTime::from_ps(std::int64_t(random.below(300'000'000))), *this, unit);
    }
  }
  void run() {
    while (!events_.empty()) events_.handle_next();
  }
  /// In the order in which they were injected, for every pair of hosts.
  bool in_order() const { return in_order_; }
  SimTime shortest() const { return shortest_; }
  const std::vector<Report>& reports() const { return reports_; }
  std::uint64_t count(char what) const {
    return static_cast<std::uint64_t>(
        std::count_if(reports_.begin(), reports_.end(), [what](const Report& r) { return r.what == what; }));
  }
  MyrinetNetwork& network() { return network_; }

 private:
  void handle(std::uint64_t unit) override {
    injected_[unit] = {events_.now(), next_++};
    network_.inject(units_[unit]);
  }
  void report(UnitId id, char what) {
    reports_.push_back({static_cast<std::uint64_t>(id), what, events_.now()});
  }
  void unit_departed(UnitId id, PortId) override { report(id, 'd'); }
  void unit_lost(UnitId id) override { report(id, 'l'); }
  void unit_delivered(UnitId id, PortId to) override {
    report(id, '+');
    const Unit& unit = units_[static_cast<std::uint64_t>(id)];
    EXPECT_EQ(unit.to, to);
    const auto [at, place] = injected_[static_cast<std::uint64_t>(id)];
    shortest_ = std::min(shortest_, events_.now() - at);
    std::uint64_t& last = last_[{unit.from, unit.to}];
    in_order_ = in_order_ && place >= last;
    last = place;
  }

  EventQueue events_;
  RouteTable routes_;
  MyrinetNetwork network_;
  std::vector<Unit> units_;
  std::map<std::uint64_t, std::pair<SimTime, std::uint64_t>> injected_;
  std::map<std::pair<PortId, PortId>, std::uint64_t> last_;
  std::vector<Report> reports_;
  std::uint64_t next_ = 0;
  bool in_order_ = true;
  SimTime shortest_ = SimTime::max();
};

class MyrinetUnderLoad : public ::testing::TestWithParam<RoutingUnit> {
 protected:
  MyrinetParameters parameters_ = [] {
    MyrinetParameters parameters;
    parameters.routing_unit = GetParam();
    return parameters;
  }();
};

TEST_P(MyrinetUnderLoad, DeliversEverythingInOrderOnRoutesThatCannotDeadlock) {
  const UpDown orientation(torus());
  for (const RouteTable& routes :
       {simple_routes(torus(), orientation), in_transit_routes(torus(), orientation)}) {
    Crowd crowd(routes, parameters_, 1);
    crowd.run();
    EXPECT_EQ(crowd.count('d'), 5000u);
    EXPECT_EQ(crowd.count('+'), 5000u);
    EXPECT_EQ(crowd.network().totals().injected, 5000u);
    EXPECT_EQ(crowd.network().totals().delivered, 5000u);
    EXPECT_TRUE(crowd.in_order());
    EXPECT_GE(crowd.shortest(), crowd.network().least_latency());
  }
}

TEST_P(MyrinetUnderLoad, DeadlocksOnMinimalRoutesAndGoesOnWithoutThePacketsThatItDrops) {
  parameters_.deadlock_timeout = 100_us;
  Crowd crowd(minimal_routes(torus()), parameters_, 1);
  crowd.run();
  EXPECT_GT(crowd.network().totals().lost_for(UnitLoss::deadlock), 0u);
  EXPECT_EQ(crowd.network().totals().lost_in_all(), crowd.network().totals().lost_for(UnitLoss::deadlock));
  EXPECT_EQ(crowd.count('+') + crowd.count('l'), 5000u);
  EXPECT_EQ(crowd.network().totals().delivered, crowd.count('+'));
  EXPECT_TRUE(crowd.in_order());
}

TEST_P(MyrinetUnderLoad, LosesOnlyWhatFaultsExplain) {
  parameters_.corruption = 0.01;
  parameters_.pool = 2000_B;
  const UpDown orientation(torus());
  Crowd crowd(in_transit_routes(torus(), orientation), parameters_, 1);
  crowd.network().kill_cable({5, 5}, 100_us);
  crowd.network().kill_switch(9, 200_us);
  crowd.run();
  for (const UnitLoss why : {UnitLoss::corrupted, UnitLoss::pool_overflow, UnitLoss::dead_channel})
    EXPECT_GT(crowd.network().totals().lost_for(why), 0u);
  for (const UnitLoss why : {UnitLoss::deadlock, UnitLoss::no_such_port, UnitLoss::route_used_up,
                             UnitLoss::route_left_over, UnitLoss::wrong_host})
    EXPECT_EQ(crowd.network().totals().lost_for(why), 0u);
  EXPECT_EQ(crowd.count('d'), 5000u);
  EXPECT_EQ(crowd.count('+') + crowd.count('l'), 5000u);
  std::uint64_t overflows = 0;
  for (HostNumber host = 0; host < torus().hosts(); ++host) {
    overflows += crowd.network().in_transit(host).overflows;
    EXPECT_LE(crowd.network().in_transit(host).most_bytes, 2000);
  }
  EXPECT_GE(overflows, crowd.network().totals().lost_for(UnitLoss::pool_overflow));
}

TEST_P(MyrinetUnderLoad, IsTheSameInEveryRun) {
  parameters_.corruption = 0.01;
  const RouteTable routes = in_transit_routes(torus(), UpDown(torus()));
  Crowd first(routes, parameters_, 3), second(routes, parameters_, 3);
  first.run();
  second.run();
  EXPECT_EQ(first.reports(), second.reports());
}

INSTANTIATE_TEST_SUITE_P(EachRoutingUnit, MyrinetUnderLoad,
                         ::testing::Values(RoutingUnit::each_output, RoutingUnit::each_switch));

}  // namespace
}  // namespace morgana::testing
