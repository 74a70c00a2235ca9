#pragma once

#include <mpi.h>

#include <memory>
#include <string_view>

#include "pvmshim/mpi/collective_form.h"
#include "pvmshim/mpi/collective_parts.h"
#include "pvmshim/mpi/communicators.h"

namespace morgana::mpi::emulated {

// What a call is given is checked before it becomes an operation, by MPICH's own rules. A call with arguments
// that are not valid goes to MPICH, which says so in its own words before it communicates (error_of_mpich).

/// Null for MPI_COMM_NULL and what is no communicator (any more). Ends the run for one that is not emulated.
std::shared_ptr<const Communicator> communicator(MPI_Comm comm, std::string_view call);
/// The same for calls that are not emulated on intercommunicators.
std::shared_ptr<const Communicator> intracommunicator(MPI_Comm comm, std::string_view call);
/// The same of a collective; null, too, for one that has no place for the request that it gives.
std::shared_ptr<const Communicator> communicator(MPI_Comm comm, const Form& form);
std::shared_ptr<const Communicator> intracommunicator(MPI_Comm comm, const Form& form);

/// Whether a call lacks one of the places that it writes to.
template <typename... Places>
bool lacks_place(const Places*... places) {
  return ((places == nullptr) || ...);
}

/// A buffer, a count and a committed datatype, as a message has them: with a count of 0 any will do.
bool is_message(const void* buffer, MPI_Count count, MPI_Datatype type);
/// The same where the datatype counts even with a count of 0, as in most collectives.
bool is_block(const void* buffer, MPI_Count count, MPI_Datatype type);
/// The blocks of a v- or w-form. Its one datatype counts whatever the counts are; of many datatypes those of
/// empty blocks do not. The buffer may be MPI_BOTTOM where the displacements lead away from it.
bool are_blocks(const void* buffer, const ItemsByRank& blocks, int number);
bool is_member(const Communicator& comm, int member);
/// A member or MPI_PROC_NULL, and a tag in range.
bool is_destination(const Communicator& comm, int dest, int tag);
/// A member, MPI_PROC_NULL or MPI_ANY_SOURCE, and a tag in range or MPI_ANY_TAG.
bool is_origin(const Communicator& comm, int source, int tag);

/// The communicator on which MPICH is asked whether arguments are valid: of this process alone, it returns
/// errors, and nothing is ever sent on it.
MPI_Comm make_scratch_communicator();

/// Hands an error of that call to the communicator's error handler. @return the error
/// @param why  more than the error's class says; empty: no more is known
int raise(const Communicator& comm, int error, Call call, std::string_view why = "");

}  // namespace morgana::mpi::emulated
