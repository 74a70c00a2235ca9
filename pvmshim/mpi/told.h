#pragma once

#include <optional>
#include <string>
#include <vector>

namespace morgana::mpi {

/// A variable that the launcher has given this process because it is a rank.
struct ToldVariable {
  std::string name;
  std::string entry;  ///< "NAME=VALUE"
  std::optional<std::string>
      before;  ///< "NAME=VALUE" of the program's own environment, if it has that variable
};

/// All of them, as they were when this library was loaded: the program may change its environment, and what
/// it starts is not to see them (children.h). Kept for as long as the process lives.
const std::vector<ToldVariable>& told_variables();

/// The value of one; null if there is none.
const char* told(const char* name);

/// Whether mpiexec's connection (PMI_FD) is the one that this run's mpiexec has given to this rank. It is not
/// in a job that a rank starts by an mpiexec of its own: its processes are no ranks of this run.
bool is_on_the_runs_line();

}  // namespace morgana::mpi
