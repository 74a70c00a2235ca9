#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "emulator/platform/platform.h"
#include "emulator/process/engine.h"
#include "replay/trace_source.h"
#include "tests/replay/polling_program.h"
#include "tests/replay/streaming_program.h"
#include "tests/support/effort.h"
#include "tests/support/temporary_folder.h"
#include "traces/trace_writer.h"

namespace morgana {
namespace {

using testing::PollingProgram;
using testing::StreamingProgram;
using testing::TemporaryFolder;

constexpr std::size_t ranks = 6;

std::vector<SimTime> run(const Platform& platform, OperationSource& source,
                         const std::filesystem::path& trace) {
  Machine machine = platform.build(ranks, {}, 1);
  TraceProperties properties;
  properties.platform = platform.name();
  properties.compute_scale = platform.compute_scale();
  properties.host_of.assign(ranks, "host");
  TraceWriter writer(trace, properties);
  std::vector<OperationObserver*> observers{&writer};
  const std::vector<SimTime> ends = Engine(machine, source, observers).run();
  writer.finish();
  return ends;
}

bool streams(const Platform& platform) {
  return platform.build(ranks, {}, 1).transport->streams();
}

/// On these presets every run of the tests below can be built; "native" is no model.
std::vector<std::string> modelled_platforms() {
  std::vector<std::string> modelled;
  for (const std::string& name : Platform::names())
    if (!Platform::load(name).native()) modelled.push_back(name);
  return modelled;
}

class TheLaw : public ::testing::TestWithParam<std::string> {};

TEST_P(TheLaw, ATraceReplayedOnTheSamePlatformTakesTheSameTime) {
  const Platform platform = Platform::load(GetParam());
  for (std::uint64_t seed = 1; seed <= random_cases(5); ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const TemporaryFolder folder;
    PollingProgram program(seed, ranks, 40);
    const std::vector<SimTime> emulated = run(platform, program, folder / "emulated");
    TraceSource source(folder / "emulated", platform.compute_scale());
    const std::vector<SimTime> replayed = run(platform, source, folder / "replayed");
    EXPECT_EQ(emulated, replayed);
    EXPECT_THAT(source.notices(), ::testing::IsEmpty());
    TraceSource again(folder / "replayed", platform.compute_scale());
    EXPECT_EQ(emulated, run(platform, again, folder / "again"));
  }
}

TEST_P(TheLaw, HoldsForMessagesThatAreUnpackedPartByPart) {
  const Platform platform = Platform::load(GetParam());
  for (std::uint64_t seed = 1; seed <= random_cases(5); ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const TemporaryFolder folder;
    StreamingProgram program(seed, ranks, 20);
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
  StreamingProgram program(1, ranks, 20);
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
    PollingProgram program(seed, ranks, 40);
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
