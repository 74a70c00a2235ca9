#pragma once

#include <filesystem>

namespace morgana {

/// The shared object that `import mpi4py.MPI` would load in this Python, which is asked for it (mpi4py itself
/// is not loaded). Empty if the program is no Python, has no mpi4py, or does not answer within 10 s.
std::filesystem::path mpi4py_of(const std::filesystem::path& python);

}  // namespace morgana
