#include "runs/tuning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runs/tuning_report.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* by_hand = R"(
description = "Pushes by hand"
source = "a test"
[hosts]
count = "auto"
processors = 1
[messages]
send-overhead = "1 us"
receive-overhead = "1 us"
send-per-byte = "0.5 ns/B"
control = "64 B"
eager-limit = "1 MiB"
[network]
kind = "loggp"
latency = "5 us"
gap = "2 us"
gap-per-byte = "1 ns/B"
)";

Platform with(Bytes first, Bytes second) {
  const std::string settings[] = {"messages.eager-limit=0 B",
                                  "messages.push=" + std::to_string(first.count()) + " B",
                                  "messages.second-push=" + std::to_string(second.count()) + " B"};
  return Platform::parse(by_hand, "hand.toml", settings);
}

SimTime one_way(Bytes first, Bytes second) {
  return ping_pong(with(first, second), PingPongPlaces::two_hosts, Bytes(20'000), 3, 1);
}

/// The search on that platform, which has no file.
TunedWorkload by_hand_workload() {
  return [](const std::string& key, const std::vector<Bytes>& values,
            const std::vector<std::string>& overrides) {
    std::vector<TuningPoint> points;
    for (const Bytes value : key.empty() ? std::vector<Bytes>{Bytes()} : values) {
      std::vector<std::string> settings = overrides;
      if (!key.empty()) settings.push_back(key + "=" + std::to_string(value.count()) + " B");
      const Platform platform = Platform::parse(by_hand, "hand.toml", settings);
      points.push_back({value, ping_pong(platform, PingPongPlaces::two_hosts, Bytes(20'000), 3, 1)});
    }
    return points;
  };
}

// 20,000 B, of which s are pushed behind the request of 64 B. The sender copies what it pushes: 1 us + 0.5 s
// ns. From then on: the request needs 5 us + 63 ns, and so does the clearance, which is back at 10.126 us.
// The interface is taken by the request for 2 us + 63 ns, then by the second push for 2 us + (s - 1) ns. What
// is left begins when both are over, arrives 5 us + (19,999 - s) ns later, and costs the receiver 1 us.
// Without a push that is 37.125 us; a byte of it saves 0.5 ns until 4.063 us + (s - 1) ns = 10.126 us, s =
// 6064; from there on it costs 0.5 ns.
TEST(Tuning, FindsTheSecondPushThatFillsTheWayOfTheClearance) {
  EXPECT_EQ(one_way(Bytes(), Bytes()), SimTime::from_ps(37'125'000));
  EXPECT_EQ(one_way(Bytes(), Bytes(6064)), SimTime::from_ps(34'093'000));
  EXPECT_EQ(one_way(Bytes(), Bytes(8064)), SimTime::from_ps(35'093'000));
  // A byte that is pushed first lengthens the request by 1 ns, and the copy by 0.5 ns, and shortens the rest
  // by 1 ns.
  EXPECT_EQ(one_way(Bytes(1000), Bytes(6064)), SimTime::from_ps(34'593'000));

  TuningRequest request;
  for (std::int64_t value = 0; value <= 12'000; value += 8) request.second.emplace_back(value);
  for (std::int64_t value = 0; value <= 100; value += 10) request.first.emplace_back(value);
  const Tuning tuning = tune(request, by_hand_workload());
  ASSERT_EQ(tuning.steps.size(), 2u);
  EXPECT_EQ(tuning.steps[0].key, "messages.second-push");
  EXPECT_EQ(tuning.steps[0].best_push(), Bytes(6064));
  EXPECT_EQ(tuning.steps[1].key, "messages.push");
  EXPECT_EQ(tuning.steps[1].best_push(), Bytes());
  EXPECT_EQ(tuning.steps[1].best_time(), SimTime::from_ps(34'093'000));
  EXPECT_THAT(tuning.settings(),
              ElementsAre("messages.eager-limit=0 B", "messages.second-push=6064 B", "messages.push=0 B"));
}

// As it is, and with everything pushed, the message is copied and goes at once: 1 us + 10 us, 5 us + 19.999
// us, 1 us.
TEST(Tuning, SetsThePlatformAsItIsAndPushingEverythingBeside) {
  TuningRequest request;
  request.first = request.second = {Bytes(0)};
  const Tuning tuning = tune(request, by_hand_workload());
  ASSERT_EQ(tuning.references.size(), 2u);
  for (const TuningReference& one : tuning.references)
    EXPECT_EQ(one.point.time, SimTime::from_ps(36'999'000));
  // 37.125 us without a push: 36.999 is 0.3 % less.
  EXPECT_THAT(tuning_text({"hand", "a message"}, tuning),
              HasSubstr("everything pushed: 36.999 us, 0.3 % less"));
}

// Within a host 0.2 us at both ends and 0.1 us in between; what is pushed is copied twice, the rest once, at
// 0.1 ns/B.
TEST(Tuning, FindsThatWithinAHostACopyIsSavedByPushingNothing) {
  TuningRequest request;
  request.local = true;
  request.overrides = {"hosts.processors=2"};
  request.first = {Bytes(1000), Bytes(0), Bytes(500)};
  const Tuning tuning =
      tune(request, tuned_ping_pong("loggp-example", PingPongPlaces::one_host, {Bytes(4000)}, 2, 1,
                                    [](const std::string&, double) {}));
  ASSERT_EQ(tuning.steps.size(), 1u);
  const TuningStep& step = tuning.steps[0];
  EXPECT_EQ(step.key, "messages.local-push");
  EXPECT_EQ(step.best_push(), Bytes(0));
  EXPECT_EQ(*step.points[0].time - step.best_time(), SimTime::from_ps(100'000));
  EXPECT_EQ(*step.points[2].time - step.best_time(), SimTime::from_ps(50'000));
}

/// Times that a table gives; nothing for a value that it does not have.
TunedWorkload listed(const std::map<std::int64_t, std::int64_t>& us) {
  return [us](const std::string&, const std::vector<Bytes>& values, const std::vector<std::string>&) {
    std::vector<TuningPoint> points;
    for (const Bytes value : values.empty() ? std::vector<Bytes>{Bytes()} : values) {
      const auto found = us.find(value.count());
      if (found == us.end())
        points.push_back({value, std::nullopt, "deadlock"});
      else
        points.push_back({value, SimTime::from_ps(found->second * 1'000'000)});
    }
    return points;
  };
}

TuningRequest trying(std::vector<Bytes> values) {
  TuningRequest request;
  request.first = request.second = std::move(values);
  return request;
}

TEST(Tuning, TakesOfEqualTimesTheLeastPushAndNeverARunThatDidNotFinish) {
  const Tuning tuning =
      tune(trying({Bytes(300), Bytes(200), Bytes(100), Bytes(0)}), listed({{300, 7}, {200, 7}, {0, 9}}));
  EXPECT_EQ(tuning.steps[0].best_push(), Bytes(200));
  EXPECT_EQ(tuning.steps[0].points[2].outcome, "deadlock");
  EXPECT_EQ(tuning.steps[1].fixed.back(), "messages.second-push=200 B");
  EXPECT_THAT(tuning_csv(tuning), HasSubstr("messages.second-push,100,deadlock,\n"));
}

TEST(Tuning, SaysSoIfNoRunFinishesAndIfTheBestIsTheLastOne) {
  try {
    tune(trying({Bytes(1)}), listed({}));
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    expect_message(error.what(), "messages.second-push");
  }
  EXPECT_THAT(tuning_text({"p", "w"}, tune(trying({Bytes(0), Bytes(9)}), listed({{0, 2}, {9, 1}}))),
              HasSubstr("messages.push: the best value is the last one tried"));
}

TEST(Tuning, SaysSoIfNothingThatIsSentIsPushed) {
  EXPECT_THAT(tuning_text({"p", "w"}, tune(trying({Bytes(0), Bytes(9)}), listed({{0, 2}, {9, 2}}))),
              HasSubstr("messages.second-push: no value makes a difference"));
}

TEST(Tuning, LeavesKeysAloneThatTheUserSets) {
  TuningRequest request = trying({Bytes(0)});
  request.overrides = {"messages.push = 5 B"};
  EXPECT_THROW(tune(request, listed({{0, 1}})), Error);
  request.overrides = {"messages.local-push=5 B", "messages.eager-limit=1 kB"};
  EXPECT_THAT(tune(request, listed({{0, 1}})).settings(),
              ElementsAre("messages.local-push=5 B", "messages.eager-limit=1 kB", "messages.second-push=0 B",
                          "messages.push=0 B"));
}

// A search that finds 9 us, where the platform as it is takes 7 and everything pushed 8.
TEST(TuningText, NamesAllSettingsAndWhatIsBetterThanThey) {
  using namespace literals;
  Tuning tuning;
  tuning.steps.push_back({"messages.push", {"messages.eager-limit=0 B"}, {{Bytes(80), 9_us, "finished"}}, 0});
  tuning.references = {{"as the platform is", {Bytes(), 7_us, "finished"}},
                       {"everything pushed", {Bytes(), 8_us, "finished"}}};
  const std::string text = tuning_text({"here", "a program"}, tuning);
  EXPECT_THAT(text, ::testing::HasSubstr(
                        "9.000 us with --set messages.eager-limit=\"0 B\" --set messages.push=\"80 B\"\n"));
  EXPECT_THAT(text, ::testing::HasSubstr("does not pay here; better: as the platform is\n"));
  tuning.references.front().point.time = 10_us;
  tuning.references.back().point.time = 9_us;
  EXPECT_THAT(tuning_text({"here", "a program"}, tuning),
              ::testing::Not(::testing::HasSubstr("does not pay")));
}

}  // namespace
}  // namespace morgana
