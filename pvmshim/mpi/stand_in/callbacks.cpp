#include "pvmshim/mpi/stand_in/callbacks.h"

#include <cstddef>

#include "pvmshim/mpi/stand_in/constants.h"
#include "pvmshim/mpi/stand_in/functions.h"

namespace morgana::stand_in {
namespace {

/// @tparam Length  int, or MPI_Count
template <typename Length>
struct Operator {
  using Program = void(void*, void*, Length*, Handle**);
  using Mpich = void(void*, void*, Length*, MPI_Datatype*);
  static constexpr const char* name = "operators of reductions";
  template <std::size_t number>
  static void call(void* in, void* in_and_out, Length* length, MPI_Datatype* type) {
    Handle* handle = from_mpich(*type);
    Functions<Operator>::of_program[number].load()(in, in_and_out, length, &handle);
  }
};

/// @tparam object  a type MPI_Comm, MPI_Win, MPI_File or MPI_Session
template <typename Object>
struct ErrorHandler {
  using Program = HandleError;
  using Mpich = void(Object*, int*, ...);
  static constexpr const char* name = "error handlers";
  template <std::size_t number>
  static void call(Object* object, int* code, ...) {
    Handle* handle = handle_of(*object);
    int theirs = error_from_mpich(*code);
    Functions<ErrorHandler>::of_program[number].load()(&handle, &theirs);
    *code = error_to_mpich(theirs);
  }
};

}  // namespace

MPI_User_function* operator_for(UserFunction* function) {
  return Functions<Operator<int>>::for_program(function);
}
MPI_User_function_c* large_operator_for(LargeUserFunction* function) {
  return Functions<Operator<MPI_Count>>::for_program(function);
}
MPI_Comm_errhandler_function* communicator_handler_for(HandleError* function) {
  return Functions<ErrorHandler<MPI_Comm>>::for_program(function);
}
// MPI_Comm, MPI_Win and MPI_Session are all numbers to MPICH: the functions are of one type, and a window's
// or a session's number tells itself apart.
MPI_Win_errhandler_function* window_handler_for(HandleError* function) {
  return Functions<ErrorHandler<MPI_Win>>::for_program(function);
}
MPI_Session_errhandler_function* session_handler_for(HandleError* function) {
  return Functions<ErrorHandler<MPI_Session>>::for_program(function);
}
MPI_File_errhandler_function* file_handler_for(HandleError* function) {
  return Functions<ErrorHandler<MPI_File>>::for_program(function);
}

}  // namespace morgana::stand_in
