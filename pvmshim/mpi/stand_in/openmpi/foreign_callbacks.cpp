#include "pvmshim/mpi/stand_in/openmpi/foreign_callbacks.h"

#include <dlfcn.h>

#include <cstddef>
#include <type_traits>

#include "pvmshim/mpi/stand_in/constants.h"
#include "pvmshim/mpi/stand_in/functions.h"
#include "pvmshim/mpi/stand_in/handles.h"

namespace morgana::stand_in {
namespace {

struct FortranOperator {
  using Program = FortranFunction;
  using Mpich = MPI_User_function;
  static constexpr const char* name = "operators of reductions in Fortran";
  template <std::size_t number>
  static void call(void* in, void* in_and_out, int* length, MPI_Datatype* type) {
    int theirs = fortran_number(from_mpich(*type));
    Functions<FortranOperator>::of_program[number].load()(in, in_and_out, length, &theirs);
  }
};

/// A function of libmpi_cxx.so.40, which has been loaded: a C++ function came from there.
template <typename Function>
Function* of_cxx_library(const char* name) {
  void* const found = dlsym(RTLD_DEFAULT, name);
  if (found == nullptr) end_with("the library of Open MPI's C++ interface (libmpi_cxx.so.40) lacks ", name);
  return reinterpret_cast<Function*>(found);
}

struct CxxOperator {
  using Program = void;
  using Mpich = MPI_User_function;
  static constexpr const char* name = "operators of reductions in C++";
  template <std::size_t number>
  static void call(void* in, void* in_and_out, int* length, MPI_Datatype* type) {
    static auto* const intercept =
        of_cxx_library<void(void*, void*, int*, Handle**, void*)>("ompi_mpi_cxx_op_intercept");
    Handle* handle = from_mpich(*type);
    intercept(in, in_and_out, length, &handle, Functions<CxxOperator>::of_program[number].load());
  }
};

/// @tparam Object  MPI_Comm, MPI_Win or MPI_File
template <typename Object>
struct FortranErrorHandler {
  using Program = HandleFortranError;
  using Mpich = void(Object*, int*, ...);
  static constexpr const char* name = "error handlers in Fortran";
  template <std::size_t number>
  static void call(Object* object, int* code, ...) {
    int theirs_object = 0;
    if constexpr (std::is_same_v<Object, MPI_File>)
      theirs_object = targets().MPI_File_c2f(*object);
    else
      theirs_object = fortran_number(handle_of(*object));
    int theirs = error_from_mpich(*code);
    Functions<FortranErrorHandler>::of_program[number].load()(&theirs_object, &theirs);
    *code = error_to_mpich(theirs);
  }
};

/// @tparam Kind  has a type Object, and the name of the function of libmpi_cxx.so.40
template <typename Kind>
struct CxxErrorHandler {
  using Object = typename Kind::Object;
  using Program = void;
  using Mpich = void(Object*, int*, ...);
  static constexpr const char* name = "error handlers in C++";
  template <std::size_t number>
  static void call(Object* object, int* code, ...) {
    static auto* const invoke =
        of_cxx_library<void(Handle**, int*, const char*, void*)>(Kind::function_of_library);
    Handle* handle = handle_of(*object);
    int theirs = error_from_mpich(*code);
    invoke(&handle, &theirs, "", Functions<CxxErrorHandler>::of_program[number].load());
    *code = error_to_mpich(theirs);
  }
};
struct OfCommunicator {
  using Object = MPI_Comm;
  static constexpr const char* function_of_library = "ompi_mpi_cxx_comm_errhandler_invoke";
};
struct OfWindow {
  using Object = MPI_Win;
  static constexpr const char* function_of_library = "ompi_mpi_cxx_win_errhandler_invoke";
};
struct OfFile {
  using Object = MPI_File;
  static constexpr const char* function_of_library = "ompi_mpi_cxx_file_errhandler_invoke";
};

}  // namespace

MPI_User_function* fortran_operator_for(FortranFunction* function) {
  return Functions<FortranOperator>::for_program(function);
}
MPI_Comm_errhandler_function* fortran_communicator_handler_for(HandleFortranError* function) {
  return Functions<FortranErrorHandler<MPI_Comm>>::for_program(function);
}
MPI_Win_errhandler_function* fortran_window_handler_for(HandleFortranError* function) {
  return Functions<FortranErrorHandler<MPI_Win>>::for_program(function);
}
MPI_File_errhandler_function* fortran_file_handler_for(HandleFortranError* function) {
  return Functions<FortranErrorHandler<MPI_File>>::for_program(function);
}

MPI_User_function* cxx_operator_for(void* function) {
  return Functions<CxxOperator>::for_program(function);
}
MPI_Comm_errhandler_function* cxx_communicator_handler_for(void* function) {
  return Functions<CxxErrorHandler<OfCommunicator>>::for_program(function);
}
MPI_Win_errhandler_function* cxx_window_handler_for(void* function) {
  return Functions<CxxErrorHandler<OfWindow>>::for_program(function);
}
MPI_File_errhandler_function* cxx_file_handler_for(void* function) {
  return Functions<CxxErrorHandler<OfFile>>::for_program(function);
}

}  // namespace morgana::stand_in
