// Of the library of Open MPI's C++ interface (libmpi_cxx.so.40), the functions that reach into Open MPI's
// objects. These definitions come before that library's.

#include <cstdlib>

#include "pvmshim/mpi/stand_in/by_hand.h"
#include "pvmshim/mpi/stand_in/callbacks.h"
#include "pvmshim/mpi/stand_in/constants.h"
#include "pvmshim/mpi/stand_in/openmpi/foreign_callbacks.h"
#include "pvmshim/mpi/stand_in/targets.h"

using namespace morgana::stand_in;

namespace {

/// What a C++ communicator is, as that library numbers it.
enum CommunicatorType { unknown, intracommunicator, intercommunicator, cartesian, graph };

/// A data representation's functions, which that library finds where its C functions are called.
struct RepresentationState {
  void* read;
  void* write;
  void* extent;
  void* extra;
};

template <typename Create, typename Function>
Handle* create_cxx_handler(Create create, Function* function) {
  MPI_Errhandler made = MPI_ERRHANDLER_NULL;
  create(function, &made);
  return from_mpich(made);
}

}  // namespace

#define MORGANA_OF_CXX extern "C" __attribute__((visibility("default")))

MORGANA_OF_CXX int ompi_cxx_comm_get_type(Handle* comm) {
  const auto ours = to_mpich<MPI_Comm>(comm);
  int topology = MPI_UNDEFINED, is_inter = 0;
  if (targets().MPI_Comm_test_inter(ours, &is_inter) != MPI_SUCCESS) return unknown;
  if (is_inter != 0) return intercommunicator;
  targets().MPI_Topo_test(ours, &topology);
  return topology == MPI_CART ? cartesian : topology == MPI_GRAPH ? graph : intracommunicator;
}

MORGANA_OF_CXX int ompi_cxx_errhandler_invoke_comm(Handle* comm, int code, const char*) {
  targets().MPI_Comm_call_errhandler(to_mpich<MPI_Comm>(comm), error_to_mpich(code));
  return code;
}
MORGANA_OF_CXX int ompi_cxx_errhandler_invoke_file(Handle* file, int code, const char*) {
  targets().MPI_File_call_errhandler(to_mpich<MPI_File>(file), error_to_mpich(code));
  return code;
}

// The functions are called with one more argument (the new object), which C's calling convention allows to be
// left out.
MORGANA_OF_CXX int ompi_cxx_attr_create_keyval_comm(CopyAttribute* copy, DeleteAttribute* erase, int* keyval,
                                                    void* extra, int, void*) {
  return by_hand::MPI_Comm_create_keyval(copy, erase, keyval, extra);
}
MORGANA_OF_CXX int ompi_cxx_attr_create_keyval_type(CopyAttribute* copy, DeleteAttribute* erase, int* keyval,
                                                    void* extra, int, void*) {
  return by_hand::MPI_Type_create_keyval(copy, erase, keyval, extra);
}
MORGANA_OF_CXX int ompi_cxx_attr_create_keyval_win(CopyAttribute* copy, DeleteAttribute* erase, int* keyval,
                                                   void* extra, int, void*) {
  return by_hand::MPI_Win_create_keyval(copy, erase, keyval, extra);
}

MORGANA_OF_CXX Handle* ompi_cxx_errhandler_create_comm(void* function) {
  return create_cxx_handler(targets().MPI_Comm_create_errhandler, cxx_communicator_handler_for(function));
}
MORGANA_OF_CXX Handle* ompi_cxx_errhandler_create_win(void* function) {
  return create_cxx_handler(targets().MPI_Win_create_errhandler, cxx_window_handler_for(function));
}
MORGANA_OF_CXX Handle* ompi_cxx_errhandler_create_file(void* function) {
  return create_cxx_handler(targets().MPI_File_create_errhandler, cxx_file_handler_for(function));
}
/// MPI::ERRORS_THROW_EXCEPTIONS is MPI_ERRORS_ARE_FATAL here (predefined.def).
MORGANA_OF_CXX void ompi_cxx_errhandler_set_callbacks(Handle*, void*, void*, void*) {}

/// A representation stays until MPI ends.
MORGANA_OF_CXX RepresentationState* ompi_cxx_new_intercept_state(void* read, void* write, void* extent,
                                                                 void* extra) {
  return new RepresentationState{read, write, extent, extra};
}

/// MPI::Op::Init makes an operator of a function of that library, which is the same one for all, and says
/// next what the program's is: MPICH's operator is made anew, of a function that knows the program's.
MORGANA_OF_CXX void ompi_op_set_cxx_callback(Handle* op, void* function) {
  auto before = to_mpich<MPI_Op>(op);
  int commutes = 0;
  targets().MPI_Op_commutative(before, &commutes);
  targets().MPI_Op_free(&before);
  MPI_Op made = MPI_OP_NULL;
  targets().MPI_Op_create(cxx_operator_for(function), commutes, &made);
  replace_mpichs(op, value_of(made));
}
