#include "replay/recorded_compute.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/engine/engine.h"
#include "emulator/platform/platform.h"
#include "tests/engine/scripted_source.h"
#include "tests/support/messages.h"
#include "tests/support/temporary_folder.h"
#include "traces/otf2/trace_writer.h"

namespace morgana {
namespace {

using namespace literals;
using namespace script;
using testing::TemporaryFolder;

using Scripts = std::vector<std::vector<Operation>>;

Operation called(Call call, Operation operation) {
  operation.call = call;
  return operation;
}

/// Rank 0 computes, sends to rank 1 and computes again; rank 1 computes, then receives.
Scripts ring(SimTime first, SimTime second, SimTime third) {
  return {{after(first, send(1, 100, 5, 1)), wait({1}), after(second, exit())},
          {after(third, receive(0, 100, 5, 1)), wait({1}), exit()}};
}

std::vector<SimTime> run(OperationSource& source, const std::filesystem::path& trace, double scale = 1) {
  const Platform platform = Platform::load("loggp-example");
  Machine machine = platform.build(source.ranks(), {}, 1);
  TraceProperties properties;
  properties.platform = platform.name();
  properties.compute_scale = scale;
  properties.host_of.assign(source.ranks(), "host");
  TraceWriter writer(trace, properties);
  std::vector<OperationObserver*> observers{&writer};
  std::vector<SimTime> ends = Engine(machine, source, observers).run();
  writer.finish();
  return ends;
}

std::vector<SimTime> record(const TemporaryFolder& folder, const Scripts& scripts, double scale = 1) {
  ScriptedSource source(scripts);
  return run(source, folder / "recorded", scale);
}

std::vector<SimTime> run_as_recorded(const TemporaryFolder& folder, const Scripts& scripts,
                                     double scale = 1) {
  ScriptedSource program(scripts);
  RecordedCompute source(program, folder / "recorded", scale);
  return run(source, folder / "again", scale);
}

std::string refusal(const TemporaryFolder& folder, const Scripts& scripts) {
  try {
    run_as_recorded(folder, scripts);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(RecordedCompute, AProgramThatTakesNoTimeComputesAsLongAsTheRecordedOne) {
  const TemporaryFolder folder;
  const auto recorded = record(folder, ring(3_ms, 5_ms, 4_ms));
  EXPECT_EQ(recorded, run_as_recorded(folder, ring(SimTime(), SimTime(), SimTime())));
  EXPECT_GE(recorded[0], 8_ms);
}

TEST(RecordedCompute, RecordedTimesAreScaledFromTheirPlatformToThis) {
  const TemporaryFolder folder;
  record(folder, ring(3_ms, 5_ms, 4_ms), 0.5);  // 2 x as long on this machine
  ScriptedSource expected(ring(24_ms, 40_ms, 32_ms));
  EXPECT_EQ(run(expected, folder / "expected"),
            run_as_recorded(folder, ring(SimTime(), SimTime(), SimTime()), 4));
}

TEST(RecordedCompute, PollsAndReadsOfTheClockMayDifferInNumber) {
  Scripts polling = ring(3_ms, 5_ms, 4_ms);
  Operation test = called(Call::MPI_Iprobe, plain(OperationKind::test_probe));
  test.peer = any_rank;
  test.tag = Tag{99};
  polling[1].insert(polling[1].begin(), {after(1_ms, test), after(1_ms, test), after(1_ms, test)});
  const TemporaryFolder folder;
  const auto recorded = record(folder, polling);
  Scripts again = ring(SimTime(), SimTime(), SimTime());
  again[1].insert(again[1].begin(), {called(Call::MPI_Wtime, plain(OperationKind::read_clock)), test});
  // What rank 1 has computed in all; polls that are not made again cost nothing.
  const auto ends = run_as_recorded(folder, again);
  EXPECT_EQ(ends[0], recorded[0]);
  EXPECT_LT(ends[1], recorded[1]);
  EXPECT_GE(ends[1], 7_ms);
}

TEST(RecordedCompute, CallsThatMoveNothingMayBeOnOneSideOnly) {
  Scripts with = ring(3_ms, 5_ms, 4_ms);
  with[0].insert(with[0].begin(), after(2_ms, called(Call::MPI_Init, plain(OperationKind::nothing))));
  const TemporaryFolder folder;
  const auto recorded = record(folder, with);
  EXPECT_EQ(recorded, run_as_recorded(folder, ring(SimTime(), SimTime(), SimTime())));
  const TemporaryFolder other;
  const auto without = record(other, ring(3_ms, 5_ms, 4_ms));
  with[0][0].elapsed = SimTime();
  for (Operation& operation : with[0]) operation.elapsed = SimTime();
  with[1][0].elapsed = SimTime();
  EXPECT_EQ(without, run_as_recorded(other, with));
}

TEST(RecordedCompute, AnotherWayIsRefusedByRankAndCalls) {
  const TemporaryFolder folder;
  record(folder, ring(3_ms, 5_ms, 4_ms));
  Scripts other = ring(SimTime(), SimTime(), SimTime());
  other[1][0].call = Call::MPI_Recv;
  expect_message(refusal(folder, other),
                 {"rank 1", "MPI_Recv as its call 1", "calls MPI_Irecv", "FOLDER/recorded"});
}

TEST(RecordedCompute, AnEarlierOrLaterEndIsAnotherWay) {
  const TemporaryFolder folder;
  record(folder, ring(3_ms, 5_ms, 4_ms));
  Scripts shorter = ring(SimTime(), SimTime(), SimTime());
  shorter[0].erase(shorter[0].begin() + 1);
  expect_message(refusal(folder, shorter), {"rank 0", "call 2", "calls MPI_Waitall"});
  Scripts longer = ring(SimTime(), SimTime(), SimTime());
  longer[0].insert(longer[0].end() - 1, {send(1, 100, 5, 1)});
  expect_message(refusal(folder, longer), {"rank 0", "MPI_Isend as its call 3", "ends:"});
}

TEST(RecordedCompute, ATraceOfAnotherNumberOfRanksIsRefused) {
  const TemporaryFolder folder;
  record(folder, ring(3_ms, 5_ms, 4_ms));
  expect_message(refusal(folder, {{exit()}}), {"FOLDER/recorded", "2 ranks", " 1 are"});
}

}  // namespace
}  // namespace morgana
