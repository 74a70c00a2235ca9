#include "emulator/report/host_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "emulator/report/run_report.h"

namespace morgana {
namespace {

using namespace literals;

constexpr std::size_t ranks = 4;

HostUse on(std::size_t hosts, Traffic within, Traffic between) {
  return {hosts, 2, within, between};
}

TEST(HostReport, SaysThatEachRankHasItsHost) {
  EXPECT_EQ(text_of(on(4, {}, {3, 100_B}), ranks), "4, one for each rank");
}

TEST(HostReport, SaysThatNoMessageUsedTheNetwork) {
  EXPECT_EQ(text_of(on(1, {3, 100_B}, {}), ranks), "1 with 2 processors; no message used the network");
}

TEST(HostReport, SaysWhichPartOfTheBytesStayedWithinAHost) {
  EXPECT_EQ(text_of(on(2, {12, 370_B}, {28, 630_B}), ranks),
            "2 with 2 processors each; 37 % of the bytes (12 of 40 messages, those of collectives included) "
            "stayed within a host");
}

TEST(HostReport, SaysThatRanksOfAHostHadNothingToSayToEachOther) {
  EXPECT_EQ(text_of(on(2, {}, {28, 630_B}), ranks),
            "2 with 2 processors each; every message used the network");
  EXPECT_EQ(text_of(on(2, {}, {}), ranks), "2 with 2 processors each");
}

TEST(HostReport, OfEmptyMessagesCountsTheMessages) {
  EXPECT_DOUBLE_EQ(on(2, {1, 0_B}, {3, 0_B}).share_within(), 0.25);
  EXPECT_DOUBLE_EQ(on(2, {1, 0_B}, {3, 1_B}).share_within(), 0);
  EXPECT_DOUBLE_EQ(on(2, {}, {}).share_within(), 0);
}

TEST(HostReport, IsALineOfTheSummaryAndAnObjectInTheJsonOfAModelledRun) {
  const RunDescription description{"./program", "roce-100g-loggp", 1, false};
  RunStatistics statistics(2);
  EXPECT_EQ(run_summary(statistics, description, std::nullopt).find("hosts"), std::string::npos);
  EXPECT_FALSE(nlohmann::json::parse(run_json(statistics, description, std::nullopt)).contains("hosts"));
  statistics.ran_on(on(1, {3, 100_B}, {}));
  EXPECT_NE(
      run_summary(statistics, description, std::nullopt).find("\nhosts           1 with 2 processors; no"),
      std::string::npos);
  const auto hosts = nlohmann::json::parse(run_json(statistics, description, std::nullopt)).at("hosts");
  EXPECT_EQ(hosts.at("count"), 1);
  EXPECT_EQ(hosts.at("processors"), 2);
  EXPECT_EQ(hosts.at("messages_within"), 3);
  EXPECT_EQ(hosts.at("bytes_within"), 100);
  EXPECT_EQ(hosts.at("messages_between"), 0);
  EXPECT_FALSE(hosts.contains("memory_wait_ps"));
}

TEST(HostReport, SaysHowLongCopiesWaitedForMemory) {
  HostUse use = on(1, {3, 100_B}, {});
  use.memory_wait = 30_us;
  use.memory_at_limit = 20_us;
  EXPECT_THAT(text_of(use, 2), testing::AllOf(testing::HasSubstr("copies waited 30.00 us for memory"),
                                              testing::HasSubstr("at its limit for 20.00 us")));
  EXPECT_EQ(host_use_json(use).at("memory_wait_ps"), 30'000'000);
  EXPECT_EQ(host_use_json(use).at("memory_at_limit_ps"), 20'000'000);
}

NetworkLinks one_link(double utilisation) {
  return {"flits",
          {{{LinkEnd::Kind::switch_port, 0, 1}, {LinkEnd::Kind::switch_port, 1, 2}, 1, 0.1, {}},
           {{LinkEnd::Kind::switch_port, 1, 2}, {LinkEnd::Kind::switch_port, 0, 1}, 1, utilisation, {}}}};
}

TEST(RunSummaryOfANetworkWithLinks, NamesTheBusiestIfItWasBusyMostOfTheTime) {
  const auto summary = [](const NetworkLinks& links) {
    return run_summary(RunStatistics(2), {"./program", "myrinet-ud", 1, false}, std::nullopt,
                       summary_rank_limit, bottleneck_lines(RunStatistics(2), nullptr, {}, links));
  };
  EXPECT_NE(summary(one_link(0.96)).find("\nbusiest links   switch 1 port 2 to switch 0 port 1 (96.0 %)\n"),
            std::string::npos);
  EXPECT_EQ(summary(one_link(0.4)).find("busiest link"), std::string::npos);
  EXPECT_EQ(summary({}).find("busiest link"), std::string::npos);
}

}  // namespace
}  // namespace morgana
