#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "emulator/operations/operation.h"

namespace morgana::mpi {

/// What a communicator is to the emulator: its context and its members as ranks of MPI_COMM_WORLD.
class Communicator {
 public:
  /// @param comm  an intracommunicator of MPICH's
  Communicator(MPI_Comm comm, Context context);

  MPI_Comm handle() const { return handle_; }
  Context context() const { return context_; }
  const std::vector<Rank>& members() const { return members_; }
  int size() const { return static_cast<int>(members_.size()); }
  int me() const { return me_; }
  Rank world_rank(int member) const { return members_[static_cast<std::size_t>(member)]; }
  /// The member that this rank is, or MPI_UNDEFINED.
  int member(Rank world_rank) const { return member_of_[index(world_rank)]; }

 private:
  MPI_Comm handle_;
  Context context_;
  std::vector<Rank> members_;
  std::vector<int> member_of_;
  int me_ = 0;
};

/// The world ranks of a group's members, in order.
std::vector<Rank> world_ranks(MPI_Group group);

/// The communicators of this process, by MPICH's handles. Those in use by a pending request outlive their
/// end.
class CommunicatorTable {
 public:
  /// Knows MPI_COMM_WORLD (context 0) and MPI_COMM_SELF.
  CommunicatorTable();

  /// Null for a handle that is none, or an intercommunicator's.
  const std::shared_ptr<const Communicator>& find(MPI_Comm comm);
  const Communicator& world() const { return *world_; }

  /// Within the creation of an intracommunicator, on all of its members: they agree on a context (its first
  /// member chooses one) through MPICH.
  const Communicator& add_new(MPI_Comm comm);
  void remove(MPI_Comm comm);

 private:
  Context choose_context();

  std::unordered_map<MPI_Comm, std::shared_ptr<const Communicator>> known_;
  std::shared_ptr<const Communicator> world_;
  std::shared_ptr<const Communicator> last_found_;
  std::shared_ptr<const Communicator> nothing_;
  std::uint64_t chosen_ = 0;  ///< contexts by this rank
};

}  // namespace morgana::mpi
