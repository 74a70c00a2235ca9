// What daemons make of each other, of losses and of traffic.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <tuple>

#include "emulator/core/error.h"
#include "emulator/network/myrinet/routes/route_deadlock.h"
#include "emulator/topology/kinds/irregular.h"
#include "emulator/topology/kinds/torus.h"
#include "emulator/topology/now.h"
#include "tests/network/myrinet/mapping/mapped_myrinet.h"
#include "tests/support/messages.h"

namespace morgana::testing {
namespace {
using namespace literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(MappedNetwork, BeforeTheFirstRoundNobodyHasARoute) {
  MappedMyrinet mapped(torus());
  EXPECT_EQ(mapped.exchange(mapped.all_hosts()), 0u);
  EXPECT_EQ(mapped.lost, 32u * 31u);
}

class DistributedRoutes : public ::testing::TestWithParam<MappedRoutes> {};

TEST_P(DistributedRoutes, CannotDeadlockAndLeadEverybodyToEverybody) {
  for (SwitchGraph graph : {torus(), topology::now(), topology::irregular({.switches = 16}, 5)}) {
    MappingParameters parameters = eight_ports();
    parameters.routes = GetParam();
    MappedMyrinet mapped(std::move(graph), parameters);
    const MappingReport& report = mapped.map_from(3);
    EXPECT_THAT(report.silent, IsEmpty());
    EXPECT_THAT(find_deadlock(mapped.graph, mapped.network.installed(report.map)), IsEmpty());
    const std::uint64_t hosts = mapped.graph.hosts();
    EXPECT_EQ(mapped.exchange(mapped.all_hosts()), hosts * (hosts - 1));
    EXPECT_EQ(mapped.lost, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, DistributedRoutes,
                         ::testing::Values(MappedRoutes::up_down, MappedRoutes::in_transit,
                                           MappedRoutes::shortest_up_down));

TEST(MappedNetwork, TheMapperWithTheLowestNameLeads) {
  MappedMyrinet mapped(torus(), eight_ports());
  const std::vector<HostNumber> mappers{1, 30, 7, 12, 4};
  const MappingReport& report = mapped.map_from(mappers);
  // Names ascend with the number in which bits 0 and 2 are turned over: of these 4 is the lowest.
  EXPECT_EQ(report.leader, mapped.network.names()[4]);
  EXPECT_EQ(mapped.network.reports().size(), 1u);
  EXPECT_EQ(mapped.difference_of(report), "none");
  EXPECT_EQ(report.hosts_told, 32u);
  EXPECT_EQ(mapped.exchange(mapped.all_hosts()), 32u * 31u);
}

TEST(MappedNetwork, AllHostsMayMapAtOnce) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    MappedMyrinet mapped(topology::irregular({.switches = 12}, seed), eight_ports());
    const MappingReport& report = mapped.map_from(mapped.all_hosts());
    EXPECT_EQ(report.leader, *std::min_element(mapped.network.names().begin(), mapped.network.names().end()));
    EXPECT_EQ(mapped.difference_of(report), "none");
    EXPECT_EQ(report.hosts_told, mapped.graph.hosts());
  }
}

TEST(MappedNetwork, AMapperWithALowerNameTakesOverFromALeaderThatIsHandingOutRoutes) {
  MappingParameters parameters = eight_ports();
  parameters.table_window = 1;
  MappedMyrinet mapped(torus(), parameters);
  mapped.network.map_from(20);
  while (mapped.network.host(20).mapper().share_told() < 0.4) mapped.events.handle_next();
  EXPECT_LT(mapped.network.host(20).mapper().share_told(), 0.5);
  const MappingReport& report = mapped.map_from(21);  // at the same switch, with a lower name
  ASSERT_EQ(mapped.network.reports().size(), 1u);
  EXPECT_EQ(report.leader, mapped.network.names()[21]);
  EXPECT_EQ(report.hosts_told, 32u);
  EXPECT_THAT(find_deadlock(mapped.graph, mapped.network.installed(report.map)), IsEmpty());
}

TEST(MappedNetwork, AMapperWithAHigherNameThatBeginsLaterStandsBack) {
  MappedMyrinet mapped(torus(), eight_ports());
  mapped.network.map_from(5);
  while (mapped.network.host(5).mapper().switches_found() < 8) mapped.events.handle_next();
  const MappingReport& report = mapped.map_from(20);
  ASSERT_EQ(mapped.network.reports().size(), 1u);
  EXPECT_EQ(report.leader, mapped.network.names()[5]);
  EXPECT_EQ(report.hosts_told, 32u);
}

// A probe crosses some 15 cables: with one in a hundred corrupted on each, one in seven is lost.
TEST(MappedNetwork, CorruptedProbesAreSentAgain) {
  MappingParameters parameters = eight_ports();
  parameters.exploration.attempts = 8;
  MyrinetParameters corrupting;
  corrupting.corruption = 0.01;
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U}) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    MappedMyrinet mapped(topology::now(), parameters, corrupting, seed);
    const MappingReport& report = mapped.map_from({90, 17});
    EXPECT_EQ(mapped.difference_of(report), "none");
    EXPECT_EQ(report.hosts_told, 100u);
    EXPECT_GT(mapped.myrinet.totals().lost_for(MyrinetNetwork::UnitLoss::corrupted), 50u);
    EXPECT_GT(report.resent, 0u);
  }
}

