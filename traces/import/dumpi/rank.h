#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "emulator/operations/operation.h"
#include "traces/import/dumpi/communicators.h"
#include "traces/import/dumpi/file.h"
#include "traces/import/dumpi/types.h"
#include "traces/import/operation_queue.h"

namespace morgana::dumpi {

/// What the user is to know of an import, counted over all ranks.
struct DumpiCounts {
  std::uint64_t unknown_sizes = 0;     ///< messages and collectives of types whose size is not known
  std::uint64_t wildcards = 0;         ///< receives that may get anything, for nothing says what they got
  std::uint64_t nobodies = 0;          ///< receives whose source, -1, was taken for MPI_PROC_NULL
  std::uint64_t unknown_cancels = 0;   ///< MPI_Cancel of which nothing says whether it did
  std::uint64_t overwritten = 0;       ///< requests that another one got the number of before any wait
  std::uint64_t unknown_requests = 0;  ///< waits and tests for what no call has started
  std::uint64_t on_files = 0;          ///< calls on files
  std::uint64_t of_threads = 0;        ///< calls of further threads
  std::uint64_t untimed = 0;           ///< calls without times
  std::uint64_t back_in_time = 0;      ///< calls that begin before the one before them has ended
  std::uint64_t reordered = 0;         ///< communicators whose ranks MPI was allowed to renumber
};

/// One rank's calls as operations.
class DumpiRankCalls {
 public:
  /// @param file  at its first record; it and `communicators` must outlive this
  /// @param scan  without its steps
  /// @param nobody_is_any_source  whether it is in any rank's scan
  DumpiRankCalls(Rank rank, std::size_t ranks, RankFile& file, const Communicators& communicators,
                 RankScan scan, bool nobody_is_any_source);

  /// The rank's next operation; the last one is its exit. @throws Error naming file and offset
  Operation next(DumpiCounts& counts);
  /// What the rank has tested last has completed.
  void found_complete(std::span<const Completed> completed);

 private:
  /// A started or persistent request of the program.
  struct Pending {
    RequestId active = no_request;        ///< none: a persistent one that is not started, or of MPI_PROC_NULL
    std::optional<Operation> persistent;  ///< what MPI_Start starts
    bool sends = false;
    bool wild = false;  ///< a persistent receive without a source or a tag:
    std::int64_t source = 0, tag = 0, communicator = 0;
  };

  void act(const Record& record);
  bool act_on_message(const Record& record);
  bool act_on_requests(const Record& record);
  void note_time(const Record& record);
  void send(const Record& record, SendMode mode, bool blocks);
  void receive(const Record& record, bool blocks);
  void make_persistent(const Record& record, SendMode mode);
  void exchange(const Record& record, bool replaces);
  void probe(const Record& record);
  void start(const Record& record, std::int64_t request, std::size_t place);
  void start_wild(const Record& record, Pending& pending, std::size_t place);
  void put_pending(const Record& record, Pending pending);
  void wait_for_all(const Record& record, std::span<const std::int32_t> requests);
  void wait_for_one(const Record& record, std::int64_t place);
  void wait_for_some(const Record& record);
  void test(const Record& record, std::span<const std::int32_t> requests, Completion completion);
  void cancel(const Record& record);
  void make_communicator(const Record& record);
  void check_rank(const Record& record);

  // collective.cpp
  bool act_on_collective(const Record& record);
  void collective(const Record& record, std::int64_t communicator, CollectivePart part);
  Bytes times(const Record& record, std::int64_t count, std::int64_t type);
  std::vector<Bytes> times(const Record& record, const std::vector<std::int32_t>& counts, std::int64_t type);
  void fill_reduction(const Record& record, std::int64_t count, std::int64_t type, std::int64_t op,
                      CollectivePart& part);
  void fill_gather(const Record& record, CollectivePart& part);
  void fill_scatter(const Record& record, CollectivePart& part);
  void fill_alltoall(const Record& record, CollectivePart& part);

  Operation message(const Record& record, OperationKind kind, std::int64_t peer, std::int64_t tag,
                    std::int64_t communicator);
  /// What a receive got, if that is known, otherwise what it asks for. @return false if it gets nothing, for
  /// it names MPI_PROC_NULL
  bool settle(const ReceiveStatus* got, std::int64_t& source, std::int64_t& tag);
  const TracedCommunicator& communicator(const Record& record, std::int64_t handle);
  Operation plain(const Record& record, OperationKind kind, CallPart part = CallPart::whole) const;
  std::vector<RequestId> take(std::span<const std::int32_t> requests);

  Rank rank_;
  std::size_t ranks_;
  RankFile& file_;
  const Communicators& communicators_;
  std::unordered_map<std::size_t, ReceiveStatus> got_;
  std::unordered_map<std::size_t, bool> cancelled_;
  bool nobody_is_any_source_;
  TypeSizes types_;
  OperationQueue queue_;
  DumpiCounts* counts_ = nullptr;
  Record record_;
  std::unordered_map<std::int64_t, Pending> pending_;
  std::unordered_map<std::int64_t, std::uint32_t> handles_;  ///< of communicators that calls have made
  std::size_t made_ = 0;                                     ///< how many calls have made one
  std::unordered_map<std::int64_t, bool> commutes_;          ///< the program's own reductions
  bool self_announced_ = false;
  bool ended_ = false;
  std::optional<std::int64_t> left_;  ///< when the last call was left, in nanoseconds
  SimTime total_;                     ///< computed in all
};

}  // namespace morgana::dumpi
