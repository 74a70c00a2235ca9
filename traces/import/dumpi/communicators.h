#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "emulator/operations/operation.h"
#include "traces/import/dumpi/file.h"

namespace morgana::dumpi {

// Handles that stand for the same in every file.
constexpr std::int64_t null_communicator = 1, world_communicator = 2, self_communicator = 3;

/// A communicator of the program.
struct TracedCommunicator {
  Context context = world_context;
  std::vector<Rank> members;
  std::vector<std::int32_t> dimensions;  ///< of a Cartesian one
  bool order_known = true;               ///< false: MPI might have numbered its members in another order
};

/// What stands in a rank's file that must be known before its calls can be carried out.
struct RankScan {
  /// A call that makes a communicator or a group.
  struct Step {
    std::size_t offset = 0;
    Function function = Function::end_of_stream;
    std::vector<std::int64_t> numbers;
    std::vector<std::vector<std::int32_t>> lists;
    std::optional<std::int64_t> rank;  ///< the rank's own in the communicator made, as MPI_Comm_rank says
  };
  std::vector<Step> steps;
  /// By the offset of an MPI_Irecv that names no source or no tag, or that of MPI_Start(all) and the place
  /// there: what it got, as its completion says.
  std::unordered_map<std::size_t, ReceiveStatus> got;
  /// By the offset of an MPI_Cancel: whether it did, as the completion says.
  std::unordered_map<std::size_t, bool> cancelled;
  /// Whether MPI_PROC_NULL has the number of any source, -1, as with MPICH: a send or MPI_Cart_shift shows
  /// it.
  bool nobody_is_any_source = false;
};

/// Reads a rank's file from its beginning.
/// @throws Error naming file and offset for what can't be read, and for calls that can't be carried out:
/// one-sided communication, intercommunicators, processes that join or are spawned
RankScan scan(RankFile& file);

/// The communicators of all ranks, found from what each rank says of its own part: the members of a
/// communicator make their calls that make others from it in the same order.
class Communicators {
 public:
  /// @param scans  by rank
  /// @param files  by rank, for errors
  /// @throws Error if calls don't fit together
  Communicators(const std::vector<RankScan>& scans, const std::vector<RankFile*>& files);

  const TracedCommunicator& operator[](std::uint32_t number) const { return all_[number]; }
  /// What a rank's calls that make communicators have made, in order; nothing where that is MPI_COMM_NULL.
  const std::vector<std::optional<std::uint32_t>>& made_by(Rank rank) const { return made_[index(rank)]; }
  static constexpr std::uint32_t world = 0;
  std::uint32_t self(Rank rank) const { return 1 + static_cast<std::uint32_t>(rank); }

 private:
  friend class CommunicatorSearch;
  std::uint32_t add(std::vector<Rank> members);

  std::vector<TracedCommunicator> all_;
  std::vector<std::vector<std::optional<std::uint32_t>>> made_;
};

/// Whether a call makes communicators of one that is there.
bool makes_communicator(Function function);

}  // namespace morgana::dumpi
