#include "runs/path_alone.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "emulator/engine/engine.h"
#include "runs/scripted_ranks.h"

namespace morgana {
namespace {

using namespace literals;

Placement one_a_host() {
  Placement placement;
  placement.kind = Placement::Kind::cyclic;
  return placement;
}

CriticalPath path_of(const Platform& platform, ScriptedRanks& ranks) {
  Machine machine = platform.build(ranks.ranks(), one_a_host(), 1);
  CriticalPathRecorder causes;
  OperationObserver* const observers[] = {&causes};
  Engine engine(machine, ranks, observers, &causes);
  engine.run();
  CriticalPath path = causes.path();
  find_alone(path, platform, ranks.ranks(), one_a_host(), 1);
  return path;
}

/// Rank 0 and rank 1 send to and fro, so that no message meets another.
ScriptedRanks to_and_fro(Bytes bytes, int rounds) {
  ScriptedRanks ranks(2);
  for (int i = 0; i < rounds; ++i) {
    ranks.send(Rank{0}, Rank{1}, bytes);
    ranks.receive(Rank{1}, Rank{0}, bytes);
    ranks.send(Rank{1}, Rank{0}, bytes);
    ranks.receive(Rank{0}, Rank{1}, bytes);
  }
  for (const Rank rank : {Rank{0}, Rank{1}}) ranks.exit(rank);
  return ranks;
}

/// All others send to the last rank at once, which has a receive for each.
ScriptedRanks incast(std::int32_t senders, Bytes bytes) {
  ScriptedRanks ranks(static_cast<std::size_t>(senders) + 1);
  const Rank last{senders};
  std::vector<RequestId> receives;
  for (std::int32_t i = 0; i < senders; ++i) {
    ranks.send(Rank{i}, last, bytes);
    ranks.exit(Rank{i});
    receives.push_back(ranks.begin_receive(last, Rank{i}, bytes));
  }
  for (const RequestId one : receives) ranks.wait(last, one);
  ranks.exit(last);
  return ranks;
}

// LogGP: a message of k bytes takes L + (k - 1) G; one without data is sent as a byte.
TEST(PathAlone, DividesMessagesByLatencyAndBytes) {
  const Platform platform = Platform::parse(
      "[network]\nkind = \"loggp\"\nlatency = \"5 us\"\ngap = \"1 us\"\ngap-per-byte = \"10 ns/B\"\n"
      "[messages]\nenvelope = \"0 B\"\neager-limit = \"1 MiB\"\n",
      "test");
  ScriptedRanks ranks = to_and_fro(1001_B, 3);
  const CriticalPath path = path_of(platform, ranks);
  ASSERT_TRUE(path.alone);
  EXPECT_EQ(path.time(PathKind::wire), 6 * (5_us + 10_us));
  EXPECT_EQ(path.alone->latency, 6 * 5_us);
  EXPECT_EQ(path.alone->data, 6 * 10_us);
}

// 300 short messages and 300 long ones, alternately.
TEST(PathAlone, CountsEachMessageOfALongPath) {
  const Platform platform = Platform::parse(
      "[network]\nkind = \"loggp\"\nlatency = \"5 us\"\ngap = \"1 us\"\ngap-per-byte = \"10 ns/B\"\n"
      "[messages]\nenvelope = \"0 B\"\neager-limit = \"1 MiB\"\n",
      "test");
  ScriptedRanks ranks(2);
  for (int i = 0; i < 300; ++i) {
    ranks.send(Rank{0}, Rank{1}, 1_B);
    ranks.receive(Rank{1}, Rank{0}, 1_B);
    ranks.send(Rank{1}, Rank{0}, 1001_B);
    ranks.receive(Rank{0}, Rank{1}, 1001_B);
  }
  for (const Rank rank : {Rank{0}, Rank{1}}) ranks.exit(rank);
  const CriticalPath path = path_of(platform, ranks);
  ASSERT_TRUE(path.alone);
  EXPECT_EQ(path.alone->latency, 600 * 5_us);
  EXPECT_EQ(path.alone->data, 300 * 10_us);
}

struct Fabric {
  const char* platform;
  BitRate rate;  // of its links
};

class PathAloneOn : public testing::TestWithParam<Fabric> {};

// Eager and by rendezvous.
TEST_P(PathAloneOn, NothingIsLeftForQueuesWhereNoMessageMeetsAnother) {
  const Platform platform = Platform::load(GetParam().platform);
  for (const Bytes bytes : {8_B, 4_KiB, 1_MiB}) {
    ScriptedRanks ranks = to_and_fro(bytes, 8);
    const CriticalPath path = path_of(platform, ranks);
    ASSERT_TRUE(path.alone) << bytes.count();
    const double wire = path.time(PathKind::wire).seconds();
    EXPECT_NEAR((path.alone->latency + path.alone->data).seconds() / wire, 1, 0.02) << bytes.count();
    if (bytes == 8_B) {
      EXPECT_GT(path.alone->latency.seconds(), 0.9 * wire);
    }
    // The data of 16 messages are on a link for so long at least.
    EXPECT_GT(path.alone->data, 16 * GetParam().rate.time_for(bytes - 1_B)) << bytes.count();
  }
}

// Each takes as long alone as the link needs for its data; the last one waits for all others.
TEST_P(PathAloneOn, WhatIsLeftIsForQueuesWhereManySendToOne) {
  ScriptedRanks ranks = incast(8, 64_KiB);
  const CriticalPath path = path_of(Platform::load(GetParam().platform), ranks);
  ASSERT_TRUE(path.alone);
  const double wire = path.time(PathKind::wire).seconds();
  EXPECT_LT((path.alone->latency + path.alone->data).seconds(), 0.6 * wire);
}

INSTANTIATE_TEST_SUITE_P(Platforms, PathAloneOn,
                         testing::Values(Fabric{"hdr-fat-tree", BitRate(200'000'000'000)},
                                         Fabric{"roce-100g", BitRate(100'000'000'000)},
                                         Fabric{"uec-800g", BitRate(800'000'000'000)},
                                         Fabric{"dragonfly-1056", BitRate(200'000'000'000)}),
                         [](const auto& one) {
                           std::string name = one.param.platform;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(PathAlone, IsNotKnownOfMessagesWhoseEndsAreNot) {
  const Platform platform = Platform::load("hdr-fat-tree");
  CriticalPath path;
  const Actor one{Rank{1}}, zero{Rank{0}};
  path.times[static_cast<std::size_t>(PathKind::wire)] = 10_us;
  path.steps = {{one, zero, 0_us, 10_us, path.times, true, {}}};
  find_alone(path, platform, 2, one_a_host(), 1);
  EXPECT_FALSE(path.alone);
  path.steps.front().carried = {Rank{0}, Rank{1}, 8_B};
  find_alone(path, platform, 2, one_a_host(), 1);
  EXPECT_TRUE(path.alone);
  path.alone.reset();
  path.times[static_cast<std::size_t>(PathKind::computing)] = 100_us;  // not worth it
  find_alone(path, platform, 2, one_a_host(), 1);
  EXPECT_FALSE(path.alone);
}

}  // namespace
}  // namespace morgana
