#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "emulator/operations/operation.h"
#include "pvmshim/mpi/collective_parts.h"
#include "pvmshim/mpi/communicators.h"
#include "pvmshim/mpi/emulate/payloads.h"

namespace morgana::mpi::emulated {

/// This rank's part of one collective: what it contributes is deposited, its time is the emulator's, and when
/// it has completed it takes what it needs out of the others' deposits. Each deposit is read by a number of
/// ranks that its owner knows beforehand; so exactly these may, and must, read it.
class Exchange {
 public:
  Exchange(Call call, std::shared_ptr<const Communicator> comm, CollectivePart part);

  const Communicator& comm() const { return *comm_; }
  const CollectivePart& part() const { return part_; }
  Call call() const { return call_; }

  /// What this rank contributes, at most once.
  void contribute(const void* data, MPI_Count count, MPI_Datatype type, int readers);
  void contribute(std::uint64_t payload) { payload_ = payload; }

  /// Whether the rank must wait for the end, though that brings it no data: it must not run ahead of what it
  /// contributes, or it wants to know of errors.
  bool must_await() const;

  /// Starts it; it completes as `id`.
  void post(Call call, CallPart part, RequestId id);
  /// It has completed.
  void receive(const Completed& completed);
  /// Carries it out where it brings this rank no data: the rank need not wait.
  void finish();
  /// Carries it out and waits for the data.
  void await();
  /// Forgets what has been contributed and received, so that it may be carried out again.
  void restart();

  /// Within the contribution: this rank's own block goes to where its block of the result is.
  void keep(const void* from, MPI_Count from_count, MPI_Datatype from_type, void* to, MPI_Count to_count,
            MPI_Datatype to_type);

  /// Once completed: the handle of what that member contributed, 0 if it contributed nothing.
  std::uint64_t deposit_of(int member) const;
  /// Once completed: takes that member's whole contribution into a buffer. It may be shorter.
  void take(int member, void* data, MPI_Count count, MPI_Datatype type);
  /// The same where that member must have given as much as this one expects.
  void take_all(int member, void* data, MPI_Count count, MPI_Datatype type);
  /// Once completed: whether the members first..last have contributed `total` bytes each. If not, that is an
  /// error, and what they have contributed is given back.
  bool have_given(int first, int last, Bytes total);
  /// The same of all others, each into its block.
  void take_blocks(void* data, const ItemsByRank& blocks);
  void take_even(void* data, MPI_Count count, MPI_Datatype type);
  /// Once completed: takes this rank's share of what that member contributed for all: a share of one
  /// size for each, or a block (deposit_blocks).
  void take_even_share(int member, void* data, MPI_Count count, MPI_Datatype type);
  void take_block(int member, void* data, MPI_Count count, MPI_Datatype type);
  /// The same of the edge `number` of those that lead from that member to this one (deposit_edges).
  void take_edge(int member, int number, void* data, MPI_Count count, MPI_Datatype type);

  /// MPI_ERR_TRUNCATE if more came than there was space for, MPI_ERR_OTHER if less than there must be or if
  /// what this rank sent was returned. It has not been reported yet.
  int error() const { return error_; }
  /// More about the error.
  std::string why() const;

 private:
  Operation post_blocking();
  /// Of several errors the first one counts.
  void note(int error) {
    if (error_ == MPI_SUCCESS) error_ = error;
  }
  /// Whether a member that must have contributed something has.
  bool has_given(int member);
  void unpack_into(std::span<const std::byte> packed, void* data, MPI_Count count, MPI_Datatype type);

  Call call_;
  std::shared_ptr<const Communicator> comm_;
  CollectivePart part_;
  std::uint64_t payload_ = 0;
  std::vector<std::uint64_t> deposits_;
  int error_ = MPI_SUCCESS;
  Outcome outcome_ = Outcome::delivered;
};

}  // namespace morgana::mpi::emulated
