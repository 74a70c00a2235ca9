#include "pvmshim/mpi/openmpi/callbacks.h"

#include <dlfcn.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <utility>

#include "pvmshim/mpi/openmpi/constants.h"
#include "pvmshim/mpi/openmpi/targets.h"

namespace morgana::openmpi {
namespace {

constexpr std::size_t most_functions = 256;

/// Functions of the program, and as many of ours: the n-th of ours calls the n-th of the program's.
/// @tparam Kind  has types Program and Mpich, a name, and a template call<n>
template <typename Kind>
class Functions {
 public:
  static typename Kind::Mpich* for_program(typename Kind::Program* function) {
    static std::mutex changing;
    static std::size_t used = 0;
    const std::lock_guard lock(changing);
    for (std::size_t i = 0; i < used; ++i)
      if (of_program[i].load() == function) return ours()[i];
    if (used == most_functions)
      end_with("the program uses more than 256 different functions as ", Kind::name);
    of_program[used].store(function);
    return ours()[used++];
  }

  static inline std::array<std::atomic<typename Kind::Program*>, most_functions> of_program{};

 private:
  using Ours = std::array<typename Kind::Mpich*, most_functions>;
  template <std::size_t... numbers>
  static constexpr Ours all(std::index_sequence<numbers...>) {
    return {&Kind::template call<numbers>...};
  }
  static const Ours& ours() {
    static constexpr Ours made = all(std::make_index_sequence<most_functions>());
    return made;
  }
};

struct Operator {
  using Program = UserFunction;
  using Mpich = MPI_User_function;
  static constexpr const char* name = "operators of reductions";
  template <std::size_t number>
  static void call(void* in, void* in_and_out, int* length, MPI_Datatype* type) {
    Handle* handle = from_mpich(*type);
    Functions<Operator>::of_program[number].load()(in, in_and_out, length, &handle);
  }
};

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

template <typename Object>
Handle* handle_of(Object object) {
  if constexpr (std::is_same_v<Object, MPI_File>)
    return file_from_mpich(object);
  else
    return from_mpich(object);
}

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

/// @tparam Object  MPI_Comm, MPI_Win or MPI_File
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
  return Functions<Operator>::for_program(function);
}
MPI_Comm_errhandler_function* communicator_handler_for(HandleError* function) {
  return Functions<ErrorHandler<MPI_Comm>>::for_program(function);
}
MPI_Win_errhandler_function* window_handler_for(HandleError* function) {
  // MPI_Comm and MPI_Win are both numbers to MPICH: the functions are of one type, and a window's number
  // tells itself apart.
  return Functions<ErrorHandler<MPI_Win>>::for_program(function);
}
MPI_File_errhandler_function* file_handler_for(HandleError* function) {
  return Functions<ErrorHandler<MPI_File>>::for_program(function);
}

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

}  // namespace morgana::openmpi
