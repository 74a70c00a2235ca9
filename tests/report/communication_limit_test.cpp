#include "emulator/report/limits/communication_limit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
  EXPECT_EQ(
      limit_text(computed_for(90_us), &path, link_busy_for(0.08)),
      "computing takes 90.0 % of the critical path; in the other 10.00 us, links from hosts: busy for at "
      "most 80.0 % of that time; next links to hosts: 20.0 %");
}

// 1 us of 10 us: no rate of any link counts, but what the library takes.
TEST(CommunicationLimit, SaysWhatElseTakesTheTimeWhereLinksDoNot) {
  const CriticalPath path = path_of(90_us, 8_us, 2_us);
  EXPECT_EQ(limit_text(computed_for(90_us), &path, link_busy_for(0.01)),
            "computing takes 90.0 % of the critical path; in the other 10.00 us, no link is busy for half of "
            "that time (most: links from hosts, at most 10.0 %); mostly calls and copies on hosts (80.0 %)");
  EXPECT_EQ(limit_text(computed_for(90_us), &path, {}),
            "computing takes 90.0 % of the critical path; in the other 10.00 us, mostly calls and copies on "
            "hosts (80.0 %)");
}

// 4.5 us of 10 us are not enough.
TEST(CommunicationLimit, TakesALinkForOneThatLimitsFromHalfOn) {
  const CriticalPath path = path_of(90_us, 2_us, 8_us);
  EXPECT_THAT(limit_text(computed_for(90_us), &path, link_busy_for(0.045)),
              testing::EndsWith("no link is busy for half of that time (most: links from hosts, at most 45.0 "
                                "%); mostly NICs and network (80.0 %)"));
  EXPECT_THAT(limit_text(computed_for(90_us), &path, link_busy_for(0.061)),
              testing::EndsWith(
                  "links from hosts: busy for at most 61.0 % of that time; next links to hosts: 15.2 %"));
}

TEST(CommunicationLimit, SaysThatDataMoveBesideComputing) {
  const CriticalPath path = path_of(90_us, 8_us, 2_us);
  EXPECT_EQ(limit_text(computed_for(90_us), &path, link_busy_for(0.4)),
            "computing takes 90.0 % of the critical path; in the other 10.00 us, links from hosts carry data "
            "for 40.00 us, partly during computing; mostly calls and copies on hosts (80.0 %)");
}

// The link is busy for 45 us, and there are 55 us in which it may be.
TEST(CommunicationLimit, LooksAtCommunicationAloneWhereNoLinkIsBusyForHalfOfTheRun) {
  EXPECT_EQ(limit_text(computed_for(45_us), nullptr, link_busy_for(0.45)),
            "computing takes 45.0 % of the ranks' time; in the other 55.00 us, links from hosts: busy for at "
            "most 81.8 % of that time; next links to hosts: 20.5 %");
  EXPECT_THAT(limit_text(computed_for(45_us), nullptr, link_busy_for(0.55)),
              testing::StartsWith("links from hosts: busy for 55.0 % of the run"));
}

// Others of the ranks may have used the link: 7 us of the path's 10 us are at most its data.
TEST(CommunicationLimit, NamesThePathWhereItIsNotTheNetworks) {
  const CriticalPath path = path_of(90_us, 8_us, 2_us);
  EXPECT_THAT(limit_text(computed_for(90_us), &path, link_busy_for(0.07)),
              testing::EndsWith("busy for at most 70.0 % of that time; next links to hosts: 17.5 %; mostly "
                                "calls and copies on hosts (80.0 %)"));
}

// The path communicates for 10 us, the ranks for 60.
TEST(CommunicationLimit, SaysWhereTheRanksCommunicateForMuchLongerThanThePath) {
  const CriticalPath path = path_of(90_us, 1_us, 9_us);
  EXPECT_THAT(limit_text(computed_for(40_us), &path, link_busy_for(0.15)),
              testing::EndsWith("links from hosts carry data for 15.00 us, partly during computing; mostly "
                                "NICs and network (90.0 %); the ranks are in calls for 60.00 us on average"));
}

TEST(CommunicationLimit, WithoutAPathIsByTheRanksTimeInCalls) {
  EXPECT_EQ(limit_text(computed_for(60_us), nullptr, link_busy_for(0.32)),
            "computing takes 60.0 % of the ranks' time; in the other 40.00 us, links from hosts: busy for at "
            "most 80.0 % of that time; next links to hosts: 20.0 %");
  EXPECT_EQ(limit_text(computed_for(20_us), nullptr, link_busy_for(0.04)),
            "computing takes 20.0 % of the ranks' time; in the other 80.00 us, no link is busy for half of "
            "that time (most: links from hosts, at most 5.0 %)");
}

