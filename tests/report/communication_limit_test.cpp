#include "emulator/report/limits/communication_limit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/messages.h"

namespace morgana {
namespace {

using namespace literals;

/// A run of 100 us on one rank: computing, then a receive.
RunStatistics computed_for(SimTime computing) {
  RunStatistics statistics(1);
  Operation receive, exit;
  receive.kind = OperationKind::receive;
  exit.kind = OperationKind::exit;
  statistics.operation_ended(Rank{0}, receive, computing, 100_us, {});
  statistics.operation_ended(Rank{0}, exit, 100_us, 100_us, {});
  return statistics;
}

CriticalPath path_of(SimTime computing, SimTime host, SimTime wire) {
  CriticalPath path;
  const Actor one{Rank{0}};
  path.times = {computing, host, 0_us, wire, 0_us, 0_us};
  path.steps = {{one, one, 0_us, path.times.total(), path.times, false}};
  return path;
}

NetworkLinks link_busy_for(double share) {
  return {"packets",
          {{{LinkEnd::Kind::host, 0, 0}, {LinkEnd::Kind::switch_port, 0, 0}, 5, share, {}},
           {{LinkEnd::Kind::switch_port, 0, 1}, {LinkEnd::Kind::host, 1, 0}, 5, share / 4, {}}}};
}

// 8 us of the 10 us in which the run does not compute.
TEST(CommunicationLimit, IsThatOfTheTimeApartFromComputing) {
  const CriticalPath path = path_of(90_us, 1_us, 9_us);
  expect_message(limit_text(computed_for(90_us), &path, link_busy_for(0.08)),
                 {"90.0 %", "10.00 us", "80.0 %", "20.0 %"});
}

// 1 us of 10 us: no rate of any link counts, but what the library takes.
TEST(CommunicationLimit, SaysWhatElseTakesTheTimeWhereLinksDoNot) {
  const CriticalPath path = path_of(90_us, 8_us, 2_us);
  expect_message(limit_text(computed_for(90_us), &path, link_busy_for(0.01)),
                 {"90.0 %", "10.00 us", "10.0 %", "80.0 %"});
  expect_message(limit_text(computed_for(90_us), &path, {}), {"90.0 %", "10.00 us", "80.0 %"});
}

// 4.5 us of 10 us are not enough.
TEST(CommunicationLimit, TakesALinkForOneThatLimitsFromHalfOn) {
  const CriticalPath path = path_of(90_us, 2_us, 8_us);
  expect_message(limit_text(computed_for(90_us), &path, link_busy_for(0.045)), {"45.0 %", "80.0 %"});
  expect_message(limit_text(computed_for(90_us), &path, link_busy_for(0.061)), {"61.0 %", "15.2 %"});
}

TEST(CommunicationLimit, SaysThatDataMoveBesideComputing) {
  const CriticalPath path = path_of(90_us, 8_us, 2_us);
  expect_message(limit_text(computed_for(90_us), &path, link_busy_for(0.4)),
                 {"90.0 %", "10.00 us", "40.00 us", "80.0 %"});
}

// The link is busy for 45 us, and there are 55 us in which it may be.
TEST(CommunicationLimit, LooksAtCommunicationAloneWhereNoLinkIsBusyForHalfOfTheRun) {
  expect_message(limit_text(computed_for(45_us), nullptr, link_busy_for(0.45)),
                 {"45.0 %", "55.00 us", "81.8 %", "20.5 %"});
  expect_message(limit_text(computed_for(45_us), nullptr, link_busy_for(0.55)), "55.0 %");
}

// Others of the ranks may have used the link: 7 us of the path's 10 us are at most its data.
TEST(CommunicationLimit, NamesThePathWhereItIsNotTheNetworks) {
  const CriticalPath path = path_of(90_us, 8_us, 2_us);
  expect_message(limit_text(computed_for(90_us), &path, link_busy_for(0.07)), {"70.0 %", "17.5 %", "80.0 %"});
}

// The path communicates for 10 us, the ranks for 60.
TEST(CommunicationLimit, SaysWhereTheRanksCommunicateForMuchLongerThanThePath) {
  const CriticalPath path = path_of(90_us, 1_us, 9_us);
  expect_message(limit_text(computed_for(40_us), &path, link_busy_for(0.15)),
                 {"15.00 us", "90.0 %", "60.00 us"});
}

TEST(CommunicationLimit, WithoutAPathIsByTheRanksTimeInCalls) {
  expect_message(limit_text(computed_for(60_us), nullptr, link_busy_for(0.32)),
                 {"60.0 %", "40.00 us", "80.0 %", "20.0 %"});
  expect_message(limit_text(computed_for(20_us), nullptr, link_busy_for(0.04)),
                 {"20.0 %", "80.00 us", "5.0 %"});
}

// Ranks with several streams: 8 us of the 20 us in which they communicate.
TEST(CommunicationLimit, OfAnExecutionTraceIsByItsCommunicationHiddenAndExposed) {
  const ExecutionUse use{80_us, 10_us, 10_us, 0_us, {}, 4_us};  // of the 10 us exposed
  expect_message(limit_text(computed_for(20_us), nullptr, link_busy_for(0.08), &use),
                 {"90.0 %", "20.00 us", "40.0 %", "60.0 %"});
  const CriticalPath path = path_of(90_us, 8_us, 2_us);  // another division of time: none of its parts
  expect_message(limit_text(computed_for(20_us), &path, link_busy_for(0.08), &use), {"40.0 %", "60.0 %"});
  const ExecutionUse exposed{2_us, 0_us, 98_us, 0_us, {}, 49_us};
  expect_message(limit_text(computed_for(2_us), nullptr, link_busy_for(0.169), &exposed),
                 {"16.9 %", "50.0 %"});
  expect_message(limit_text(computed_for(2_us), nullptr, {}, &exposed), "50.0 %");
}

TEST(CommunicationLimit, IsThatOfTheWholeRunWhereLinksAreBusyForHalfOfIt) {
  expect_message(limit_text(computed_for(30_us), nullptr, link_busy_for(0.64)), {"64.0 %", "16.0 %"});
}

TEST(CommunicationLimit, SaysWhatLimitsWhereNoLinkIsBusyForHalfOfTheRun) {
  const CriticalPath network = path_of(0_us, 8_us, 92_us), hosts = path_of(0_us, 92_us, 8_us);
  expect_message(limit_text(computed_for(0_us), &network, link_busy_for(0.468)), {"46.8 %", "92.0 %"});
  expect_message(limit_text(computed_for(0_us), &hosts, link_busy_for(0.2)), {"92.0 %", "20.0 %"});
  expect_message(limit_text(computed_for(5_us), nullptr, link_busy_for(0.3)), "30.0 %");
}

// Of 92 us in the network messages without data take 48, their data 27 more: 17 are left.
TEST(CommunicationLimit, DividesTheNetworkPartIntoLatencyDataAndQueues) {
  CriticalPath path = path_of(0_us, 8_us, 92_us);
  path.alone = {48_us, 27_us};
  expect_message(limit_text(computed_for(0_us), &path, link_busy_for(0.468)),
                 {"46.8 %", "92.0 %", "48.0 %", "27.0 %", "17.0 %"});
  path = path_of(90_us, 2_us, 8_us);
  path.alone = {6_us, 2_us};
  expect_message(limit_text(computed_for(90_us), &path, link_busy_for(0.01)), {"80.0 %", "60.0 %", "20.0 %"});
  path = path_of(0_us, 92_us, 8_us);
  path.alone = {4_us, 4_us};  // of a part that is not the greatest
  EXPECT_THAT(limit_text(computed_for(0_us), &path, link_busy_for(0.2)),
              testing::Not(testing::HasSubstr("latency")));
}

// A link is busy for 51 us; the path waits for the network for 0.4, 25 and 26 us.
TEST(CommunicationLimit, IsNoLinkThatIsBusyBesideThePath) {
  CriticalPath path = path_of(0_us, 99'600_ns, 400_ns);
  expect_message(limit_text(computed_for(0_us), &path, link_busy_for(0.51)), {"99.6 %", "51.0 %", "0.4 %"});
  const Actor zero{Rank{0}}, one{Rank{1}};
  path.steps = {{zero, zero, 0_us, 70_us, {0_us, 70_us}, false},
                {one, one, 70_us, 100_us, {0_us, 29'600_ns}, false}};
  expect_message(limit_text(computed_for(0_us), &path, link_busy_for(0.51)),
                 {"99.6 %", "rank 0", "51.0 %", "0.4 %"});
  path = path_of(0_us, 75_us, 25_us);
  EXPECT_FALSE(links_limit(link_busy_for(0.51), &path));
  path = path_of(0_us, 74_us, 26_us);
  EXPECT_TRUE(links_limit(link_busy_for(0.51), &path));
  EXPECT_TRUE(links_limit(link_busy_for(0.51), nullptr));
  EXPECT_FALSE(links_limit(link_busy_for(0.5), nullptr));
  // Beside computing, too.
  path = path_of(80_us, 19_us, 1_us);
  expect_message(limit_text(computed_for(80_us), &path, link_busy_for(0.6)),
                 {"80.0 %", "20.00 us", "60.00 us", "95.0 %"});
}

TEST(CommunicationLimit, CallsLinksOfGpusNVLink) {
  expect_message(limit_text(computed_for(0_us), nullptr, link_busy_for(0.3), nullptr, LinkedHosts::gpus),
                 "30.0 %");
}

NetworkLoads with_resource(NetworkLoads links, ResourceLoad::Place place, const char* name, double share) {
  links.resources = {{place, name, 0, share}, {place, name, 1, share / 2}};
  return links;
}

TEST(CommunicationLimit, IsAHostsBusThatIsBusierThanLinks) {
  const CriticalPath path = path_of(0_us, 8_us, 92_us);
  const auto bus = [](double share) {
    return with_resource(link_busy_for(0.376), ResourceLoad::Place::receiving, "buses into hosts (KEY)",
                         share);
  };
  expect_message(limit_text(computed_for(0_us), &path, bus(0.72)),
                 {"KEY", "72.0 %", "2 hosts", "54.0 %", "37.6 %"});
  expect_message(limit_text(computed_for(0_us), &path, bus(0.42)), {"KEY", "42.0 %"});
  expect_message(limit_text(computed_for(0_us), &path, bus(0.2)), "37.6 %");
}

// At its limit for 60 us; processors wait for a memory, not the network: 92 and 20 us of the path.
TEST(CommunicationLimit, IsAMemoryWhereThePathIsOnHosts) {
  const CriticalPath hosts = path_of(0_us, 92_us, 8_us), network = path_of(0_us, 20_us, 80_us);
  const NetworkLoads memory = with_resource({}, ResourceLoad::Place::memory, "memories of hosts (KEY)", 0.6);
  expect_message(limit_text(computed_for(0_us), &hosts, memory), {"KEY", "60.0 %"});
  expect_message(limit_text(computed_for(0_us), &network, memory), {"KEY", "60.0 %", "20.0 %", "80.0 %"});
}

// The busier of the two is beside the path.
TEST(CommunicationLimit, IsNotWhatIsBusierBesideThePath) {
  const CriticalPath hosts = path_of(0_us, 80_us, 20_us), network = path_of(0_us, 20_us, 80_us);
  const NetworkLoads links = with_resource({}, ResourceLoad::Place::sending, "PCIe of hosts (KEY)", 0.59);
  NetworkLoads both = with_resource({}, ResourceLoad::Place::memory, "memories of hosts (KEY)", 0.6);
  both.resources.insert(both.resources.end(), links.resources.begin(), links.resources.end());
  expect_message(limit_text(computed_for(0_us), &network, both), {"KEY", "59.0 %"});
  expect_message(limit_text(computed_for(0_us), &hosts, both), {"KEY", "60.0 %"});
}

TEST(CommunicationLimit, IsAMediumThatAllShare) {
  const CriticalPath path = path_of(0_us, 8_us, 92_us);
  const auto segment = [](double share) {
    NetworkLoads links;
    links.resources = {{ResourceLoad::Place::shared, "the shared segment", 0, share}};
    return links;
  };
  expect_message(limit_text(computed_for(0_us), &path, segment(0.82)), "82.0 %");
  expect_message(limit_text(computed_for(0_us), &path, segment(0.3)), {"30.0 %", "92.0 %"});
  expect_message(limit_text(computed_for(90_us), nullptr, segment(0.4)), "40.00 us");
}

TEST(CommunicationLimit, IsNotKnownWhereNoLinkIsUsed) {
  const CriticalPath path = path_of(0_us, 99_us, 1_us);
  EXPECT_EQ(limit_text(computed_for(0_us), &path, link_busy_for(0)), "");
  EXPECT_EQ(limit_text(RunStatistics(2), nullptr, {}), "");
  expect_message(limit_text(computed_for(100_us), nullptr, {}), "100.0 %");
}

}  // namespace
}  // namespace morgana
