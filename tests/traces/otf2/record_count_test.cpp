#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "emulator/core/error.h"
#include "tests/support/messages.h"
#include "tests/support/score_p_trace.h"
#include "tests/support/temporary_folder.h"
#include "traces/export/timeline.h"
#include "traces/otf2/trace_statistics.h"

namespace morgana {
namespace {

using ::testing::IsEmpty;
using testing::ScorePTrace;
using testing::TemporaryFolder;

constexpr int messages = 200;

/// Two ranks, each with 3 records a message and 2 of its program's begin and end.
void write(const std::filesystem::path& folder, std::int64_t miscount) {
  ScorePTrace::Options options;
  options.miscount = miscount;
  ScorePTrace scorep(folder, 2, options);
  for (int i = 0; i < messages; ++i) {
    const auto at = static_cast<std::uint64_t>(10 * i);
    scorep.enter(0, at, "MPI_Send");
    scorep.send(0, at, 1, ScorePTrace::world, 5, 4096);
    scorep.leave(0, at + 5, "MPI_Send");
    scorep.enter(1, at, "MPI_Recv");
    scorep.receive(1, at + 5, 0, ScorePTrace::world, 5, 4096);
    scorep.leave(1, at + 5, "MPI_Recv");
  }
  scorep.finish(100'000);
}

class RecordCount : public ::testing::TestWithParam<std::int64_t> {};

TEST_P(RecordCount, AWrongOneIsReportedAndAllRecordsAreRead) {
  const TemporaryFolder folder;
  write(folder / "trace", GetParam());
  const TraceStatistics statistics = read_trace_statistics(folder / "trace");
  EXPECT_EQ(statistics.messages(), static_cast<std::uint64_t>(messages));
  EXPECT_EQ(statistics.unmatched_sends, 0U);
  expect_messages(statistics.notices, {"602"});
  EXPECT_EQ(read_timeline(folder / "trace").notices, statistics.notices);
}

INSTANTIATE_TEST_SUITE_P(Of, RecordCount, ::testing::Values(1, 5000, -1, -602));

TEST(RecordCountOfATrace, ARightOneIsNotMentioned) {
  const TemporaryFolder folder;
  write(folder / "trace", 0);
  EXPECT_THAT(read_trace_statistics(folder / "trace").notices, IsEmpty());
}

// OTF2's mark of an end in the midst of the records: the file's own count says that there should be more.
TEST(RecordCountOfATrace, RecordsThatAreMissingAreAnError) {
  const TemporaryFolder folder;
  write(folder / "trace", 0);
  const std::filesystem::path file = folder / "trace" / "traces" / "0.evt";
  std::ifstream stream(file, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  // An MPI_Send is left in the middle of the file; the next record is its time stamp (9 bytes), then the next
  // MPI_Send is entered.
  constexpr char enter = 12, leave = 13, time_stamp = 5, end_of_file = 2;
  const std::string end_of_call{leave, 0, time_stamp};
  const std::size_t at = bytes.find(end_of_call, bytes.size() / 2);
  ASSERT_NE(at, std::string::npos);
  constexpr std::size_t to_next_record = 11;
  ASSERT_EQ(bytes[at + to_next_record], enter);
  bytes[at + to_next_record] = end_of_file;
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
  try {
    read_trace_statistics(folder / "trace");
    FAIL() << "a trace that lacks records was read";
  } catch (const Error& error) {
    expect_message(error.what(), {"rank 0", "record 301", "602"});
  }
}

}  // namespace
}  // namespace morgana
