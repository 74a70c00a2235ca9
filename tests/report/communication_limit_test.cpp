#include "emulator/report/communication_limit.h"

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
  EXPECT_EQ(limit_text(computed_for(90_us), &path, link_busy_for(0.08)),
            "computing dominates: 90.0 % of the critical path; during the other 10.00 us, links from hosts: "
            "busy for 80.0 % of it at most; next links to hosts: 20.0 %");
}

// 1 us of 10 us: no rate of any link counts, but what the library takes.
TEST(CommunicationLimit, SaysWhatElseTakesTheTimeWhereLinksDoNot) {
  const CriticalPath path = path_of(90_us, 8_us, 2_us);
  EXPECT_EQ(
      limit_text(computed_for(90_us), &path, link_busy_for(0.01)),
      "computing dominates: 90.0 % of the critical path; during the other 10.00 us, no link is busy for "
      "half of it (most of all links from hosts: at most 10.0 %): mostly what the library and the hosts take "
      "(80.0 "
      "%)");
  EXPECT_EQ(limit_text(computed_for(90_us), &path, {}),
            "computing dominates: 90.0 % of the critical path; during the other 10.00 us, mostly what the "
            "library and the hosts take (80.0 %)");
}

// 4.5 us of 10 us are not enough.
TEST(CommunicationLimit, TakesALinkForOneThatLimitsFromHalfOn) {
  const CriticalPath path = path_of(90_us, 2_us, 8_us);
  EXPECT_THAT(
      limit_text(computed_for(90_us), &path, link_busy_for(0.045)),
      testing::EndsWith(
          "no link is busy for half of it (most of all links from hosts: at most 45.0 %): mostly the way "
          "through NICs and network (80.0 %)"));
  EXPECT_THAT(
      limit_text(computed_for(90_us), &path, link_busy_for(0.061)),
      testing::EndsWith("links from hosts: busy for 61.0 % of it at most; next links to hosts: 15.2 %"));
}

TEST(CommunicationLimit, SaysThatDataMoveBesideComputing) {
  const CriticalPath path = path_of(90_us, 8_us, 2_us);
  EXPECT_EQ(limit_text(computed_for(90_us), &path, link_busy_for(0.4)),
            "computing dominates: 90.0 % of the critical path; during the other 10.00 us, links from hosts "
            "carry data for 40.00 us in all, beside computing, too; the path is mostly what the library and "
            "the hosts take (80.0 %)");
}

// The link is busy for 45 us, and there are 55 us in which it may be.
TEST(CommunicationLimit, LooksAtCommunicationAloneWhereNoLinkIsBusyForHalfOfTheRun) {
  EXPECT_EQ(
      limit_text(computed_for(45_us), nullptr, link_busy_for(0.45)),
      "computing takes 45.0 % of the ranks' time; during the other 55.00 us, links from hosts: busy for "
      "81.8 % of it at most; next links to hosts: 20.5 %");
  EXPECT_THAT(limit_text(computed_for(45_us), nullptr, link_busy_for(0.55)),
              testing::StartsWith("links from hosts: busy for 55.0 % of the run"));
}

// Others of the ranks may have used the link: 7 us of the path's 10 us are at most its data.
TEST(CommunicationLimit, NamesThePathWhereItIsNotTheNetworks) {
  const CriticalPath path = path_of(90_us, 8_us, 2_us);
  EXPECT_THAT(limit_text(computed_for(90_us), &path, link_busy_for(0.07)),
              testing::EndsWith("busy for 70.0 % of it at most; next links to hosts: 17.5 %; the path is "
                                "mostly what the library and the hosts take (80.0 %)"));
}

// The path communicates for 10 us, the ranks for 60.
TEST(CommunicationLimit, SaysWhereTheRanksCommunicateForMuchLongerThanThePath) {
  const CriticalPath path = path_of(90_us, 1_us, 9_us);
  EXPECT_THAT(limit_text(computed_for(40_us), &path, link_busy_for(0.15)),
              testing::EndsWith("links from hosts carry data for 15.00 us in all, beside computing, too; the "
                                "path is mostly the way through NICs and network (90.0 %); the ranks are in "
                                "calls for 60.00 us in the mean"));
}

TEST(CommunicationLimit, WithoutAPathIsByTheRanksTimeInCalls) {
  EXPECT_EQ(
      limit_text(computed_for(60_us), nullptr, link_busy_for(0.32)),
      "computing dominates: 60.0 % of the ranks' time; during the other 40.00 us, links from hosts: busy "
      "for 80.0 % of it at most; next links to hosts: 20.0 %");
  EXPECT_EQ(
      limit_text(computed_for(20_us), nullptr, link_busy_for(0.04)),
      "computing takes 20.0 % of the ranks' time; during the other 80.00 us, no link is busy for half of "
      "it (most of all links from hosts: at most 5.0 %)");
}

// Ranks with several streams: 8 us of the 20 us in which they communicate.
TEST(CommunicationLimit, OfAnExecutionTraceIsByItsCommunicationHiddenAndExposed) {
  const ExecutionUse use{80_us, 10_us, 10_us, 0_us, {}};
  EXPECT_EQ(
      limit_text(computed_for(20_us), nullptr, link_busy_for(0.08), &use),
      "computing dominates: 90.0 % of the ranks' time; during communication, 20.00 us hidden and exposed, "
      "no link is busy for half of it (most of all links from hosts: at most 40.0 %)");
  const CriticalPath path = path_of(90_us, 8_us, 2_us);  // another division of time: none of its parts
  EXPECT_THAT(limit_text(computed_for(20_us), &path, link_busy_for(0.08), &use),
              testing::EndsWith("(most of all links from hosts: at most 40.0 %)"));
}

TEST(CommunicationLimit, IsThatOfTheWholeRunWhereLinksAreBusyForHalfOfIt) {
  EXPECT_EQ(limit_text(computed_for(30_us), nullptr, link_busy_for(0.64)),
            "links from hosts: busy for 64.0 % of the run; next links to hosts: 16.0 %");
}

TEST(CommunicationLimit, IsNotSpokenOfWhereComputingTakesLittleAndNoLinkIsBusy) {
  EXPECT_EQ(limit_text(computed_for(5_us), nullptr, link_busy_for(0.3)), "");
  EXPECT_EQ(limit_text(RunStatistics(2), nullptr, {}), "");
  EXPECT_EQ(limit_text(computed_for(100_us), nullptr, {}), "computing dominates: 100.0 % of the ranks' time");
}

}  // namespace
}  // namespace morgana
