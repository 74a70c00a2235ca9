#pragma once

#include "benchmarks/kernels/common/kernel.h"

namespace morgana::kernels {

/// The main program of a kernel over MPI: every rank is a worker; the first one prints.
/// @return the exit code: 0 verified, 1 not, 2 the request was refused
int run_over_mpi(const Kernel& kernel, int argc, char** argv);

}  // namespace morgana::kernels
