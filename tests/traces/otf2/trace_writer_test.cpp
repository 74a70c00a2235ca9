#include "traces/otf2/trace_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "tests/support/messages.h"
#include "tests/support/temporary_folder.h"
#include "tests/traces/otf2/sample_trace.h"
#include "traces/otf2/trace_reader.h"

namespace morgana {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::sample_properties;
using testing::TemporaryFolder;
using testing::write_sample;

std::size_t entries_of(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(TraceWriter, LeavesNothingBehindUnlessItIsFinished) {
  const TemporaryFolder folder;
  {
    TraceWriter writer(folder / "trace", sample_properties(2));
    write_sample(writer, 3);
    EXPECT_FALSE(fs::exists(folder / "trace"));
    EXPECT_EQ(entries_of(folder.path()), 1U);
  }
  EXPECT_EQ(entries_of(folder.path()), 0U);
}

TEST(TraceWriter, PutsAFinishedTraceUnderItsNameAlone) {
  const TemporaryFolder folder;
  write_sample(folder / "trace", 3);
  EXPECT_TRUE(fs::exists(folder / "trace" / "traces.otf2"));
  EXPECT_EQ(entries_of(folder.path()), 1U);
}

TEST(TraceWriter, ReplacesATraceOfOursAndAnEmptyFolder) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "trace");
  write_sample(folder / "trace", 3);
  write_sample(folder / "trace/", 4);
  TraceReader reader(folder / "trace");
  EXPECT_EQ(reader.definitions().ranks[0].records, 2U + 4 * 9 + 4);
  EXPECT_EQ(entries_of(folder.path()), 1U);
}

TEST(TraceWriter, RefusesToReplaceAnythingElse) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "precious");
  std::ofstream(folder / "precious" / "thesis.tex") << "Once upon a time";
  EXPECT_THROW(TraceWriter(folder / "precious", sample_properties(2)), Error);
  std::ofstream(folder / "file") << "Once upon a time";
  EXPECT_THROW(TraceWriter(folder / "file", sample_properties(2)), Error);
  EXPECT_TRUE(fs::exists(folder / "precious" / "thesis.tex"));
  EXPECT_EQ(entries_of(folder.path()), 2U);
}

TEST(TraceWriter, RefusesAFolderThatCannotBeMade) {
  EXPECT_THROW(TraceWriter("/proc/nowhere/trace", sample_properties(2)), Error);
}

TEST(TraceWriter, RefusesOperationsThatGoBackInTime) {
  const TemporaryFolder folder;
  TraceWriter writer(folder / "trace", sample_properties(1));
  Operation operation;
  writer.operation_ended(Rank{0}, operation, SimTime::from_ps(10), SimTime::from_ps(20), {});
  EXPECT_THROW(writer.operation_ended(Rank{0}, operation, SimTime::from_ps(15), SimTime::from_ps(20), {}),
               Error);
}

TEST(TraceWriter, RefusesACommunicatorThatWasNotAnnounced) {
  const TemporaryFolder folder;
  TraceWriter writer(folder / "trace", sample_properties(1));
  Operation send;
  send.kind = OperationKind::send;
  send.context = Context{9};
  send.peer = Rank{0};
  send.tag = Tag{0};
  EXPECT_THROW(writer.operation_ended(Rank{0}, send, SimTime(), SimTime(), {}), Error);
}

/// What a program prints, its messages included. @return its exit status
int output_of(const std::string& command, std::string& output) {
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return -1;
  char line[4096];
  while (std::fgets(line, sizeof line, pipe) != nullptr) output += line;
  return pclose(pipe);
}

TEST(TraceWriter, WritesWhatOtf2PrintReadsWithoutComplaint) {
  std::string version;
  if (output_of("otf2-print --version", version) != 0) GTEST_SKIP() << "otf2-print is not installed";
  const TemporaryFolder folder;
  write_sample(folder / "trace", 2);
  std::string output;
  EXPECT_EQ(output_of("otf2-print -Werror -A '" + (folder / "trace" / "traces.otf2").string() + "'", output),
            0)
      << output;
  EXPECT_THAT(output, Not(HasSubstr("rror")));
  EXPECT_THAT(output, Not(HasSubstr("arning")));
  for (const char* record :
       {"MPI_SEND", "MPI_IRECV_REQUEST", "MPI_IRECV ", "MPI_COLLECTIVE_BEGIN", "MPI_COLLECTIVE_END",
        "PROGRAM_BEGIN", "PROGRAM_END", "\"MPI Rank 1\"", "MPI_COMM_WORLD", "COMM_LOCATIONS"})
    EXPECT_THAT(output, HasSubstr(record));
}