// Ranks with several streams: 8 us of the 20 us in which they communicate.
TEST(CommunicationLimit, OfAnExecutionTraceIsByItsCommunicationHiddenAndExposed) {
  const ExecutionUse use{80_us, 10_us, 10_us, 0_us, {}, 4_us};  // of the 10 us exposed
  EXPECT_EQ(
      limit_text(computed_for(20_us), nullptr, link_busy_for(0.08), &use),
      "computing takes 90.0 % of the ranks' time; in the 20.00 us of communication, hidden and exposed, "
      "no link is busy for half of that time (most: links from hosts, at most 40.0 %); while communication "
      "is "
      "exposed, ranks add up and copy for 40.0 %, and wait for messages for 60.0 %");
  const CriticalPath path = path_of(90_us, 8_us, 2_us);  // another division of time: none of its parts
  EXPECT_THAT(
      limit_text(computed_for(20_us), &path, link_busy_for(0.08), &use),
      testing::EndsWith("at most 40.0 %); while communication is exposed, ranks add up and copy for 40.0 "
                        "%, and wait for messages for 60.0 %"));
  const ExecutionUse exposed{2_us, 0_us, 98_us, 0_us, {}, 49_us};
  EXPECT_EQ(limit_text(computed_for(2_us), nullptr, link_busy_for(0.169), &exposed),
            "no link is busy for half of the run (most: links from hosts, 16.9 %); while communication is "
            "exposed, ranks add up and copy for 50.0 %, and wait for messages for 50.0 %");
  EXPECT_EQ(
      limit_text(computed_for(2_us), nullptr, {}, &exposed),
      "while communication is exposed, ranks add up and copy for 50.0 %, and wait for messages for 50.0 "
      "%");
}

TEST(CommunicationLimit, IsThatOfTheWholeRunWhereLinksAreBusyForHalfOfIt) {
  EXPECT_EQ(limit_text(computed_for(30_us), nullptr, link_busy_for(0.64)),
            "links from hosts: busy for 64.0 % of the run; next links to hosts: 16.0 %");
}

TEST(CommunicationLimit, SaysWhatLimitsWhereNoLinkIsBusyForHalfOfTheRun) {
  const CriticalPath network = path_of(0_us, 8_us, 92_us), hosts = path_of(0_us, 92_us, 8_us);
  EXPECT_EQ(limit_text(computed_for(0_us), &network, link_busy_for(0.468)),
            "no link is busy for half of the run (most: links from hosts, 46.8 %); mostly NICs and network "
            "(92.0 % of the critical path)");
  EXPECT_EQ(limit_text(computed_for(0_us), &hosts, link_busy_for(0.2)),
            "calls and copies on hosts: 92.0 % of the critical path; no link is busy for half of the run "
            "(most: links from hosts, 20.0 %)");
  EXPECT_EQ(limit_text(computed_for(5_us), nullptr, link_busy_for(0.3)),
            "no link is busy for half of the run (most: links from hosts, 30.0 %)");
}

// Of 92 us in the network messages without data take 48, their data 27 more: 17 are left.
TEST(CommunicationLimit, DividesTheNetworkPartIntoLatencyDataAndQueues) {
  CriticalPath path = path_of(0_us, 8_us, 92_us);
  path.alone = {48_us, 27_us};
  EXPECT_EQ(limit_text(computed_for(0_us), &path, link_busy_for(0.468)),
            "no link is busy for half of the run (most: links from hosts, 46.8 %); mostly NICs and network "
            "(92.0 % of the critical path: latency 48.0 %, its messages' own data 27.0 %, queues 17.0 %)");
  path = path_of(90_us, 2_us, 8_us);
  path.alone = {6_us, 2_us};
  EXPECT_THAT(limit_text(computed_for(90_us), &path, link_busy_for(0.01)),
              testing::EndsWith("mostly NICs and network (80.0 %: latency 60.0 %, its messages' own data "
                                "20.0 %, queues 0.0 %)"));
  path = path_of(0_us, 92_us, 8_us);
  path.alone = {4_us, 4_us};  // of a part that is not the greatest
  EXPECT_THAT(limit_text(computed_for(0_us), &path, link_busy_for(0.2)),
              testing::Not(testing::HasSubstr("latency")));
}

