#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "emulator/core/error.h"
#include "emulator/engine/operation_source.h"

namespace morgana {

/// The program has gone another way than the recorded one.
class OtherPath : public Error {
 public:
  using Error::Error;
};

/// A live program that computes as long as it did when it was recorded: each of a rank's calls begins as long
/// after the end of the one before as in the trace, in order. Its own compute times should be none.
///
/// The calls of both must have the same names. Left out of the comparison is what depends on the clock, polls
/// (MPI_Test, MPI_Iprobe, pvm_nrecv and similar calls) and reads of the clock, and calls that move no data
/// and are on one side only; what was computed before them is computed before the next call. A clock that the
/// program reads between two calls does not show yet what it computes there.
class RecordedCompute : public OperationSource {
 public:
  /// @param program  must outlive this; it waits and answers as ever
  /// @param trace  folder or anchor file; captured, or of an emulated run
  /// @param compute_scale  of the platform; the scale recorded in the trace is taken out first
  /// @throws Error if the trace can't be read or is of another number of ranks
  RecordedCompute(OperationSource& program, const std::filesystem::path& trace, double compute_scale);
  ~RecordedCompute() override;

  std::size_t ranks() const override { return program_.ranks(); }
  bool runs_at_start(Rank rank) const override { return program_.runs_at_start(rank); }
  bool is_service(Rank rank) const override { return program_.is_service(rank); }
  /// @throws OtherPath naming rank and calls
  bool next(Rank rank, Operation& operation) override;
  void answer(Rank rank, const Answer& answer) override { program_.answer(rank, answer); }
  void returned(Rank rank, const Operation& operation, Outcome why) override {
    program_.returned(rank, operation, why);
  }
  std::optional<SimTime> computed(Rank rank) override { return program_.computed(rank); }
  bool is_held_up() override { return program_.is_held_up(); }
  void wait(std::span<const AwaitedRank> awaited) override { program_.wait(awaited); }

 private:
  class Recorded;

  OperationSource& program_;
  std::unique_ptr<Recorded> recorded_;
};

}  // namespace morgana
