// Hosts with a NIC on each of several networks.
#include "emulator/network/rail_networks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

#include "emulator/network/logp/logp_network.h"
#include "tests/network/harness.h"

namespace morgana::testing {
namespace {
using namespace literals;

constexpr std::size_t rail_hosts = 4;

std::unique_ptr<Network> one_rail(EventQueue& events) {
  return std::make_unique<LogpNetwork>(events, rail_hosts,
                                       LogpParameters{5_us, 2_us, ByteCost::from_fs(1'000'000)});
}

// What each rail does alone, with the ports of its NICs.
TEST(RailNetworks, EachCarriesItsUnitsAsIfItWereAlone) {
  std::mt19937 chance(3);
  for (std::uint32_t rails = 1; rails <= 3; ++rails) {
    std::vector<Planned> all;
    std::vector<std::vector<Planned>> of_rail(rails);
    std::vector<std::vector<std::size_t>> places(rails);
    for (std::size_t unit = 0; unit < 200; ++unit) {
      const auto from = static_cast<std::uint32_t>(chance() % rail_hosts);
      const auto to = static_cast<std::uint32_t>((from + 1 + chance() % (rail_hosts - 1)) % rail_hosts);
      const auto rail = static_cast<std::uint32_t>(chance() % rails);
      const SimTime at = static_cast<std::int64_t>(unit / 4) * 1_us;
      const auto bytes = static_cast<std::int64_t>(chance() % 5'000);
      places[rail].push_back(all.size());
      all.push_back({at, from * rails + rail, to * rails + rail, bytes});
      of_rail[rail].push_back({at, from, to, bytes});
    }
    EventQueue events;
    std::vector<std::unique_ptr<Network>> made;
    for (std::uint32_t rail = 0; rail < rails; ++rail) made.push_back(one_rail(events));
    RailNetworks together(std::move(made));
    EXPECT_TRUE(together.capabilities().lossless);
    EXPECT_EQ(together.least_latency(), one_rail(events)->least_latency());
    Experiment experiment(events, together);
    const std::vector<Fate> fates = experiment.run(all);
    experiment.expect_conservation();
    for (std::uint32_t rail = 0; rail < rails; ++rail) {
      EventQueue own;
      const std::unique_ptr<Network> alone = one_rail(own);
      Experiment of_one(own, *alone);
      const std::vector<Fate> expected = of_one.run(of_rail[rail]);
      for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(fates[places[rail][i]], expected[i]) << i;
    }
  }
}

/// Two hosts at one switch.
class TwoCables final : public Network {
 public:
  void inject(const Unit&) override {}
  void deliver() { listener_->unit_delivered(UnitId{1}, PortId{1}); }
  void lose() { listener_->unit_lost(UnitId{2}); }
  std::string how_lost() const override { return "dropped"; }
  Bytes largest_unit() const override { return Bytes(100); }
  NetworkCapabilities capabilities() const override {
    return {.order = NetworkCapabilities::Order::but_for_outages, .fails = fails};
  }
  std::vector<CounterTable> counted(SimTime) override { return {{"cables", {{"units"}}, {}}}; }
  NetworkLinks links(SimTime) override {
    NetworkLinks all{.unit = "frames", .loads = {}};
    for (std::uint32_t host = 0; host < 2; ++host)
      all.loads.push_back({{LinkEnd::Kind::host, host, 0}, {LinkEnd::Kind::switch_port, 0, host}});
    return all;
  }
  bool follow_ports(const std::vector<bool>& ports) override {
    followed = ports;
    return true;
  }
  bool fails = false;
  std::vector<bool> followed;
};

TEST(RailNetworks, NameTheRailOfLinksAndCounters) {
  std::vector<std::unique_ptr<Network>> made;
  for (int rail = 0; rail < 2; ++rail) made.push_back(std::make_unique<TwoCables>());
  auto& second = static_cast<TwoCables&>(*made[1]);
  second.fails = true;
  RailNetworks rails(std::move(made));
  EXPECT_TRUE(rails.capabilities().fails) << "if one does";
  EXPECT_EQ(rails.capabilities().order, NetworkCapabilities::Order::but_for_outages);
  const auto tables = rails.counted(SimTime());
  ASSERT_EQ(tables.size(), 2U);
  EXPECT_EQ(tables[0].title, "rail 0: cables");
  EXPECT_EQ(tables[1].title, "rail 1: cables");
  const NetworkLinks links = rails.links(SimTime());
  ASSERT_EQ(links.loads.size(), 4U);
  EXPECT_EQ(links.unit, "frames");
  const LinkLoad& last = links.loads[3];  // host 1's on rail 1
  EXPECT_EQ(last.from.number, 1U * 2 + 1);
  EXPECT_EQ(last.from.on_rail, (LinkEnd::OnRail{1, 1}));
  EXPECT_EQ(last.to.number, 1U) << "behind rail 0's only switch";
  EXPECT_EQ(last.to.on_rail, (LinkEnd::OnRail{1, 0}));
  EXPECT_TRUE(rails.follow_ports({true, false, false, true}));
  EXPECT_THAT(second.followed, ::testing::ElementsAre(false, true));
}

struct NoNotes final : UnitListener {
  void unit_departed(UnitId, PortId) override {}
  void unit_delivered(UnitId, PortId) override {}
  void unit_lost(UnitId) override {}
};

TEST(RailNetworks, SayOfALossOnWhichRailItWas) {
  std::vector<std::unique_ptr<Network>> made;
  for (int rail = 0; rail < 2; ++rail) made.push_back(std::make_unique<TwoCables>());
  auto &first = static_cast<TwoCables&>(*made[0]), &second = static_cast<TwoCables&>(*made[1]);
  RailNetworks rails(std::move(made));
  NoNotes notes;
  rails.report_to(notes);
  second.lose();
  EXPECT_EQ(rails.how_lost(), "dropped (rail 1)");
  first.deliver();
  EXPECT_EQ(rails.how_lost(), "dropped (rail 1)") << "what comes on the other one changes nothing";
}

}  // namespace
}  // namespace morgana::testing
