#include "emulator/report/limits/bottleneck.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/messages.h"

namespace morgana {
namespace {

using namespace literals;
using testing::ElementsAre;
using testing::IsEmpty;

LinkEnd at_host(std::uint32_t number) {
  return {LinkEnd::Kind::host, number, 0};
}
LinkEnd at_switch(std::uint32_t number, std::uint32_t port) {
  return {LinkEnd::Kind::switch_port, number, port};
}

/// Host 0 at switch 0 and host 1 at switch 1 send to each other; a cable joins the switches.
NetworkLinks two_switches(std::int64_t between, double utilisation) {
  return {"packets",
          {{at_host(0), at_switch(0, 0), 5, 0.2, {}},
           {at_host(1), at_switch(between > 0 ? 1 : 0, 0), 5, 0.3, {}},
           {at_switch(0, 1), at_switch(1, 1), between, utilisation, {}}}};
}

std::vector<CounterTable> counted(std::int64_t dropped, std::int64_t paused) {
  return {{"Fabric links",
           {{"from"}, {.name = "packets dropped", .trouble = true}, {.name = "pauses", .trouble = true}},
           {{"a", dropped, std::int64_t{0}}, {"b", dropped, paused}}},
          {"go-back-n", {{"units"}, {.name = "timeouts", .trouble = true}}, {{std::int64_t{9}, dropped}}}};
}

/// Rank 0 computes 10 us and sends for 4 us, then computes 6 us; rank 1 computes 4 us and receives for 16 us,
/// of which 9 us until the sender came.
RunStatistics uneven() {
  RunStatistics statistics(2);
  Operation send, receive, exit;
  send.kind = OperationKind::send;
  receive.kind = OperationKind::receive;
  exit.kind = OperationKind::exit;
  statistics.operation_ended(Rank{0}, send, 10_us, 14_us, {});
  statistics.operation_ended(Rank{0}, exit, 20_us, 20_us, {});
  statistics.partner_came(Rank{1}, WaitCause::late_sender, 13_us);
  statistics.operation_ended(Rank{1}, receive, 4_us, 20_us, {});
  statistics.operation_ended(Rank{1}, exit, 20_us, 20_us, {});
  return statistics;
}

// Means by hand: (16 + 4) / 2 = 10 us computed; 9 of 40 us waited.
TEST(Bottleneck, TellsImbalanceApartFromWaiting) {
  EXPECT_THAT(
      bottleneck_lines(uneven(), nullptr, {}, {}),
      ElementsAre(BottleneckLine{"imbalance",
                                 "rank 0 computes longest, 1.60 times the mean (16.00 us against 10.00 us)"},
                  BottleneckLine{"waiting",
                                 "22.5 % of the ranks' time for ranks that come later: late senders 22.5 %"},
                  BottleneckLine{"limit", "computing takes 50.0 % of the ranks' time"}));
}

// 80 ns more than the mean of 80 ns is no reason to wait in a run of 20 us.
TEST(Bottleneck, CallsWhatCostsTheRunNothingNoImbalance) {
  RunStatistics statistics(2);
  Operation receive, exit;
  receive.kind = OperationKind::receive;
  exit.kind = OperationKind::exit;
  for (const int rank : {0, 1}) {
    statistics.operation_ended(Rank{rank}, receive, rank == 0 ? 0_us : SimTime::from_ps(160'000), 20_us, {});
    statistics.operation_ended(Rank{rank}, exit, 20_us, 20_us, {});
  }
  EXPECT_THAT(bottleneck_lines(statistics, nullptr, {}, {}), IsEmpty());
}

TEST(Bottleneck, HasNothingToSayOfRanksThatOnlyComputeAlike) {
  EXPECT_THAT(bottleneck_lines(RunStatistics(2), nullptr, {}, {}), IsEmpty());
}

TEST(Bottleneck, BeginsWithTheCriticalPathIfThatIsKnown) {
  CriticalPath path;
  const Actor one{Rank{0}};
  path.steps = {{one, one, 0_us, 40_us, {30_us, 10_us, 0_us, 0_us, 0_us}, false}};
  path.times = {30_us, 10_us, 0_us, 0_us, 0_us};
  EXPECT_THAT(
      bottleneck_lines(RunStatistics(1), &path, {}, {}),
      ElementsAre(BottleneckLine{"critical path", "computing 75.0 %, host 25.0 %; on rank 0 alone"},
                  BottleneckLine{"limit",
                                 "computing takes 75.0 % of the critical path; in the other 10.00 us, "
                                 "mostly calls and copies on hosts (100.0 %)"}));
}

TEST(Bottleneck, NamesWhateverATableDeclaresAsTroubleAndTheBusiestLinksThen) {
  EXPECT_THAT(bottleneck_lines(RunStatistics(1), nullptr, counted(2, 7), two_switches(4, 0.4)),
              ElementsAre(BottleneckLine{"trouble",
                                         "Fabric links: 4 packets dropped, 7 pauses; go-back-n: 2 timeouts"},
                          BottleneckLine{"busiest links",
                                         "switch 0 port 1 to switch 1 port 1 (40.0 %), host 1 to switch 1 "
                                         "port 0 (30.0 %), host 0 to switch 0 port 0 (20.0 %)"}));
}

TEST(Bottleneck, NamesNoLinkWhereNoneIsBusyAndNothingIsLost) {
  EXPECT_THAT(bottleneck_lines(RunStatistics(1), nullptr, counted(0, 0), two_switches(4, 0.5)), IsEmpty());
  EXPECT_THAT(bottleneck_lines(RunStatistics(1), nullptr, counted(0, 0), two_switches(4, 0.51)),
              ElementsAre(BottleneckLine{"limit",
                                         "links between switches: busy for 51.0 % of the "
                                         "run; next links from hosts: 30.0 %"},
                          BottleneckLine{"busiest links", "switch 0 port 1 to switch 1 port 1 (51.0 %)"}));
}

/// As two_switches(), where only others used the cable between the switches.
NetworkLinks cable_of_others(double utilisation) {
  NetworkLinks links = two_switches(4, utilisation);
  links.loads[2].of_program = false;
  return links;
}

TEST(Bottleneck, LooksForItWhereTheProgramsDataWent) {
  EXPECT_THAT(bottleneck_lines(RunStatistics(1), nullptr, {}, cable_of_others(0.9)),
              ElementsAre(BottleneckLine{"idle cables", "no message crossed a cable between switches"}));
  NetworkLinks links = cable_of_others(0.9);
  links.loads[1].utilisation = 0.7;
  EXPECT_THAT(
      bottleneck_lines(RunStatistics(1), nullptr, {}, links, nullptr, "block", std::vector<JobResult>(2)),
      ElementsAre(
          BottleneckLine{
              "limit",
              "links from hosts: busy for 70.0 % of the run (the busiest of 2 links; mean 45.0 %); of "
              "the links that job 1 used"},
          BottleneckLine{"busiest links", "host 1 to switch 1 port 0 (70.0 %); of the links that job 1 used"},
          BottleneckLine{"idle cables", "no message of the program crossed a cable between switches"}));
}

TEST(Bottleneck, SaysWhereItIsNotKnownWhichLinksOnlyOthersUsed) {
  NetworkLinks links = two_switches(4, 0.51);
  links.others_unknown = true;
  RunStatistics statistics(1);
  statistics.ran_beside(BackgroundUse{});
  const auto lines = bottleneck_lines(statistics, nullptr, {}, links);
  ASSERT_EQ(lines.size(), 2);
  for (const BottleneckLine& line : lines)
    EXPECT_THAT(line.text, testing::EndsWith("; of all links, those that only others used included"));
}

TEST(Bottleneck, SaysWhoseTroubleItIs) {
  const auto trouble = [](std::size_t jobs, bool background) {
    RunStatistics statistics(1);
    if (background) statistics.ran_beside(BackgroundUse{});
    for (const BottleneckLine& line : bottleneck_lines(statistics, nullptr, counted(2, 7), {}, nullptr,
                                                       "block", std::vector<JobResult>(jobs > 1 ? jobs : 0)))
      if (line.label == "trouble") return line.text.substr(0, line.text.find("Fabric"));
    return std::string("none");
  };
  EXPECT_EQ(trouble(1, false), "");
  EXPECT_EQ(trouble(3, false), "of all 3 jobs, ");
  EXPECT_EQ(trouble(1, true), "of the program and the background, ");
  EXPECT_EQ(trouble(2, true), "of all 2 jobs and the background, ");
}

PauseReport::Link link_to(std::uint32_t host) {
  return {at_switch(3, host), at_host(host)};
}

/// Two links are paused by what queues for host 9; hosts 0, 1 and 7 have sent that.
PauseReport tree_of_pauses() {
  PauseReport pauses;
  pauses.paused = {{{at_switch(0, 1), at_switch(3, 1)}, 2, 5, 0.4, link_to(9)},
                   {{at_host(1), at_switch(0, 0)}, 2, 4, 0.25, link_to(9)}};
  pauses.congested = {{link_to(9), 2, 9, 2, 0.65, {{1, 0.5}, {7, 0.3}, {0, 0.2}}}};
  return pauses;
}

TEST(Bottleneck, NamesThePausedLinksTheCongestedOneAndWhoFilledItsQueue) {
  expect_message(
      pauses_text(tree_of_pauses(), {}),
      {"2 links", "switch 0 port 1 to switch 3 port 1", "class 2 for 40.0 %", "host 1 to switch 0 port 0",
       "class 2 for 25.0 %", "switch 3 port 9 to host 9", "3 hosts", "host 1 (50.0 %)"});
  std::vector<JobResult> jobs(2);
  jobs[0].host_numbers = {0, 1};
  jobs[1].host_numbers = {2, 3};
  expect_message(pauses_text(tree_of_pauses(), jobs), {"job 1 (70.0 %)", "(30.0 %)"});
  jobs[1].host_numbers = {7, 8};
  expect_message(pauses_text(tree_of_pauses(), jobs), {"job 1 (70.0 %)", "job 2 (30.0 %)"});
  EXPECT_EQ(pauses_text({}, jobs), "");
}

TEST(Bottleneck, SaysWhetherTheProgramsHostsOrTheBackgroundsFilledAQueue) {
  PauseReport pauses = tree_of_pauses();
  std::vector<JobResult> program(1);
  program[0].host_numbers = {0, 1};
  expect_message(pauses_text(pauses, program), {"(70.0 %)", "(30.0 %)"});
  pauses.congested[0].senders = {{1, 0.9996}, {7, 0.0004}};
  expect_message(pauses_text(pauses, program), "(100.0 %)");
  EXPECT_THAT(pauses_text(pauses, program), testing::Not(testing::HasSubstr("(0.0 %)")));
  RunStatistics statistics(1);
  statistics.ran_beside(BackgroundUse{});
  NetworkLinks links = two_switches(4, 0.4);  // hosts 0 and 1
  links.loads[1].of_program = false;
  const std::vector<CounterTable> tables = pause_tables(tree_of_pauses());
  const auto pauses_of = [&](const NetworkLinks& with) {
    std::string found;
    for (const BottleneckLine& line : bottleneck_lines(statistics, nullptr, tables, with))
      if (line.label == "pauses") found = line.text;
    return found;
  };
  EXPECT_THAT(pauses_of(links),
              testing::EndsWith("filled by the program's hosts (20.0 %), other hosts (80.0 %)"));
  links.others_unknown = true;
  EXPECT_THAT(pauses_of(links), testing::EndsWith("filled by 3 hosts, most by host 1 (50.0 %)"));
}

TEST(Bottleneck, HasALineOfPausesWhereCountersTellOfThem) {
  const std::vector<CounterTable> tables = pause_tables(tree_of_pauses());
  const auto lines = bottleneck_lines(RunStatistics(1), nullptr, tables, {});
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].label, "pauses");
}

TEST(Bottleneck, TellsWhatHoldsALinkUpApartFromWhatItSends) {
  NetworkLinks links = two_switches(4, 0.6);
  links.loads[2].stopped = 0.304;
  links.loads[1].stopped = 0.005;
  EXPECT_EQ(
      busiest_links_text(links, 2, 0),
      "switch 0 port 1 to switch 1 port 1 (60.0 %, held up 30.4 %), host 1 to switch 1 port 0 (30.0 %)");
}

TEST(Bottleneck, SaysThatNoCableBetweenSwitchesWasUsed) {
  expect_message(idle_cables_text(two_switches(0, 0)), {"switch 0", "--map spread"});
  expect_message(idle_cables_text(two_switches(0, 0), "block:4"),
                 {"switch 0", "--map spread", "--ranks-per-host"});
  // What is in use is no advice.
  EXPECT_THAT(idle_cables_text(two_switches(0, 0), "spread"), testing::Not(testing::HasSubstr("--map")));
  expect_message(idle_cables_text(two_switches(0, 0), ""), {"NIC", "switch 0"});
  expect_message(idle_cables_text(two_switches(0, 0), "pvm"), "switch 0");
  EXPECT_THAT(idle_cables_text(two_switches(0, 0), "pvm"), testing::Not(testing::HasSubstr(";")));
  expect_message(idle_cables_text(two_switches(0, 0), "spread:4"), "hosts.count");
  expect_message(idle_cables_text(two_switches(0, 0), "block", true), "switch 0");
  EXPECT_EQ(idle_cables_text(two_switches(1, 0.1)), "");
  EXPECT_EQ(idle_cables_text({}), "");
}

}  // namespace
}  // namespace morgana
