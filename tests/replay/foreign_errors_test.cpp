#include <gmock/gmock.h>

#include "emulator/core/error.h"
#include "tests/replay/foreign_trace.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {

using testing::ForeignTrace;
using testing::ScorePTrace;

class ForeignTraceErrors : public ForeignTrace {
 protected:
  void expect_error(const std::string& what) {
    try {
      TraceSource source(folder_ / "trace");
      for (std::size_t i = 0; i < source.ranks(); ++i) operations_of(source, static_cast<std::int32_t>(i));
      FAIL() << "no error";
    } catch (const Error& error) {
      expect_message(error.what(), what);
    }
  }
};

TEST_F(ForeignTraceErrors, OneSidedCommunicationIsRefused) {
  {
    ScorePTrace scorep = trace(1);
    scorep.enter(0, 10, "MPI_Put");
    scorep.put(0, 10);
    scorep.leave(0, 20, "MPI_Put");
    scorep.finish(100);
  }
  expect_error("location 0 (rank 0), record 3: accesses another rank's memory");
}

TEST_F(ForeignTraceErrors, AnUnknownCommunicatorIsAnError) {
  {
    ScorePTrace scorep = trace(1);
    scorep.enter(0, 10, "MPI_Send");
    scorep.send_to_nowhere(0, 10);
    scorep.leave(0, 20, "MPI_Send");
    scorep.finish(100);
  }
  expect_error("location 0 (rank 0), record 3: names communicator");
}

TEST_F(ForeignTraceErrors, ACompletionWithoutAStartIsAnError) {
  {
    ScorePTrace scorep = trace(1);
    scorep.enter(0, 10, "MPI_Wait");
    scorep.isend_complete(0, 10, 42);
    scorep.leave(0, 20, "MPI_Wait");
    scorep.finish(100);
  }
  expect_error("record 3: completes request 42");
}

TEST_F(ForeignTraceErrors, TimeThatGoesBackIsAnError) {
  {
    ScorePTrace scorep = trace(1);
    scorep.enter(0, 10, "MPI_Init");
    scorep.leave(0, 50, "MPI_Init");
    scorep.clock_offset(0, 1000);
    scorep.clock_offset(100, -1000);
    scorep.finish(100);
  }
  expect_error("record 2: time goes back");
}

TEST_F(ForeignTraceErrors, ACallThatIsNeverLeftIsAnError) {
  {
    ScorePTrace scorep = trace(1);
    scorep.enter(0, 10, "MPI_Init");
    scorep.finish(100);
  }
  expect_error("enters MPI_Init and never leaves it");
}

}  // namespace
}  // namespace morgana
