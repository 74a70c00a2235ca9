#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "traces/import/operation_queue.h"
#include "traces/import/time_independent_action.h"

namespace morgana::time_independent {

/// What the user is to know of an import, counted over all ranks.
struct ImportCounts {
  std::size_t waits_without_request = 0, communicators = 0, derived_types = 0;
};

/// One rank of a time-independent trace: its lines, and the operations that they mean.
class RankProgram {
 public:
  RankLines lines;

  /// The rank's next operation; the last one is its exit.
  /// @param rank  its number, of `ranks`
  /// @throws Error naming file and line of what can't be carried out
  Operation next(int rank, std::size_t ranks, std::optional<double> flops_per_second, ImportCounts& counts);
  /// What the rank has tested last was complete.
  void found_complete();

 private:
  struct PendingRequest {
    int source, destination, tag;  ///< of a collective, which SMPI names by a tag alone: that tag
    RequestId request;
    bool receives;
  };
  struct SendAction;
  static const SendAction* find_send(std::string_view name);

  void act(Action& action, ImportCounts& counts);
  void send(Action& action, const SendAction& how);
  void receive(Action& action, bool blocks);
  void exchange(Action& action);
  void collective(StartedCollective started);
  void wait_for(Action& action, bool tests, ImportCounts& counts);
  RequestId start(OperationKind kind, Call call, CallPart part, Rank peer, int tag, Bytes bytes,
                  SendMode mode = SendMode::standard);
  void sleep(Action& action);
  void compute(double flops);
  /// What has been computed comes before the next operation.
  OperationQueue& queue();

  int rank_ = 0;
  std::optional<double> flops_per_second_;
  OperationQueue queue_;  ///< made of lines that have been read
  std::vector<PendingRequest> pending_;
  double computed_ = 0;  ///< seconds since the last operation
  std::int64_t default_type_size_ = 1;
  RequestId tested_ = no_request;
};

}  // namespace morgana::time_independent
