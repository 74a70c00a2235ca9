#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "emulator/collectives/tuning.h"
#include "emulator/operations/observer.h"
#include "emulator/report/context_places.h"
#include "emulator/report/run_statistics.h"

namespace morgana::cli {

/// Sees which collectives a program carries out, to name the algorithms that the library chooses for them.
class CollectiveAlgorithms final : public OperationObserver {
 public:
  void operation_ended(Rank rank, const Operation& operation, SimTime begin, SimTime end,
                       std::span<const Completed> completed) override;
  /// By call, those that take the ranks longest first: "MPI_Alltoall by pairwise; MPI_Allreduce by
  /// recursive-doubling (5 of 7), reduce-scatter-allgather (2 of 7) (MPICH 4.0's algorithms)". Empty without
  /// collectives.
  /// @param tuning  of the run, settled
  std::string text(const RunStatistics& statistics, const CollectiveTuning& tuning) const;

 private:
  /// What decides: call, members (0: all ranks), sizes, and the flags of CollectivePart.
  using Key = std::tuple<Call, std::uint32_t, std::int64_t, std::int64_t, std::int64_t, std::uint32_t>;
  struct Use {
    CollectivePart part;  ///< of the first member
    std::uint64_t count = 0;
  };
  ContextPlaces places_;
  std::map<Key, Use> uses_;
};

}  // namespace morgana::cli
