#pragma once

#include <mpi.h>

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "emulator/operations/operation.h"
#include "pvmshim/mpi/derived_context.h"

namespace morgana::mpi {

/// What a communicator is to the emulator: its context and its members as ranks of MPI_COMM_WORLD. Those of
/// an intercommunicator are both of its groups.
class Communicator {
 public:
  Communicator(MPI_Comm comm, Context context);

  MPI_Comm handle() const { return handle_; }
  Context context() const { return context_; }
  void set_context(Context context) { context_ = context; }
  const std::vector<Rank>& members() const { return members_; }
  bool is_inter() const { return first_group_ != 0; }
  /// Of an intercommunicator: how many of the members, from the first on, are the one of its groups; else 0.
  int first_group() const { return first_group_; }
  /// This rank's number in its group.
  int me() const { return me_; }
  /// The same members in another context.
  Communicator in_context(Context context) const;

  // Peers are those whom this rank's calls may name: all members, or those of the other group.

  int size() const { return peers_; }
  Rank world_rank(int peer) const { return members_[place(peer)]; }
  /// The peer that this rank is, or MPI_UNDEFINED.
  int member(Rank world_rank) const { return member_of_[index(world_rank)]; }
  bool is_me(int peer) const { return !is_inter() && peer == me_; }
  /// A peer's number among the members.
  std::size_t place(int peer) const { return static_cast<std::size_t>(first_peer_ + peer); }
  /// How many are in this rank's group, and how many of the peers are not this rank.
  int group_size() const { return is_inter() ? static_cast<int>(members_.size()) - peers_ : peers_; }
  int others() const { return is_inter() ? peers_ : peers_ - 1; }
  /// This rank's number among the members.
  int own_place() const { return is_inter() && first_peer_ == 0 ? first_group_ + me_ : me_; }

 private:
  void add_remote_group();

  MPI_Comm handle_;
  Context context_;
  std::vector<Rank> members_;
  std::vector<int> member_of_;
  int me_ = 0;
  int first_group_ = 0;
  int first_peer_ = 0;
  int peers_ = 0;
};

/// The world ranks of a group's members, in order.
std::vector<Rank> world_ranks(MPI_Group group);

/// The communicators of this process, by MPICH's handles. Those in use by a pending request outlive their
/// end.
class CommunicatorTable {
 public:
  /// Knows MPI_COMM_WORLD (context 0) and MPI_COMM_SELF.
  CommunicatorTable();

  /// Null for a handle that is none.
  const std::shared_ptr<const Communicator>& find(MPI_Comm comm);
  const Communicator& world() const { return *world_; }

  /// A communicator has been made by all members of another one, those who are none of its members too, or of
  /// a meeting: on all of them. Nobody needs to be asked for its context, which follows from how many have
  /// been made there.
  /// @param made  MPI_COMM_NULL for those who are no members
  /// @return null for those
  const Communicator* add_made(Context parent, MPI_Comm made);
  const Communicator& add_known(MPI_Comm comm, Context context);
  /// A context for something that all members make together: each time another one.
  Context next_derived(Derived purpose, const Communicator& comm);
  void remove(MPI_Comm comm);
  /// A peer's side or this rank's of a partitioned message: the same members in the context of the messages
  /// that match it. Those of the same sender, receiver and tag match in the order of initialisation, whatever
  /// the order of starting (MPI 4.0, 4.2.1): so each of them has its own.
  Communicator for_partitioned(const Communicator& comm, bool is_send, int peer, int tag);

 private:
  Context choose_context();

  std::unordered_map<MPI_Comm, std::shared_ptr<const Communicator>> known_;
  std::shared_ptr<const Communicator> world_;
  std::shared_ptr<const Communicator> last_found_;
  std::shared_ptr<const Communicator> nothing_;
  std::uint64_t chosen_ = 0;  ///< contexts by this rank
  std::unordered_map<Context, std::uint64_t> derived_;
  struct PartitionedSide {
    Context context;
    bool is_send;
    int peer, tag;
    auto operator<=>(const PartitionedSide&) const = default;
  };
  std::map<PartitionedSide, std::uint64_t> partitioned_;  ///< how many have been initialised
};

}  // namespace morgana::mpi
