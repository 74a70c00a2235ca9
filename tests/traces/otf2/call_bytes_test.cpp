// The bytes of a call are the same wherever they are shown: in the statistics of a run, in those of its
// trace, and in the trace's timeline, which pages and exports are made of.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "emulator/report/run_statistics.h"
#include "tests/support/score_p_trace.h"
#include "tests/support/temporary_folder.h"
#include "tests/traces/otf2/sample_trace.h"
#include "traces/export/timeline.h"
#include "traces/otf2/trace_statistics.h"

namespace morgana {
namespace {

using namespace literals;
using testing::ScorePTrace;
using testing::TemporaryFolder;
using BytesByCall = std::map<std::string, Bytes>;

void drop_empty(BytesByCall& bytes) {
  std::erase_if(bytes, [](const auto& entry) { return entry.second == Bytes(); });
}

BytesByCall of_run(const RunStatistics& statistics) {
  BytesByCall bytes;
  for (const CallUse& use : statistics.calls()) bytes[std::string(name_of(use.call))] = use.bytes;
  drop_empty(bytes);
  return bytes;
}

BytesByCall of_trace(const std::filesystem::path& trace) {
  BytesByCall bytes;
  for (const auto& [name, call] : read_trace_statistics(trace).all_calls()) bytes[name] = call.bytes;
  drop_empty(bytes);
  return bytes;
}

BytesByCall of_timeline(const std::filesystem::path& trace) {
  BytesByCall bytes;
  const Timeline timeline = read_timeline(trace);
  for (const Timeline::Call& call : timeline.calls) bytes[timeline.names[call.name]] += call.bytes;
  drop_empty(bytes);
  return bytes;
}

/// Tells the operations of a run to its statistics and to the writer of its trace.
class ObservedRun {
 public:
  ObservedRun(const std::filesystem::path& trace, std::size_t ranks)
      : statistics_(ranks), writer_(trace, testing::sample_properties(ranks)), clocks_(ranks) {}

  const RunStatistics& finish() {
    for (std::size_t rank = 0; rank < clocks_.size(); ++rank) {
      Operation exit;
      exit.kind = OperationKind::exit;
      ended(Rank{static_cast<std::int32_t>(rank)}, exit);
    }
    writer_.finish();
    return statistics_;
  }
  void ended(Rank rank, const Operation& operation, const std::vector<Completed>& completed = {}) {
    SimTime& clock = clocks_[index(rank)];
    const SimTime begin = clock;
    clock += 1_us;
    for (OperationObserver* observer : std::vector<OperationObserver*>{&statistics_, &writer_})
      observer->operation_ended(rank, operation, begin, clock, completed);
  }
  void collective(Rank rank, Call call, const CollectivePart& part, Context context = world_context) {
    Operation start = begin(call, part, context);
    start.part = CallPart::first;
    ended(rank, start);
    wait(rank, call, CallPart::last, start.request);
  }
  /// @return the request
  RequestId in_background(Rank rank, Call call, CollectivePart part, Context context = world_context) {
    part.blocking = false;
    const Operation start = begin(call, part, context);
    ended(rank, start);
    return start.request;
  }
  void wait(Rank rank, Call call, CallPart part, RequestId request) {
    Operation wait;
    wait.kind = OperationKind::wait;
    wait.call = call;
    wait.part = part;
    wait.requests = {request};
    Completed done;
    done.request = request;
    ended(rank, wait, {done});
  }
  void access(Rank rank, Call call, Bytes there, Bytes back) {
    Operation access;
    access.kind = OperationKind::access;
    access.call = call;
    access.peer = Rank{0};
    access.bytes = there;
    access.reply = back;
    access.request = RequestId{++requests_};
    ended(rank, access);
    wait(rank, Call::MPI_Win_flush, CallPart::whole, access.request);
  }

 private:
  Operation begin(Call call, const CollectivePart& part, Context context) {
    Operation start;
    start.kind = OperationKind::collective;
    start.call = call;
    start.request = RequestId{++requests_};
    start.context = context;
    start.collective = part;
    return start;
  }

