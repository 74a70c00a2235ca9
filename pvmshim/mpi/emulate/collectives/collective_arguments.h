#pragma once

#include <mpi.h>

#include "pvmshim/mpi/collective_parts.h"
#include "pvmshim/mpi/communicators.h"

namespace morgana::mpi::emulated {

// What the buffers of collectives must be, as MPICH 4.0 sees it: where these say no, MPICH raises an error
// before it communicates.

/// What a call sends or receives: one block, or a block for each of `number` peers.
struct Side {
  const void* buffer;
  MPI_Count count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  const ItemsByRank* blocks = nullptr;  ///< instead of count and type
  int number = 0;

  bool is_empty() const;
  /// A place where MPI_IN_PLACE is not allowed, and the data are valid.
  bool is_valid() const;
  /// The data are valid, or it is MPI_IN_PLACE in an intracommunicator.
  bool is_valid_or_in_place(const Communicator& comm) const;
  /// One member's part where a root gathers or scatters. MPI_IN_PLACE is the root's alone, but MPICH looks at
  /// nothing behind it: from another member of an intracommunicator it means no data if the count is 0, and
  /// ends the run if it is not.
  bool is_valid_part(const Communicator& comm) const;
};

/// Whether this rank's own part of the one side begins where the other is: `part` is a block, `whole` holds
/// one of each member, and this rank's lies where MPICH expects it.
bool is_aliased(const Communicator& comm, const Side& part, const Side& whole);
/// The same of sides that are both for all members.
bool is_aliased_to_all(const Communicator& comm, const Side& sent, const Side& received);

bool is_operator_for(MPI_Op op, MPI_Datatype type);
/// Of every reduction but MPI_Reduce. @param given, got  how many items each of the buffers holds
bool is_reduction(const Communicator& comm, const void* sent, MPI_Count given, const void* received,
                  MPI_Count got, MPI_Datatype type, MPI_Op op);
bool is_rooted_reduction(const Communicator& comm, const Role& role, const void* sent, const void* received,
                         MPI_Count count, MPI_Datatype type, MPI_Op op);

}  // namespace morgana::mpi::emulated
