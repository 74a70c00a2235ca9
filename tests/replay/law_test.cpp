#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "emulator/core/random.h"
#include "emulator/engine/engine.h"
#include "emulator/platform/platform.h"
#include "replay/trace_source.h"
#include "tests/engine/scripted_source.h"
#include "tests/replay/polling_program.h"
#include "tests/replay/streaming_program.h"
#include "tests/support/effort.h"
#include "tests/support/temporary_folder.h"
#include "traces/otf2/trace_writer.h"

namespace morgana {
namespace {

using testing::PollingProgram;
using testing::StreamingProgram;
using testing::TemporaryFolder;

constexpr std::size_t ranks = 6;

/// How many rounds a drawn program has: where fewer random cases are tried, they are shorter, too.
std::size_t rounds(std::size_t all) {
  return std::max<std::size_t>(8, random_cases(all));
}

std::vector<SimTime> run(const Platform& platform, OperationSource& source,
                         const std::filesystem::path& trace) {
  Machine machine = platform.build(ranks, {}, 1);
  TraceProperties properties;
  properties.platform = platform.name();
  properties.compute_scale = platform.compute_scale();
  properties.host_of.assign(ranks, "host");
  TraceWriter writer(trace, properties);
  std::vector<OperationObserver*> observers{&writer};
  std::vector<SimTime> ends = Engine(machine, source, observers).run();
  writer.finish();
  return ends;
}

bool streams(const Platform& platform) {
  return platform.build(ranks, {}, 1).transport->guarantees().streams;
}

/// On these presets every run of the tests below can be built; "native" is no model. They are told by their
/// names alone, for each test is a process of its own, and to load them all takes longer than most of these
/// tests.
std::vector<std::string> modelled_platforms() {
  std::vector<std::string> modelled = Platform::names();
  std::erase(modelled, "native");
  return modelled;
}

TEST(ModelledPlatforms, AreAllButOne) {
  for (const std::string& name : Platform::names())
    EXPECT_EQ(Platform::load(name).native(), name == "native") << name;
}

class TheLaw : public ::testing::TestWithParam<std::string> {};

TEST_P(TheLaw, ATraceReplayedOnTheSamePlatformTakesTheSameTime) {
  const Platform platform = Platform::load(GetParam());
  for (std::uint64_t seed = 1; seed <= random_cases(5); ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const TemporaryFolder folder;
    PollingProgram program(seed, ranks, rounds(40));
    const std::vector<SimTime> emulated = run(platform, program, folder / "emulated");
    TraceSource source(folder / "emulated", platform.compute_scale());
    const std::vector<SimTime> replayed = run(platform, source, folder / "replayed");
    EXPECT_EQ(emulated, replayed);
    EXPECT_THAT(source.notices(), ::testing::IsEmpty());
    TraceSource again(folder / "replayed", platform.compute_scale());
    EXPECT_EQ(emulated, run(platform, again, folder / "again"));
  }
}

/// Of a program that computes, polls and exchanges messages, drawn from the seed.
void expect_the_law(const Platform& platform, std::uint64_t seed) {
  const TemporaryFolder folder;
  PollingProgram program(seed, ranks, rounds(40));
  const std::vector<SimTime> emulated = run(platform, program, folder / "emulated");
  TraceSource source(folder / "emulated", 1);
  EXPECT_EQ(emulated, run(platform, source, folder / "replayed"));
}

// Copies of ranks of one host slow each other, within calls that poll and that wait for a while as well.
TEST(TheLawOfSharedMemory, HoldsForProgramsThatPoll) {
  for (const char* bandwidth : {"200 MB/s", "2 GB/s", "20 GB/s"}) {
    const Platform platform = Platform::load(
        "hdr-fat-tree", std::vector<std::string>{std::string("hosts.memory-bandwidth=") + bandwidth,
                                                 "hosts.memory-cache=0 B", "hosts.processors=6"});
    for (std::uint64_t seed = 1; seed <= random_cases(20); ++seed) {
      SCOPED_TRACE(::testing::Message() << bandwidth << ", seed " << seed);
      expect_the_law(platform, seed);
    }
  }
}

/// Six ranks on two hosts, one of which has an idle processor.
Platform interrupted(const std::string& handling) {
  const std::vector<std::string> changes{"hosts.processors=4", "hosts.interrupts.handling=" + handling,
                                         "hosts.interrupts.cost=17 us"};
  return Platform::load("loggp-example", changes);
}

TEST(InterruptedLaw, ATraceReplayedOnTheSamePlatformTakesTheSameTime) {
  for (const char* handling : {"fixed", "least-loaded"}) {
    const Platform platform = interrupted(handling);
    for (std::uint64_t seed = 1; seed <= random_cases(20); ++seed) {
      SCOPED_TRACE(::testing::Message() << handling << ", seed " << seed);
      expect_the_law(platform, seed);
    }
  }
}

TEST(PushingLaw, ATraceReplayedOnTheSamePlatformTakesTheSameTime) {
  for (const char* room : {"0 B", "1500 B", "1024 GiB"}) {
    const std::vector<std::string> changes{"hosts.processors=2",
                                           "messages.eager-limit=500 B",
                                           "messages.push=200 B",
                                           "messages.second-push=900 B",
                                           "messages.local-push=100 B",
                                           "messages.local-eager-limit=300 B",
                                           "messages.receive-per-byte=3 ns/B",
                                           std::string("messages.unexpected-buffer=") + room};
    for (const char* name : {"loggp-example", "fast-ethernet-smp"}) {
      const Platform platform = Platform::load(name, changes);
      for (std::uint64_t seed = 1; seed <= random_cases(10); ++seed) {
        SCOPED_TRACE(::testing::Message() << name << ", room for " << room << ", seed " << seed);
        expect_the_law(platform, seed);
      }
    }
  }
}

/// Six ranks on two hosts, whose kernels carry the messages.
void expect_the_law_of_kernels(const char* name, std::vector<std::string> changes, std::uint64_t cases) {
  changes.insert(changes.end(), {"hosts.count=2", "messages.unexpected-buffer=12 KiB"});
  const Platform platform = Platform::load(name, changes);
  for (std::uint64_t seed = 1; seed <= random_cases(cases); ++seed) {
    SCOPED_TRACE(::testing::Message() << name << ", " << changes.front() << ", seed " << seed);
    expect_the_law(platform, seed);
  }
}

const std::vector<std::string> no_interrupts{"hosts.interrupts.handling=polling",
                                             "hosts.interrupts.cost=0 us"};

TEST(PushPullLaw, ATraceReplayedOnTheSamePlatformTakesTheSameTime) {
  for (const char* name : {"smp-push-pull", "smp-push-zero", "smp-push-all"})
    for (const char* translate : {"transport.translate=masked", "transport.translate=first"})
      expect_the_law_of_kernels(name, {translate}, 10);
}

TEST(PushPullLaw, HoldsWhereHostsPoll) {
  for (const char* name : {"smp-push-pull", "smp-push-zero"})
    expect_the_law_of_kernels(name, no_interrupts, 5);
}

TEST(PushPullLaw, HoldsOnOtherNetworks) {
  for (const char* name : {"myrinet-push-pull", "atm-oc3-push-pull"})
    for (const std::vector<std::string>& changes : {{"transport.translate=masked"}, no_interrupts})
      expect_the_law_of_kernels(name, changes, 3);
}

/// Computes for random times and exchanges a message each time; it never asks what time it is.
std::vector<std::vector<Operation>> exchanging_program(std::uint64_t seed) {
  RandomStream random(seed, "exchanges");
  std::vector<std::vector<Operation>> scripts(ranks);
  for (std::uint64_t round = 1; round <= 30; ++round) {
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const auto next = static_cast<int>((rank + 1) % ranks),
                 last = static_cast<int>((rank + ranks - 1) % ranks);
      const auto computes = SimTime::from_ps(static_cast<std::int64_t>(random.below(100'000'000)));
      scripts[rank].push_back(script::after(computes, script::send(next, 100, 1, 2 * round)));
      scripts[rank].push_back(script::receive(last, 100, 1, 2 * round + 1));
      scripts[rank].push_back(script::wait({2 * round, 2 * round + 1}));
    }
  }
  for (auto& script : scripts) script.push_back(script::exit());
  return scripts;
}

TEST(InterruptedLaw, WhereNothingInterruptsATraceComputesAsLongAsItsProgram) {
  const Platform calm = Platform::load("loggp-example");
  for (const char* handling : {"fixed", "least-loaded"}) {
    SCOPED_TRACE(handling);
    const TemporaryFolder folder;
    ScriptedSource disturbed(exchanging_program(1)), undisturbed(exchanging_program(1));
    const std::vector<SimTime> slow = run(interrupted(handling), disturbed, folder / "disturbed");
    const std::vector<SimTime> fast = run(calm, undisturbed, folder / "undisturbed");
    TraceSource source(folder / "disturbed", 1);
    EXPECT_EQ(run(calm, source, folder / "replayed"), fast);
    EXPECT_NE(slow, fast);
  }
}

TEST_P(TheLaw, HoldsForMessagesThatAreUnpackedPartByPart) {
  const Platform platform = Platform::load(GetParam());
  for (std::uint64_t seed = 1; seed <= random_cases(5); ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const TemporaryFolder folder;
    StreamingProgram program(seed, ranks, static_cast<int>(rounds(20)));
    const std::vector<SimTime> emulated = run(platform, program, folder / "emulated");
    EXPECT_EQ(program.parts() > 0, streams(platform));
    TraceSource source(folder / "emulated", platform.compute_scale());
    EXPECT_EQ(emulated, run(platform, source, folder / "replayed"));
    EXPECT_THAT(source.notices(), ::testing::IsEmpty());
    TraceSource again(folder / "replayed", platform.compute_scale());
    EXPECT_EQ(emulated, run(platform, again, folder / "again"));
  }
}

TEST_P(TheLaw, HoldsForTheReplayOfWhatWasUnpackedPartByPartElsewhere) {
  const Platform recorded = Platform::load("atm-oc3-streamed");
  const Platform platform = Platform::load(GetParam());
  const TemporaryFolder folder;
  StreamingProgram program(1, ranks, static_cast<int>(rounds(20)));
  run(recorded, program, folder / "recorded");
  TraceSource source(folder / "recorded", platform.compute_scale());
  const std::vector<SimTime> replayed = run(platform, source, folder / "replayed");
  EXPECT_EQ(source.progress(), 1.0);
  TraceSource again(folder / "replayed", platform.compute_scale());
  EXPECT_EQ(replayed, run(platform, again, folder / "again"));
}

TEST_P(TheLaw, ATraceOfAnotherPlatformReplaysToItsEnd) {
  const Platform recorded = Platform::load("loggp-example");
  const Platform platform = Platform::load(GetParam());
  for (std::uint64_t seed = 1; seed <= random_cases(3); ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const TemporaryFolder folder;
    PollingProgram program(seed, ranks, rounds(40));
    run(recorded, program, folder / "recorded");
    TraceSource source(folder / "recorded", platform.compute_scale());
    for (const SimTime end : run(platform, source, folder / "replayed")) EXPECT_GT(end, SimTime());
    EXPECT_EQ(source.progress(), 1.0);
  }
}

std::string test_name(const ::testing::TestParamInfo<std::string>& platform) {
  std::string name = platform.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Presets, TheLaw, ::testing::ValuesIn(modelled_platforms()), test_name);

}  // namespace
}  // namespace morgana
