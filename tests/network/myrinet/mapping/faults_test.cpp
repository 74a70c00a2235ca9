// What daemons make of cables and switches that die.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/network/myrinet/routes/route_deadlock.h"
#include "emulator/topology/listed/listed.h"
#include "tests/network/myrinet/mapping/mapped_myrinet.h"

namespace morgana::testing {
namespace {
using namespace literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(MappedNetwork, AfterACableHasDiedTheNextRoundLeadsRoundIt) {
  MappedMyrinet mapped(torus(), eight_ports());
  mapped.map_from(0);
  EXPECT_EQ(mapped.exchange(mapped.all_hosts()), 32u * 31u);
  mapped.kill_cable({5, 2});
  mapped.kill_cable({10, 5});
  EXPECT_LT(mapped.exchange(mapped.all_hosts()), 32u * 31u);
  EXPECT_GT(mapped.lost, 0u);
  const MappingReport& report = mapped.map_from(0);
  EXPECT_EQ(mapped.difference_of(report), "none");
  EXPECT_EQ(report.map.graph.cables().size(), 30u);
  EXPECT_EQ(mapped.exchange(mapped.all_hosts()), 32u * 31u);
  EXPECT_THAT(find_deadlock(mapped.graph, mapped.network.installed(report.map)), IsEmpty());
}

TEST(MappedNetwork, AfterASwitchHasDiedTheOthersFindEachOther) {
  MappedMyrinet mapped(torus(), eight_ports());
  mapped.map_from(7);
  mapped.kill_switch(6);  // hosts 12 and 13
  const MappingReport& report = mapped.map_from(7);
  EXPECT_EQ(mapped.difference_of(report), "none");
  EXPECT_EQ(report.map.graph.switches(), 15u);
  EXPECT_EQ(report.map.graph.hosts(), 30u);
  std::vector<HostNumber> others = mapped.all_hosts();
  others.erase(others.begin() + 12, others.begin() + 14);
  EXPECT_EQ(mapped.exchange(others), 30u * 29u);
}

TEST(MappedNetwork, EachPartOfABrokenNetworkGetsALeaderOfItsOwn) {
  MappedMyrinet mapped(
      topology::listed("switch 4\nswitch 4\nhost 0.0\nhost 0.1\nhost 1.0\nhost 1.1\n"
                       "cable 0.2 1.2\n",
                       "two switches"));
  mapped.kill_cable({0, 2});
  mapped.map_from({0, 1, 2, 3});
  ASSERT_EQ(mapped.network.reports().size(), 2u);
  for (const MappingReport& report : mapped.network.reports()) {
    EXPECT_EQ(mapped.difference_of(report), "none");
    EXPECT_EQ(report.map.graph.hosts(), 2u);
  }
  EXPECT_EQ(mapped.exchange({0, 1}) + mapped.exchange({2, 3}), 4u);
}

// The leader's cable dies while it maps; who has stood back for it begins again.
TEST(MappedNetwork, ALeaderThatIsHeardOfNoMoreIsSucceeded) {
  MappingParameters parameters = eight_ports();
  parameters.succession = 5_s;
  parameters.restarts = 1;
  MappedMyrinet mapped(torus(), parameters);
  const HostNumber lowest = 5, other = 20;
  mapped.network.map_from(lowest);
  mapped.network.map_from(other);
  while (mapped.network.host(other).mapper().maps()) mapped.events.handle_next();
  mapped.kill_cable(mapped.graph.port_of(lowest));
  while (mapped.network.busy()) mapped.events.handle_next();
  ASSERT_EQ(mapped.network.reports().size(), 2u);
  EXPECT_EQ(mapped.network.reports()[0].leader, mapped.network.names()[lowest]);
  EXPECT_THAT(mapped.network.reports()[0].failure, HasSubstr("finds no switch"));
  const MappingReport& report = mapped.network.reports()[1];
  EXPECT_EQ(report.leader, mapped.network.names()[other]);
  EXPECT_EQ(mapped.difference_of(report), "none");
  EXPECT_EQ(report.map.graph.hosts(), 31u);
}

TEST(MappedNetwork, AHostThatHasGoneIsGivenUp) {
  MappedMyrinet mapped(torus(), eight_ports());
  mapped.network.map_from(0);
  // The map is complete, and the first routes have arrived: those of low names.
  while (mapped.network.host(0).mapper().share_told() == 0) mapped.events.handle_next();
  mapped.kill_cable(mapped.graph.port_of(31));
  while (mapped.network.busy()) mapped.events.handle_next();
  const MappingReport& report = mapped.network.reports().back();
  EXPECT_THAT(report.silent, ElementsAre(mapped.network.names()[31]));
  EXPECT_EQ(report.hosts_told, 31u);
}

TEST(MappedNetwork, ACableThatDiesWhileTheNetworkIsMappedIsNotOnTheMapOfTheNextRound) {
  MappedMyrinet mapped(torus(), eight_ports());
  mapped.network.map_from(0);
  while (mapped.network.host(0).mapper().switches_found() < 9) mapped.events.handle_next();
  mapped.kill_cable({0, 3});
  mapped.settle();
  EXPECT_EQ(mapped.difference_of(mapped.map_from(0)), "none");
  EXPECT_EQ(mapped.exchange(mapped.all_hosts()), 32u * 31u);
}

}  // namespace
}  // namespace morgana::testing
