#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <utility>

#include "pvmshim/mpi/stand_in/targets.h"

namespace morgana::stand_in {

inline constexpr std::size_t most_functions = 256;

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

}  // namespace morgana::stand_in
