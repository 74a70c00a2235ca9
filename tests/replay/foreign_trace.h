#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "replay/trace_source.h"
#include "tests/support/score_p_trace.h"
#include "tests/support/temporary_folder.h"

namespace morgana::testing {

/// Traces that Score-P could have written, and what rank after rank is read from them.
class ForeignTrace : public ::testing::Test {
 protected:
  ScorePTrace trace(std::uint32_t ranks, ScorePTrace::Options options = {}) {
    return ScorePTrace(folder_ / "trace", ranks, options);
  }

  /// Rank 0 starts a receive, request 1.
  static void start_receive(ScorePTrace& scorep) {
    scorep.enter(0, 10, "MPI_Irecv");
    scorep.irecv_request(0, 10, 1);
    scorep.leave(0, 20, "MPI_Irecv");
  }

  /// Rank 0 sends rank 1 a message with tag 5.
  static void send_4096_bytes(ScorePTrace& scorep) {
    scorep.enter(0, 100, "MPI_Send");
    scorep.send(0, 100, 1, ScorePTrace::world, 5, 4096);
    scorep.leave(0, 300, "MPI_Send");
  }

  /// A rank's operations, its exit included.
  static std::vector<Operation> operations_of(TraceSource& source, std::int32_t rank) {
    std::vector<Operation> operations;
    do {
      source.next(Rank{rank}, operations.emplace_back());
    } while (operations.back().kind != OperationKind::exit);
    return operations;
  }

  static std::vector<OperationKind> kinds_of(const std::vector<Operation>& operations) {
    std::vector<OperationKind> kinds;
    for (const Operation& operation : operations) kinds.push_back(operation.kind);
    return kinds;
  }

  static SimTime ns(std::int64_t count) { return SimTime::from_ps(1000 * count); }

  TemporaryFolder folder_;
};

}  // namespace morgana::testing
