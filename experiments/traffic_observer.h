#pragma once

#include <vector>

#include "emulator/core/statistics.h"
#include "emulator/operations/observer.h"

namespace morgana::atm_paper {

/// What a PVM program's tasks receive of each other, and when they send. Rank 0 is PVM's daemon and rank 1
/// the master; what the daemon says or hears is no message of the program's.
class TrafficObserver : public OperationObserver {
 public:
  void operation_ended(Rank rank, const Operation& operation, SimTime begin, SimTime end,
                       std::span<const Completed> completed) override;

  /// Lengths of the messages that were received.
  const Distribution& lengths() const { return lengths_; }
  /// Messages that a worker has sent when it had done some, but not nearly all of its computing.
  std::uint64_t during_computing() const;
  /// Mean computing of the workers, in seconds.
  double worker_computing() const;

 private:
  struct PerRank {
    double computed = 0;               // seconds so far
    std::vector<double> sent_after{};  // computing, for each message
  };
  static constexpr std::size_t first_worker = 2;

  Distribution lengths_;
  std::vector<PerRank> ranks_;
};

}  // namespace morgana::atm_paper
