#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emulator/operations/operation.h"

namespace morgana {

/// A program as the trace of another simulator tells it, rank by rank.
class ImportedProgram {
 public:
  virtual ~ImportedProgram() = default;
  virtual std::size_t ranks() const = 0;
  /// The rank's next operation, with what was computed before it; the last one is its exit.
  /// @throws Error naming file and line of what can't be read
  virtual void next(Rank rank, Operation& operation) = 0;
  /// What the rank has tested last was complete.
  virtual void found_complete(Rank) {}
  /// Sentences for the user, when all ranks have ended: what was read in another way than it may be meant.
  virtual std::vector<std::string> notices() const { return {}; }
};

/// A time-independent trace of SimGrid's SMPI (smpirun -trace-ti): a list of files, one a rank, or one file
/// of all ranks. Every line is a rank, an action and its parameters (SimGrid's documentation, "SMPI:
/// replaying a trace"; what smpirun 3.32 writes and src/smpi/internals/smpi_replay.cpp reads).
///   - Sizes count elements of a datatype, by its number in SMPI; without one, of a byte, or of a double
///   where
///     `init` has a parameter. Derived datatypes (-1) have no size there: they move nothing.
///   - Actions: those of SMPI's replay; of those that smpirun writes beyond them, sends of all modes and
///     nonblocking collectives. The rest is refused by its name.
///   - Communicators are not told: whatever they were, all is on MPI_COMM_WORLD, as SMPI replays it.
/// @param flops_per_second  at which ranks compute, > 0; needed where any computes
/// @throws Error for files that can't be opened or hold no such trace
std::unique_ptr<ImportedProgram> read_time_independent(const std::filesystem::path& file,
                                                       std::optional<double> flops_per_second);

/// A schedule in GOAL (traces/import/goal.h) as a program that a trace can hold. Ranks of a trace do one
/// thing after the other: messages start as soon as what they require has happened, nonblocking; calculations
/// come before waiting; whoever must wait waits for what the first node that can't go on requires. `cpu` and
/// `nic` other than 0 are told in a notice, tags that no trace can hold are refused.
/// @throws Error for a file that can't be opened or holds no such schedule
std::unique_ptr<ImportedProgram> read_goal(const std::filesystem::path& file);

}  // namespace morgana