std::vector<TraceRecord::Kind> kinds_of(TraceReader& reader, Rank rank) {
  std::vector<TraceRecord::Kind> kinds;
  LocationReader& location = reader.location(rank);
  for (std::size_t i = 0; const TraceRecord* record = location.at(i); ++i) kinds.push_back(record->kind);
  return kinds;
}

TEST(TraceWriter, WritesBlockingCallsAsScorePDoes) {
  const TemporaryFolder folder;
  write_sample(folder / "trace", 1);
  TraceReader reader(folder / "trace");
  using enum TraceRecord::Kind;
  EXPECT_THAT(kinds_of(reader, Rank{0}), ElementsAre(enter, send, leave, enter, ireceive_posted, leave, enter,
                                                     ireceive, leave, enter, collective, leave, program_end));
  const TraceRecord sent = *reader.location(Rank{0}).at(1);
  EXPECT_EQ(sent.time, SimTime::from_ps(10'000));
  EXPECT_EQ(sent.peer, Rank{1});
  EXPECT_EQ(sent.bytes, Bytes(1000));
  const TraceRecord received = *reader.location(Rank{0}).at(7);
  EXPECT_EQ(received.time, SimTime::from_ps(60'000));
  EXPECT_EQ(received.bytes, Bytes(10));
  const TraceRecord reduced = *reader.location(Rank{0}).at(10);
  EXPECT_EQ(reduced.bytes, Bytes(16));
  EXPECT_EQ(reduced.extras, 0U);  // all of it follows from the totals
}

TEST(TraceWriter, WritesMoreRanksThanThereMayUsuallyBeOpenFiles) {
  rlimit usual{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &usual), 0);
  rlimit few = usual;
  few.rlim_cur = 128;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  constexpr std::int32_t ranks = 300;
  const TemporaryFolder folder;
  {
    TraceWriter writer(folder / "trace", sample_properties(ranks));
    Operation init, exit;
    init.call = Call::MPI_Init;
    exit.kind = OperationKind::exit;
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
      writer.operation_ended(Rank{rank}, init, SimTime(), SimTime(), {});
      writer.operation_ended(Rank{rank}, exit, SimTime(), SimTime(), {});
    }
    writer.finish();
  }
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  TraceReader reader(folder / "trace");
  EXPECT_EQ(reader.ranks(), 300U);
  using enum TraceRecord::Kind;
  EXPECT_THAT(kinds_of(reader, Rank{299}), ElementsAre(enter, leave, program_end));
  setrlimit(RLIMIT_NOFILE, &usual);
}

std::string rewritten(const fs::path& folder, int rounds) {
  TraceWriter writer(folder, sample_properties(2));
  write_sample(writer, rounds);
  return writer.finish();
}

TEST(TraceWriter, SaysThatAnOlderTraceHasGivenWay) {
  const TemporaryFolder folder;
  EXPECT_EQ(rewritten(folder / "trace", 1), "");
  EXPECT_EQ(rewritten(folder / "trace", 2),
            "the older trace in " + (folder / "trace").string() + " has been replaced");
  fs::create_directory(folder / "empty");
  EXPECT_EQ(rewritten(folder / "empty", 1), "");
}

TEST(TraceWriter, RemovesNothingThatIsNoPartOfATrace) {
  const TemporaryFolder folder;
  for (const char* name : {"notes.txt", "traces/notes.txt", "traces/7.txt", "traces/x.evt"}) {
    const fs::path trace = folder / "trace";
    fs::remove_all(trace);
    rewritten(trace, 1);
    std::ofstream(trace / name) << "mine";
    try {
      rewritten(trace, 2);
      FAIL() << name;
    } catch (const Error& error) {
      expect_message(error.what(), {"FOLDER/trace ", name});
    }
    EXPECT_TRUE(fs::exists(trace / name));
    EXPECT_TRUE(fs::exists(trace / "traces.otf2"));
  }
}

TEST(TraceWriter, TellsWhatTheTraceIsOf) {
  const TemporaryFolder folder;
  {
    TraceProperties properties = sample_properties(2);
    properties.compute_scale = 1.0 / 3.0;
    TraceWriter writer(folder / "trace", properties);
    write_sample(writer, 1);
    writer.finish();
  }
  TraceReader reader(folder / "trace");
  const TraceProperties& properties = reader.definitions().properties;
  EXPECT_TRUE(reader.definitions().ours);
  EXPECT_EQ(properties.program, "./sample -n 1");
  EXPECT_EQ(properties.platform, "loggp-example");
  EXPECT_EQ(properties.compute_scale, 1.0 / 3.0);
  EXPECT_THAT(properties.host_of, ElementsAre("host0", "host1"));
}

}  // namespace
}  // namespace morgana
