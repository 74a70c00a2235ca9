#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "emulator/operations/operation.h"

namespace morgana {

/// A program from the trace of another simulator, rank by rank.
class ImportedProgram {
 public:
  virtual ~ImportedProgram() = default;
  virtual std::size_t ranks() const = 0;
  /// The rank's next operation, with what was computed before it; the last one is its exit.
  /// @throws Error naming file and line of what can't be read
  virtual void next(Rank rank, Operation& operation) = 0;
  /// What a test or probe of the rank, its last operation, has found.
  virtual void found_complete(Rank, std::span<const Completed>) {}
  /// Sentences for the user, when all ranks have ended or can't go on: what was read in another way than it
  /// may be meant.
  virtual std::vector<std::string> notices() const { return {}; }
};

/// A time-independent trace of SimGrid's SMPI (smpirun -trace-ti): a list of files, one a rank, or one file
/// of all ranks. Every line is a rank, an action and its parameters (SimGrid's documentation, "SMPI:
/// replaying a trace"; what smpirun 3.32 writes and src/smpi/internals/smpi_replay.cpp reads).
///   - Sizes count elements of a datatype, by its number in SMPI; without one, of a byte, or of a double
///     where `init` has a parameter. Derived datatypes (-1) have no size there: they move nothing.
///   - Actions: those of SMPI's replay; of those that smpirun writes beyond them, sends of all modes and
///     nonblocking collectives. The rest is refused by its name.
/// - The trace does not name communicators: whatever they were, all is on MPI_COMM_WORLD, as SMPI replays it.
/// @param flops_per_second  at which ranks compute, > 0; needed where any computes
/// @throws Error for files that can't be opened or hold no such trace
std::unique_ptr<ImportedProgram> read_time_independent(const std::filesystem::path& file,
                                                       std::optional<double> flops_per_second);

/// A schedule in GOAL (traces/import/goal.h) as a program that a trace can hold. Ranks of a trace do one
/// thing after the other: messages start as soon as what they require has happened, nonblocking; calculations
/// come before waiting; a rank that must wait waits for what the first node that can't go on requires. `cpu`
/// and `nic` other than 0 are reported in a notice, tags that no trace can hold are refused.
/// @throws Error for a file that can't be opened or holds no such schedule
std::unique_ptr<ImportedProgram> read_goal(const std::filesystem::path& file);

/// A DUMPI trace (traces/import/dumpi/calls.h): one file a rank, found beside the one that is named.
///   - Calls keep their communicators; ranks wait for what the program found completed, and receives
///     without a source get what they got, as far as statuses were recorded.
///   - Times between calls become computing, times within them are dropped.
///   - One-sided communication, intercommunicators and spawned processes are refused.
/// @param file  the .meta file or that of any rank
/// @throws Error naming file and offset of what can't be read
std::unique_ptr<ImportedProgram> read_dumpi(const std::filesystem::path& file);

/// A trace of Dimemas (.dim): bursts of computing, messages and collectives of communicators.
///   - Tasks are ranks. Sends that do not wait are awaited at a rank's end, for no record does it before.
///   - A root is a task's number or a mark in the root's own record (traces/import/dimemas_roots.h).
///   - Of MPI_Gatherv, MPI_Scatterv and MPI_Allgatherv the sizes are put together from all members' sums; of
///     MPI_Alltoallv and MPI_Reduce_scatter each member gets an equal part of a sum, which a notice says.
///   - Records of the threads of one task (a GPU's) are left out, and counted.
/// @throws Error naming file and line of what can't be read
std::unique_ptr<ImportedProgram> read_dimemas(const std::filesystem::path& file);

/// A trace of Paraver (.prv), as Extrae writes it: tasks of its first application are ranks. The names of
/// calls are those of the .pcf beside it, or else Extrae's.
///   - A call is a pair of events, its message the record whose times lie in it; of collectives events name
///     the communicator, sums of bytes and the root. Messages have no communicator there: all are of
///     MPI_COMM_WORLD.
///   - What is neither in a call nor untraced is computing. Requests are not recorded: a wait is for the
///     messages that come in it, or else for the oldest send or collective.
///   - Calls whose peer or size is not recorded are left out, and counted in a notice.
/// @throws Error naming file and line of what can't be read
std::unique_ptr<ImportedProgram> read_paraver(const std::filesystem::path& file);

/// Whether a file holds an MPI program that the functions above read: by what it begins with. SMPI's form has
/// no such beginning: nothing for it.
enum class ProgramForm : std::uint8_t { dumpi, dimemas, paraver };
std::optional<ProgramForm> program_form(const std::filesystem::path& file);
std::unique_ptr<ImportedProgram> read_program(ProgramForm form, const std::filesystem::path& file);

}  // namespace morgana
