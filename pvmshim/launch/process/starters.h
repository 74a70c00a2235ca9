#pragma once

#include <string>

namespace morgana {

/// Whether the program, by its name, starts another one that its arguments name, in its own place or as a
/// child: nice, env, strace, gdb ...
bool starts_another(const std::string& program);

/// Whether the program, by its name, starts the ranks of a parallel program: mpiexec, srun ...
bool is_rank_launcher(const std::string& program);

}  // namespace morgana
