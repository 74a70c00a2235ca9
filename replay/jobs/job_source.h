#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "emulator/engine/operation_source.h"

namespace morgana {

/// What runs beside another program, on the same network.
struct JobBeside {
  std::string name;  ///< for reports
  /// Its ranks' operations from the beginning, for each run. All run from the start on, and none is a
  /// service.
  std::function<std::unique_ptr<OperationSource>()> open;
  SimTime start;            ///< of its ranks, >= 0
  std::uint32_t times = 1;  ///< it runs so often, one run after the other, each rank by itself; > 0
  std::vector<std::string> notices = {};  ///< sentences for the user, of what it is read from
  bool tags_name_endpoints = false;       ///< of its messages
  bool built_for_openmpi = false;         ///< TraceProperties::built_for_openmpi
};

/// Several jobs as one source of operations: the first one's ranks, then those of each job beside it, in
/// their order. Each job has an MPI_COMM_WORLD of its own, which is the first job's world_context, and a
/// context of their own for the ranks of each run of the others; so no message of a job meets another's.
class JobSource final : public OperationSource {
 public:
  /// @param first  outlives this
  JobSource(OperationSource& first, std::vector<JobBeside> beside);

  /// By job, the first one counted.
  std::size_t jobs() const { return first_rank_.size() - 1; }
  /// @param job  jobs(): the number of all ranks
  std::size_t first_rank(std::size_t job) const { return first_rank_[job]; }
  std::size_t job_of(Rank rank) const;

  std::size_t ranks() const override { return first_rank_.back(); }
  std::size_t world() const override { return first_.world(); }
  bool runs_at_start(Rank rank) const override;
  SimTime starts_at(Rank rank) const override;
  bool is_service(Rank rank) const override;
  bool next(Rank rank, Operation& operation) override;
  void answer(Rank rank, const Answer& answer) override;
  void returned(Rank rank, const Operation& operation, Outcome outcome) override;
  std::string given_name(Context context) const override;

 private:
  /// One of a job's runs.
  struct Run {
    std::unique_ptr<OperationSource> source;
    tsl::robin_map<std::uint64_t, std::uint64_t> contexts;  ///< by number in the source
  };
  struct RankState {
    std::uint32_t run = 0;
    bool has_world = false;  ///< has announced the run's world
  };

  Run& run_of(std::size_t job, std::uint32_t run);
  Context context_in(Run& run, Context context);
  void announce_world(std::size_t job, RankState& state, SimTime elapsed, Operation& operation);

  OperationSource& first_;
  std::vector<JobBeside> beside_;
  std::vector<std::size_t> first_rank_;                      // by job; then the number of all ranks
  std::vector<std::vector<Run>> runs_;                       // by job - 1
  std::vector<RankState> states_;                            // by rank - first_rank_[1]
  std::uint64_t contexts_ = 0;                               // given to runs so far
  tsl::robin_map<std::uint64_t, std::size_t> job_of_world_;  // by number of the context
};

}  // namespace morgana
