#pragma once

#include <mpi.h>

#include <deque>
#include <vector>

#include "pvmshim/mpi/collective_form.h"
#include "pvmshim/mpi/collective_parts.h"

namespace morgana::mpi::emulated {

/// What a collective's later part needs of the call's arguments. A program may free datatypes and operators
/// as soon as the call has returned, and lists that were made for the call are gone then; a blocking call
/// needs no copies.
class ArgumentCopies {
 public:
  explicit ArgumentCopies(const Form& form) : copies_(!form.is_blocking()) {}
  ~ArgumentCopies();
  ArgumentCopies(ArgumentCopies&& other) noexcept;
  ArgumentCopies(const ArgumentCopies&) = delete;
  ArgumentCopies& operator=(const ArgumentCopies&) = delete;
  ArgumentCopies& operator=(ArgumentCopies&&) = delete;

  MPI_Datatype type(MPI_Datatype of_program);
  /// That of so many items: of none it may be no datatype at all.
  MPI_Datatype type(MPI_Datatype of_program, MPI_Count count) {
    return count == 0 ? of_program : type(of_program);
  }
  MPI_Op op(MPI_Op of_program);
  ListView list(ListView of_program, int length);
  /// A list that was made for the call: kept for every form.
  ListView list(std::vector<MPI_Count> made);
  ItemsByRank blocks(const ItemsByRank& of_program, int number);

 private:
  bool copies_;
  std::vector<MPI_Datatype> types_;
  std::vector<MPI_Op> ops_;
  std::deque<std::vector<MPI_Count>> lists_;
  std::deque<std::vector<MPI_Datatype>> type_lists_;
};

}  // namespace morgana::mpi::emulated