  RunStatistics statistics_;
  TraceWriter writer_;
  std::vector<SimTime> clocks_;
  std::uint64_t requests_ = 0;
};

CollectivePart part_of(CollectiveKind kind, Bytes bytes) {
  CollectivePart part;
  part.kind = kind;
  part.bytes = bytes;
  return part;
}

class CallBytes : public ::testing::Test {
 protected:
  void expect(const RunStatistics& statistics, const BytesByCall& expected) const {
    EXPECT_EQ(of_run(statistics), expected);
    EXPECT_EQ(of_trace(trace_), expected);
    EXPECT_EQ(of_timeline(trace_), expected);
  }
  TemporaryFolder folder_;
  std::filesystem::path trace_ = folder_ / "trace";
  ObservedRun run_{trace_, 4};
  std::vector<Rank> all_{Rank{0}, Rank{1}, Rank{2}, Rank{3}};
};

// 4 ranks: 16 blocks of an alltoall, one message of a broadcast, 4 vectors of an allreduce, 4 blocks of a
// gather and of a scatter, whose root is rank 0.
TEST_F(CallBytes, OfCollectivesAreWhatTheRanksPassToThem) {
  for (const Rank rank : all_) {
    run_.collective(rank, Call::MPI_Alltoall, part_of(CollectiveKind::alltoall, 1000_B));
    run_.collective(rank, Call::MPI_Bcast, part_of(CollectiveKind::broadcast, 1000_B));
    run_.collective(rank, Call::MPI_Allreduce, part_of(CollectiveKind::allreduce, 1000_B));
    run_.collective(rank, Call::MPI_Gather, part_of(CollectiveKind::gather, 1000_B));
    run_.collective(rank, Call::MPI_Scatter, part_of(CollectiveKind::scatter, 1000_B));
  }
  expect(run_.finish(), {{"MPI_Alltoall", 16'000_B},
                         {"MPI_Bcast", 1000_B},
                         {"MPI_Allreduce", 4000_B},
                         {"MPI_Gather", 4000_B},
                         {"MPI_Scatter", 4000_B}});
}

// In place at the root, which is not rank 0; blocks of different sizes: 1, 2, 3 and 4 bytes.
TEST_F(CallBytes, OfCollectivesInPlaceAndOfVariableSizeAreTheSame) {
  const std::vector<Bytes> sizes{1_B, 2_B, 3_B, 4_B};
  for (const Rank rank : all_) {
    CollectivePart gather = part_of(CollectiveKind::gatherv, sizes[index(rank)]);
    gather.root = 2;
    gather.in_place = rank == Rank{2};
    if (gather.in_place) gather.receive_sizes = sizes;
    run_.collective(rank, Call::MPI_Gatherv, gather);
    CollectivePart exchange = part_of(CollectiveKind::alltoallv, 0_B);
    exchange.in_place = true;
    exchange.send_sizes = exchange.receive_sizes = sizes;
    run_.collective(rank, Call::MPI_Alltoallv, exchange);
    CollectivePart reduce = part_of(CollectiveKind::reduce_scatter_block, 8_B);
    reduce.in_place = true;
    run_.collective(rank, Call::MPI_Reduce_scatter_block, reduce);
  }
  expect(run_.finish(),
         {{"MPI_Gatherv", 10_B}, {"MPI_Alltoallv", 40_B}, {"MPI_Reduce_scatter_block", 128_B}});
}

// Ranks 1 and 3, in the opposite order: rank 3 is the root of the broadcast.
TEST_F(CallBytes, OfACommunicatorsCollectivesCountItsMembers) {
  const Context context{17};
  for (const Rank rank : {Rank{1}, Rank{3}}) {
    Operation announced;
    announced.kind = OperationKind::context_created;
    announced.context = context;
    announced.members = {Rank{3}, Rank{1}};
    run_.ended(rank, announced);
    run_.collective(rank, Call::MPI_Alltoall, part_of(CollectiveKind::alltoall, 1000_B), context);
    run_.collective(rank, Call::MPI_Bcast,
                    part_of(CollectiveKind::broadcast, rank == Rank{3} ? 1000_B : 900_B), context);
  }
  expect(run_.finish(), {{"MPI_Alltoall", 4000_B}, {"MPI_Bcast", 1000_B}});
}

TEST_F(CallBytes, OfCollectivesInTheBackgroundBelongToTheCallThatBeginsThem) {
  for (const Rank rank : all_) {
    const RequestId request =
        run_.in_background(rank, Call::MPI_Ialltoall, part_of(CollectiveKind::alltoall, 1000_B));
    run_.wait(rank, Call::MPI_Wait, CallPart::whole, request);
    CollectivePart neighbours = part_of(CollectiveKind::neighbor_allgather, 10_B);
    neighbours.sources = neighbours.destinations = {0, 1, 3};
    run_.wait(rank, Call::MPI_Wait, CallPart::whole,
              run_.in_background(rank, Call::MPI_Ineighbor_allgather, neighbours));
  }
  expect(run_.finish(), {{"MPI_Ialltoall", 16'000_B}, {"MPI_Ineighbor_allgather", 40_B}});
}

TEST_F(CallBytes, OfOneSidedAccessesAreWhatTheyWriteAndBringBack) {
  run_.access(Rank{1}, Call::MPI_Put, 1000_B, 0_B);
  run_.access(Rank{2}, Call::MPI_Get, 0_B, 500_B);
  run_.access(Rank{3}, Call::MPI_Fetch_and_op, 8_B, 8_B);
  expect(run_.finish(), {{"MPI_Put", 1000_B}, {"MPI_Get", 500_B}, {"MPI_Fetch_and_op", 16_B}});
}

// Score-P records what each rank would exchange with every member: here 4 ranks with blocks of 1000 bytes.
TEST(CallBytesOfOtherTools, AreDerivedFromTheirTotals) {
  const TemporaryFolder folder;
  {
    ScorePTrace scorep(folder / "trace", 4, {});
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
      const auto collective = [&](std::uint64_t at, const char* call, OTF2_CollectiveOp kind,
                                  std::uint32_t root, std::uint64_t sent, std::uint64_t received) {
        scorep.enter(rank, at, call);
        scorep.collective(rank, at, at + 5, kind, ScorePTrace::world, root, sent, received);
        scorep.leave(rank, at + 5, call);
      };
      collective(10, "MPI_Allreduce", OTF2_COLLECTIVE_OP_ALLREDUCE, OTF2_COLLECTIVE_ROOT_NONE, 4000, 4000);
      collective(20, "MPI_Bcast", OTF2_COLLECTIVE_OP_BCAST, 1, rank == 1 ? 4000 : 0, 1000);
      collective(30, "MPI_Alltoall", OTF2_COLLECTIVE_OP_ALLTOALL, OTF2_COLLECTIVE_ROOT_NONE, 4000, 4000);
      // Neighbours: no more is known than the totals.
      collective(40, "MPI_Neighbor_alltoall", OTF2_COLLECTIVE_OP_ALLTOALL, OTF2_COLLECTIVE_ROOT_NONE, 2000,
                 2000);
      scorep.enter(rank, 50, "MPI_Iallreduce");
      scorep.icollective_request(rank, 50, 7);
      scorep.leave(rank, 55, "MPI_Iallreduce");
      scorep.enter(rank, 60, "MPI_Wait");
      scorep.icollective(rank, 65, OTF2_COLLECTIVE_OP_ALLREDUCE, ScorePTrace::world,
                         OTF2_COLLECTIVE_ROOT_NONE, 4000, 4000, 7);
      scorep.leave(rank, 65, "MPI_Wait");
      scorep.enter(rank, 70, "MPI_Put");
      scorep.put(rank, 70, 300);
      scorep.leave(rank, 75, "MPI_Put");
      scorep.enter(rank, 80, "MPI_Fetch_and_op");
      scorep.atomic(rank, 80, 8, 8);
      scorep.leave(rank, 85, "MPI_Fetch_and_op");
    }
    scorep.finish(1000);
  }
  const BytesByCall expected{
      {"MPI_Allreduce", 4000_B},        {"MPI_Bcast", 1000_B}, {"MPI_Alltoall", 16'000_B},
      {"MPI_Iallreduce", 4000_B},       {"MPI_Put", 1200_B},   {"MPI_Fetch_and_op", 64_B},
      {"MPI_Neighbor_alltoall", 8000_B}};
  EXPECT_EQ(of_trace(folder / "trace"), expected);
  EXPECT_EQ(of_timeline(folder / "trace"), expected);
}

}  // namespace
}  // namespace morgana
