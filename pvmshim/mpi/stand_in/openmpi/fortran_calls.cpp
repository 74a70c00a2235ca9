// Fortran's operators, error handlers and generalised requests, whose functions MPI calls with Fortran's
// handles, and calls that give a group or a datatype back.

#include <memory>

#include "pvmshim/mpi/stand_in/openmpi/fortran.h"

namespace morgana::stand_in::fortran {
namespace {

using QueryRequest = void(Address* extra, Integer* status, Integer* error);
using FreeRequest = void(Address* extra, Integer* error);
using CancelRequest = void(Address* extra, Logical* completed, Integer* error);

struct FortranGrequest {
  QueryRequest* query;
  FreeRequest* free;
  CancelRequest* cancel;
  Address extra;
};

int query_for_fortran(void* extra, MPI_Status* status) {
  auto& functions = *static_cast<FortranGrequest*>(extra);
  Status theirs{};
  from_mpich(*status, theirs, false);
  Integer words[integers_of_status];
  std::memcpy(words, &theirs, sizeof theirs);
  Integer error = MPI_SUCCESS;
  functions.query(&functions.extra, words, &error);
  std::memcpy(&theirs, words, sizeof theirs);
  const int before = status->MPI_ERROR;
  *status = to_mpich(theirs);
  status->MPI_ERROR = before;
  return error_to_mpich(error);
}

int free_for_fortran(void* extra) {
  const std::unique_ptr<FortranGrequest> functions(static_cast<FortranGrequest*>(extra));
  Integer error = MPI_SUCCESS;
  functions->free(&functions->extra, &error);
  return error_to_mpich(error);
}

int cancel_for_fortran(void* extra, int completed) {
  auto& functions = *static_cast<FortranGrequest*>(extra);
  Logical flag = completed;
  Integer error = MPI_SUCCESS;
  functions.cancel(&functions.extra, &flag, &error);
  return error_to_mpich(error);
}

/// @param create  with its function bound: gives MPICH's error handler
template <typename Create, typename Function>
void create_fortran_handler(Create create, Function* function, Integer* handler, Integer* error) {
  MPI_Errhandler made = MPI_ERRHANDLER_NULL;
  const int result = create(function, &made);
  if (result == MPI_SUCCESS) *handler = fortran_number(from_mpich(made));
  *error = error_from_mpich(result);
}

MPI_Group group_of(Integer number) {
  return to_mpich<MPI_Group>(by_hand::MPI_Group_f2c(number));
}

void give_group(int result, MPI_Group made, Integer* group, Integer* error) {
  if (result == MPI_SUCCESS) *group = fortran_number(from_mpich(made));
  *error = error_from_mpich(result);
}

}  // namespace

MORGANA_ENTRY_POINT(op_create, FortranFunction* function, Logical* commutes, Integer* op, Integer* error) {
  MPI_Op made = MPI_OP_NULL;
  const int result = targets().MPI_Op_create(fortran_operator_for(function), *commutes != 0, &made);
  if (result == MPI_SUCCESS) *op = fortran_number(from_mpich(made));
  *error = error_from_mpich(result);
}

MORGANA_ENTRY_POINT(comm_create_errhandler, HandleFortranError* function, Integer* handler, Integer* error) {
  create_fortran_handler(targets().MPI_Comm_create_errhandler, fortran_communicator_handler_for(function),
                         handler, error);
}
MORGANA_ENTRY_POINT(errhandler_create, HandleFortranError* function, Integer* handler, Integer* error) {
  ompi_comm_create_errhandler_f(function, handler, error);
}
MORGANA_ENTRY_POINT(win_create_errhandler, HandleFortranError* function, Integer* handler, Integer* error) {
  create_fortran_handler(targets().MPI_Win_create_errhandler, fortran_window_handler_for(function), handler,
                         error);
}
MORGANA_ENTRY_POINT(file_create_errhandler, HandleFortranError* function, Integer* handler, Integer* error) {
  create_fortran_handler(targets().MPI_File_create_errhandler, fortran_file_handler_for(function), handler,
                         error);
}

MORGANA_ENTRY_POINT(grequest_start, QueryRequest* query, FreeRequest* free, CancelRequest* cancel,
                    Address* extra, Integer* request, Integer* error) {
  auto functions = std::make_unique<FortranGrequest>(FortranGrequest{query, free, cancel, *extra});
  MPI_Request made = MPI_REQUEST_NULL;
  const int result = targets().MPI_Grequest_start(query_for_fortran, free_for_fortran, cancel_for_fortran,
                                                  functions.get(), &made);
  if (result == MPI_SUCCESS) {
    (void)functions.release();  // free_for_fortran has it from now on
    *request = to_integer<MPI_Request>(made, MPI_REQUEST_NULL);
  }
  *error = error_from_mpich(result);
}

MORGANA_ENTRY_POINT(register_datarep) {
  end_with("the stand-in for Open MPI's library does not carry out MPI_REGISTER_DATAREP of Fortran");
}

MORGANA_ENTRY_POINT(type_match_size, Integer* type_class, Integer* size, Integer* type, Integer* error) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  const int result = targets().MPI_Type_match_size(type_class_to_mpich(*type_class), *size, &made);
  if (result == MPI_SUCCESS) *type = fortran_number(from_mpich(made));
  *error = error_from_mpich(result);
}

#define MORGANA_GROUP_OF_TWO(name, target)                                                 \
  MORGANA_ENTRY_POINT(name, Integer* one, Integer* other, Integer* made, Integer* error) { \
    MPI_Group group = MPI_GROUP_NULL;                                                      \
    const int result = targets().target(group_of(*one), group_of(*other), &group);         \
    give_group(result, group, made, error);                                                \
  }
MORGANA_GROUP_OF_TWO(group_union, MPI_Group_union)
MORGANA_GROUP_OF_TWO(group_intersection, MPI_Group_intersection)
MORGANA_GROUP_OF_TWO(group_difference, MPI_Group_difference)

#define MORGANA_GROUP_OF_RANKS(name, target, Rank)                                                        \
  MORGANA_ENTRY_POINT(name, Integer* whole, Integer* count, Rank* ranks, Integer* made, Integer* error) { \
    MPI_Group group = MPI_GROUP_NULL;                                                                     \
    const int result = targets().target(group_of(*whole), *count, ranks, &group);                         \
    give_group(result, group, made, error);                                                               \
  }
MORGANA_GROUP_OF_RANKS(group_incl, MPI_Group_incl, Integer)
MORGANA_GROUP_OF_RANKS(group_excl, MPI_Group_excl, Integer)
MORGANA_GROUP_OF_RANKS(group_range_incl, MPI_Group_range_incl, Triple)
MORGANA_GROUP_OF_RANKS(group_range_excl, MPI_Group_range_excl, Triple)

}  // namespace morgana::stand_in::fortran
