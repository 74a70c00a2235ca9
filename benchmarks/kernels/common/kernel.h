#pragma once

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "benchmarks/kernels/common/team.h"

namespace morgana::kernels {

/// Something the user asked for can't be done: one sentence that says what, and what can.
class Refusal : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The problem classes, in the order of SizeOption::of_class.
inline constexpr std::array<const char*, 4> class_names{"S", "W", "A", "paper"};

/// A size that the user may choose: --NAME VALUE.
struct SizeOption {
  std::string name, meaning;
  int least = 1, most = 1;
  std::array<int, 4> of_class{};
};

/// One value for each SizeOption of the kernel, in their order.
using Sizes = std::vector<int>;

/// What the first worker knows at the end.
struct Outcome {
  bool passed = false;
  std::string figures;   ///< lines: what was computed, and what it was compared with
  double seconds = 0.0;  ///< of the timed part
};

/// A kernel: its problem, and its numerical core, which knows nothing of MPI and PVM.
struct Kernel {
  std::string name;    ///< "cg"
  std::string title;   ///< one line
  std::string method;  ///< a few lines for --help
  std::vector<SizeOption> sizes;

  /// Refuses sizes that the method can't take, or that so many workers can't share. May be null.
  void (*check)(const Sizes& sizes, int workers) = nullptr;

  /// Solves and verifies, together with the other workers. The result matters at the first worker only.
  Outcome (*solve)(Team& team, const Sizes& sizes) = nullptr;

  /// The sizes of a class. @param place  in class_names
  Sizes sizes_of_class(std::size_t place) const;

  /// The name of the class that has exactly these sizes, the earliest in class_names; empty if none has.
  std::string class_of(const Sizes& sizes) const;
};

/// Throws a Refusal unless `value` is a power of two; `option` names it in the sentence.
void require_power_of_two(const std::string& option, int value);

}  // namespace morgana::kernels
