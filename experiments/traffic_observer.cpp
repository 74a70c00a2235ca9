#include "experiments/traffic_observer.h"

#include <algorithm>

namespace morgana::atm_paper {

void TrafficObserver::operation_ended(Rank rank, const Operation& operation, SimTime, SimTime,
                                      std::span<const Completed> completed) {
  constexpr Rank daemon{0};
  if (index(rank) >= ranks_.size()) ranks_.resize(index(rank) + 1);
  PerRank& own = ranks_[index(rank)];
  own.computed += operation.elapsed.seconds();
  if (rank == daemon) return;
  if (operation.kind == OperationKind::send && operation.peer != daemon)
    own.sent_after.push_back(own.computed);
  for (const Completed& one : completed)
    if (one.source != any_rank && one.source != daemon) lengths_.add(static_cast<double>(one.bytes.count()));
}

std::uint64_t TrafficObserver::during_computing() const {
  // Setting up and the last sums are not computing.
  constexpr double begin = 0.01, end = 0.99;
  std::uint64_t messages = 0;
  for (std::size_t rank = first_worker; rank < ranks_.size(); ++rank) {
    const PerRank& one = ranks_[rank];
    messages += static_cast<std::uint64_t>(std::count_if(
        one.sent_after.begin(), one.sent_after.end(),
        [&](double computed) { return computed > begin * one.computed && computed < end * one.computed; }));
  }
  return messages;
}

double TrafficObserver::worker_computing() const {
  RunningStatistics computing;
  for (std::size_t rank = first_worker; rank < ranks_.size(); ++rank) computing.add(ranks_[rank].computed);
  return computing.mean();
}

}  // namespace morgana::atm_paper