// A link is busy for 51 us; the path waits for the network for 0.4, 25 and 26 us.
TEST(CommunicationLimit, IsNoLinkThatIsBusyBesideThePath) {
  CriticalPath path = path_of(0_us, 99'600_ns, 400_ns);
  EXPECT_EQ(limit_text(computed_for(0_us), &path, link_busy_for(0.51)),
            "calls and copies on hosts: 99.6 % of the critical path; links from hosts are busy for 51.0 % of "
            "the run, yet the path spends 0.4 % in the network");
  const Actor zero{Rank{0}}, one{Rank{1}};
  path.steps = {{zero, zero, 0_us, 70_us, {0_us, 70_us}, false},
                {one, one, 70_us, 100_us, {0_us, 29'600_ns}, false}};
  EXPECT_THAT(
      limit_text(computed_for(0_us), &path, link_busy_for(0.51)),
      testing::StartsWith("calls and copies on hosts: 99.6 % of the critical path, most of it on rank 0; "));
  path = path_of(0_us, 75_us, 25_us);
  EXPECT_FALSE(links_limit(link_busy_for(0.51), &path));
  path = path_of(0_us, 74_us, 26_us);
  EXPECT_TRUE(links_limit(link_busy_for(0.51), &path));
  EXPECT_TRUE(links_limit(link_busy_for(0.51), nullptr));
  EXPECT_FALSE(links_limit(link_busy_for(0.5), nullptr));
  // Beside computing, too.
  path = path_of(80_us, 19_us, 1_us);
  EXPECT_EQ(limit_text(computed_for(80_us), &path, link_busy_for(0.6)),
            "computing takes 80.0 % of the critical path; in the other 20.00 us, links from hosts carry data "
            "for 60.00 us, partly during computing; mostly calls and copies on hosts (95.0 %)");
}

TEST(CommunicationLimit, CallsLinksOfGpusNVLink) {
  EXPECT_EQ(limit_text(computed_for(0_us), nullptr, link_busy_for(0.3), nullptr, LinkedHosts::gpus),
            "no link is busy for half of the run (most: NVLink from the GPUs, 30.0 %)");
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
  EXPECT_EQ(limit_text(computed_for(0_us), &path, bus(0.72)),
            "buses into hosts (KEY): busy for 72.0 % of the run (the busiest of 2 hosts; mean 54.0 %); next "
            "links from hosts: 37.6 %");
  EXPECT_THAT(
      limit_text(computed_for(0_us), &path, bus(0.42)),
      testing::StartsWith("no link or host is busy for half of the run (most: buses into hosts (KEY), "
                          "42.0 %); mostly NICs and network"));
  EXPECT_THAT(limit_text(computed_for(0_us), &path, bus(0.2)),
              testing::StartsWith("no link is busy for half of the run (most: links from hosts, 37.6 %)"));
}

// At its limit for 60 us; processors wait for a memory, not the network: 92 and 20 us of the path.
TEST(CommunicationLimit, IsAMemoryWhereThePathIsOnHosts) {
  const CriticalPath hosts = path_of(0_us, 92_us, 8_us), network = path_of(0_us, 20_us, 80_us);
  const NetworkLoads memory = with_resource({}, ResourceLoad::Place::memory, "memories of hosts (KEY)", 0.6);
  EXPECT_THAT(limit_text(computed_for(0_us), &hosts, memory),
              testing::StartsWith("memories of hosts (KEY): busy for 60.0 % of the run"));
  EXPECT_EQ(limit_text(computed_for(0_us), &network, memory),
            "memories of hosts (KEY) are busy for 60.0 % of the run, yet the path spends 20.0 % on hosts; "
            "mostly NICs and network (80.0 % of the critical path)");
}

// The busier of the two is beside the path.
TEST(CommunicationLimit, IsNotWhatIsBusierBesideThePath) {
  const CriticalPath hosts = path_of(0_us, 80_us, 20_us), network = path_of(0_us, 20_us, 80_us);
  const NetworkLoads links = with_resource({}, ResourceLoad::Place::sending, "PCIe of hosts (KEY)", 0.59);
  NetworkLoads both = with_resource({}, ResourceLoad::Place::memory, "memories of hosts (KEY)", 0.6);
  both.resources.insert(both.resources.end(), links.resources.begin(), links.resources.end());
  EXPECT_THAT(limit_text(computed_for(0_us), &network, both),
              testing::StartsWith("PCIe of hosts (KEY): busy for 59.0 % of the run"));
  EXPECT_THAT(limit_text(computed_for(0_us), &hosts, both),
              testing::StartsWith("memories of hosts (KEY): busy for 60.0 % of the run"));
}

TEST(CommunicationLimit, IsAMediumThatAllShare) {
  const CriticalPath path = path_of(0_us, 8_us, 92_us);
  const auto segment = [](double share) {
    NetworkLoads links;
    links.resources = {{ResourceLoad::Place::shared, "the shared segment", 0, share}};
    return links;
  };
  EXPECT_EQ(limit_text(computed_for(0_us), &path, segment(0.82)),
            "the shared segment: busy for 82.0 % of the run");
  EXPECT_EQ(
      limit_text(computed_for(0_us), &path, segment(0.3)),
      "the shared segment is busy for 30.0 % of the run; mostly NICs and network (92.0 % of the critical "
      "path)");
  EXPECT_THAT(limit_text(computed_for(90_us), nullptr, segment(0.4)),
              testing::EndsWith("the shared segment carries data for 40.00 us, partly during computing"));
}

TEST(CommunicationLimit, IsNotKnownWhereNoLinkIsUsed) {
  const CriticalPath path = path_of(0_us, 99_us, 1_us);
  EXPECT_EQ(limit_text(computed_for(0_us), &path, link_busy_for(0)), "");
  EXPECT_EQ(limit_text(RunStatistics(2), nullptr, {}), "");
  EXPECT_EQ(limit_text(computed_for(100_us), nullptr, {}), "computing takes 100.0 % of the ranks' time");
}

}  // namespace
}  // namespace morgana
