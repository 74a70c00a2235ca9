#include "pvmshim/mpi/openmpi/callbacks.h"

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

/// @tparam Object  MPI_Comm, MPI_Win or MPI_File
template <typename Object>
struct ErrorHandler {
  using Program = HandleError;
  using Mpich = void(Object*, int*, ...);
  static constexpr const char* name = "error handlers";
  template <std::size_t number>
  static void call(Object* object, int* code, ...) {
    Handle* handle = nullptr;
    if constexpr (std::is_same_v<Object, MPI_File>)
      handle = file_from_mpich(*object);
    else
      handle = from_mpich(*object);
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

}  // namespace morgana::openmpi
