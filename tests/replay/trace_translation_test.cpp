#include "replay/translation/trace_translation.h"

#include <gmock/gmock.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>

#include "emulator/core/error.h"
#include "tests/replay/foreign_trace.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {

using testing::ForeignTrace;
using testing::ScorePTrace;

class TraceTranslationTest : public ForeignTrace {
 protected:
  /// A trace in which each rank but the last sends the next one a message, which is received.
  void write_chain(std::uint32_t ranks) {
    ScorePTrace scorep = trace(ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      if (rank > 0) {
        scorep.enter(rank, 10, "MPI_Recv");
        scorep.receive(rank, 10, rank - 1, ScorePTrace::world, 1, 64);
        scorep.leave(rank, 20, "MPI_Recv");
      }
      if (rank + 1 == ranks) continue;
      scorep.enter(rank, 30, "MPI_Send");
      scorep.send(rank, 30, rank + 1, ScorePTrace::world, 1, 64);
      scorep.leave(rank, 40, "MPI_Send");
    }
    scorep.finish(100);
  }

  /// In a process that may have no more than this many files open.
  [[noreturn]] void replay_with_files(rlim_t files) {
    const rlimit limit{files, files};
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) std::exit(2);
    try {
      TraceSource source(folder_ / "trace");
      std::size_t operations = 0;
      for (std::size_t i = 0; i < source.ranks(); ++i)
        operations += operations_of(source, static_cast<std::int32_t>(i)).size();
      // Each message is a send, a receive and a wait for each; each rank exits.
      std::exit(operations == 299 * 4 + 300 ? 0 : 1);
    } catch (const Error&) {
      std::exit(3);
    }
  }
};

TEST_F(TraceTranslationTest, TakesNoFileForEachRank) {
  write_chain(300);
  EXPECT_EXIT(replay_with_files(100), ::testing::ExitedWithCode(0), "");
}

TEST_F(TraceTranslationTest, WhatIsWrongWithARankIsAnErrorWhereTheReplayComesToIt) {
  {
    ScorePTrace scorep = trace(2);
    send_4096_bytes(scorep);
    scorep.enter(1, 10, "MPI_Init");
    scorep.leave(1, 20, "MPI_Init");
    scorep.enter(1, 30, "MPI_Put");
    scorep.put(1, 30);
    scorep.leave(1, 40, "MPI_Put");
    scorep.finish(500);
  }
  TraceSource source(folder_ / "trace");
  EXPECT_EQ(operations_of(source, 0).back().kind, OperationKind::exit);
  Operation operation;
  source.next(Rank{1}, operation);
  EXPECT_EQ(operation.call, Call::MPI_Init);
  try {
    source.next(Rank{1}, operation);
    FAIL() << "no error";
  } catch (const Error& error) {
    expect_message(error.what(), {"rank 1", "record 5"});
  }
}

TEST_F(TraceTranslationTest, TellsHowMuchHasBeenRead) {
  write_chain(40);
  std::vector<double> shares;
  const TraceTranslation translation(folder_ / "trace", [&](double share) { shares.push_back(share); });
  ASSERT_FALSE(shares.empty());
  EXPECT_TRUE(std::ranges::is_sorted(shares));
  EXPECT_EQ(shares.back(), 1.0);
}

}  // namespace
}  // namespace morgana
