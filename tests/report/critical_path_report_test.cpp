#include "emulator/report/limits/critical_path_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace morgana {
namespace {

using namespace literals;

/// Rank 0 computes for 60 us and sends for 2 us; the message takes 5 us to be cleared and 30 us on the wire;
/// rank 1 takes 3 us to receive it.
CriticalPath by_hand() {
  CriticalPath path;
  const Actor sender{Rank{0}}, receiver{Rank{1}};
  path.steps = {{sender, sender, 0_us, 62_us, {60_us, 2_us, 0_us, 0_us, 0_us, 0_us}, false},
                {receiver, sender, 62_us, 97_us, {0_us, 0_us, 5_us, 30_us, 0_us, 0_us}, true},
                {receiver, receiver, 97_us, 100_us, {0_us, 3_us, 0_us, 0_us, 0_us, 0_us}, false}};
  path.times = {60_us, 5_us, 5_us, 30_us, 0_us, 0_us};
  return path;
}

/// The same, but 20 of the 30 us pass until the message's retransmission timer runs out.
CriticalPath with_a_timeout() {
  CriticalPath path = by_hand();
  path.steps[1].times = {0_us, 0_us, 5_us, 10_us, 20_us, 0_us};
  path.times = {60_us, 5_us, 5_us, 10_us, 20_us, 0_us};
  return path;
}

TEST(CriticalPathReport, SaysThatFasterLinksShortenNoWaitForATimer) {
  EXPECT_EQ(
      critical_path_text(with_a_timeout()),
      "critical path  100.0 us, through 2 ranks and 1 message: computing 60.0 %, host 5.0 %, protocol 5.0 %, "
      "network 10.0 %, retransmission 20.0 %\n"
      "  saved if twice as fast, all else equal: processors 30.0 %, the hosts' work 2.5 %, protocols 2.5 %, "
      "NICs and links 5.0 %, retransmission timers 10.0 %\n");
  const nlohmann::ordered_json json = critical_path_json(with_a_timeout());
  EXPECT_EQ(json.at("wire_ps"), 10'000'000);
  EXPECT_EQ(json.at("retransmission_ps"), 20'000'000);
  EXPECT_EQ(json.at("at_most_less_if_twice_as_fast").at("wire"), 0.05);
}

TEST(CriticalPathReport, SaysWhereTheTimeGoesAndWhatAFasterMachineSavesAtMost) {
  EXPECT_EQ(
      critical_path_text(by_hand()),
      "critical path  100.0 us, through 2 ranks and 1 message: computing 60.0 %, host 5.0 %, protocol 5.0 %, "
      "network 30.0 %\n"
      "  saved if twice as fast, all else equal: processors 30.0 %, the hosts' work 2.5 %, protocols 2.5 %, "
      "NICs and links 15.0 %\n");
}

TEST(CriticalPathReport, CountsNoDaemonAsARank) {
  EXPECT_THAT(critical_path_shares(by_hand(), 1),
              testing::EndsWith("; through 1 rank, PVM's daemon and 1 message"));
  EXPECT_THAT(critical_path_shares(by_hand()), testing::EndsWith("; through 2 ranks and 1 message"));
}

TEST(CriticalPathReport, HasTheSameAsJson) {
  EXPECT_EQ(critical_path_json(by_hand()), nlohmann::ordered_json::parse(R"({
    "total_ps": 100000000, "ranks": 2, "messages": 1,
    "computing_ps": 60000000, "host_ps": 5000000, "protocol_ps": 5000000, "wire_ps": 30000000,
    "retransmission_ps": 0, "waiting_ps": 0,
    "at_most_less_if_twice_as_fast": {"computing": 0.3, "host": 0.025, "protocol": 0.025, "wire": 0.15,
      "retransmission": 0},
    "per_rank": [{"rank": 0, "time_ps": 62000000}, {"rank": 1, "time_ps": 3000000}]})"));
}

// A wait for a send of its own: no message between ranks is on the way.
TEST(CriticalPathReport, NamesTheRankOnWhichAllOfItLies) {
  const Actor one{Rank{7}};
  CriticalPath path;
  path.steps = {{one, one, 0_us, 10_us, {10_us}, false},
                {one, one, 10_us, 100_us, {0_us, 0_us, 0_us, 90_us}, true}};
  path.times = {10_us, 0_us, 0_us, 90_us};
  EXPECT_EQ(critical_path_shares(path),
            "computing 10.0 %, network 90.0 %; on rank 7 alone, which waits until its own sends are "
            "complete: their "
            "data take the network part, and no other rank delays them");
}

TEST(CriticalPathReport, SaysNothingOfShareOfNoTime) {
  EXPECT_EQ(critical_path_text(CriticalPath()), "critical path  0 s, through 0 ranks and 0 messages\n");
}

}  // namespace
}  // namespace morgana