TEST(MappedNetwork, MapsUnderTrafficWhichFlowsOn) {
  MappingParameters parameters = eight_ports();
  for (const MappedRoutes routes : {MappedRoutes::up_down, MappedRoutes::in_transit}) {
    parameters.routes = routes;
    MappedMyrinet mapped(torus(), parameters);
    mapped.map_from(0);
    mapped.load(2_us);  // a packet of 3.3 us from each of 32 hosts every 64 us
    const MappingReport& report = mapped.map_from({9, 20, 31});
    mapped.settle();
    EXPECT_EQ(mapped.difference_of(report), "none");
    EXPECT_EQ(report.hosts_told, 32u);
    EXPECT_EQ(mapped.lost, 0u);
    EXPECT_GT(mapped.delivered, 100'000u);
  }
}

// Probes go round corners that no route takes: with enough traffic they and it block each other. The switches
// drop what has waited for 50 ms, the mapper notices that the network is blocked, and in the end all is well.
TEST(MappedNetwork, DeadlocksOfProbesWithTrafficAreSurvived) {
  MappedMyrinet mapped(torus(), eight_ports());
  mapped.map_from(0);
  mapped.load(1_us);
  const MappingReport report = mapped.map_from({9, 20, 31});
  mapped.settle();
  EXPECT_GT(mapped.myrinet.totals().lost_for(MyrinetNetwork::UnitLoss::deadlock), 0u);
  EXPECT_EQ(mapped.difference_of(report), "none");
  EXPECT_EQ(report.hosts_told, 32u);
  EXPECT_LT(mapped.lost, mapped.delivered / 1000);
  EXPECT_EQ(mapped.exchange(mapped.all_hosts()), 32u * 31u);
}

TEST(MappedNetwork, MapsAgainAndAgainIfToldTo) {
  MappingParameters parameters = eight_ports();
  parameters.period = 10_s;
  MappedMyrinet mapped(torus(), parameters);
  mapped.network.map_from(0);
  mapped.network.map_from(1);
  const auto rounds = [&](std::size_t count) {
    while (mapped.network.reports().size() < count) mapped.events.handle_next();
  };
  rounds(2);
  mapped.kill_cable({5, 2});
  rounds(4);
  EXPECT_EQ(mapped.network.reports()[1].map.graph.cables().size(), 32u);
  EXPECT_EQ(mapped.network.reports()[3].map.graph.cables().size(), 31u);
  EXPECT_EQ(mapped.network.reports()[3].began, 30_s);
  // Mapping for ever doesn't keep anybody else from coming to an end.
  mapped.settle();
  EXPECT_EQ(mapped.exchange(mapped.all_hosts()), 32u * 31u);
}

TEST(MappedNetwork, TheSameSeedGivesTheSame) {
  const auto run = [](std::uint64_t seed) {
    MyrinetParameters corrupting;
    corrupting.corruption = 0.003;
    MappedMyrinet mapped(torus(), eight_ports(), corrupting, seed);
    const MappingReport& report = mapped.map_from({3, 8});
    return std::tuple(report.probes, report.unanswered, report.found, report.ended,
                      mapped.network.totals().lost, mapped.events.handled());
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
}

TEST(MappedNetwork, GivesUpOnAHostWithoutACable) {
  MappedMyrinet mapped(torus(), eight_ports());
  mapped.kill_cable(mapped.graph.port_of(2));
  const MappingReport& report = mapped.map_from(2);
  EXPECT_THAT(report.failure, AllOf(HasSubstr("finds no switch"), HasSubstr("plugged in")));
  EXPECT_EQ(report.restarts, 10u);
}

TEST(MappedNetwork, RefusesNamesGivenTwiceAndParametersOutOfRange) {
  EventQueue events;
  const SwitchGraph graph = torus();
  const RouteTable routes = RouteTable::row_per_switch(graph);
  MyrinetNetwork myrinet(events, graph, routes, {}, 1);
  const auto refusal = [&](std::vector<HostName> names, const MappingParameters& parameters) {
    try {
      MappedNetwork(events, myrinet, std::move(names), parameters);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  std::vector<HostName> names(32);
  for (HostName host = 0; host < 32; ++host) names[host] = host;
  MappingParameters impatient;
  impatient.probe_patience = 0_s;
  expect_message(refusal(names, impatient), "patience");
  EXPECT_EQ(refusal(names, {}), "none");
  names[4] = 9;
  expect_message(refusal(names, {}), "the name 9");
}

}  // namespace
}  // namespace morgana::testing
