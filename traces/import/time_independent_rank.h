#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "traces/import/operation_queue.h"
#include "traces/import/time_independent_action.h"
#include "traces/import/time_independent_tests.h"

namespace morgana::time_independent {

/// What the user is to know of an import, counted over all ranks.
struct ImportCounts {
  std::size_t waits_without_request = 0, communicators = 0, derived_types = 0;
};

/// One rank of a time-independent trace: its lines, and the operations that they mean.
class TimeIndependentRank {
 public:
  RankLines lines;

  /// The rank's next operation; the last one is its exit.
  /// @param rank  its number, of `ranks`
  /// @throws Error naming file and line of what can't be carried out
  Operation next(int rank, std::size_t ranks, std::optional<double> flops_per_second, ImportCounts& counts);

 private:
  struct PendingRequest {
    int source, destination, tag;  ///< of a collective, which SMPI names by a tag alone: that tag
    RequestId request;
    bool receives;
  };
  struct SendAction;
  static const SendAction* find_send(std::string_view name);

  void act(Action& action, std::size_t ranks, ImportCounts& counts);
  void send(Action& action, const SendAction& how);
  void receive(Action& action, bool blocks);
  void exchange(Action& action);
  void collective(StartedCollective started);
  void wait_for(Action& action, bool tests, std::size_t ranks, ImportCounts& counts);
  using Pending = std::vector<PendingRequest>::iterator;
  /// What a wait or test of that name is for; the end if there is none.
  Pending find_pending(const RequestLine::Name& name, bool of_collective);
  void add_pending(PendingRequest pending);
  /// Whether that test of the rank is one that found its request complete.
  bool has_test_found(std::size_t test, std::size_t ranks);
  /// Reads all lines ahead. @return those that start requests or name them, since the last `waitall`
  std::vector<RequestLine> read_ahead(std::size_t ranks);
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
  std::size_t tests_ = 0;                          ///< that have been read
  std::optional<std::vector<std::size_t>> found_;  ///< the tests that found something; empty: not known yet
  std::vector<RequestLine>* ahead_ = nullptr;      ///< this only reads ahead, for another one
};

}  // namespace morgana::time_independent
