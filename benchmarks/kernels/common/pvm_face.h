#pragma once

#include "benchmarks/kernels/common/kernel.h"

namespace morgana::kernels {

/// The main program of a kernel over PVM. Started by the user it is the master: it spawns the workers (the
/// same program), hands out the job, waits for the first worker's result and prints it. Started by another
/// task it is a worker. The master sends one message to every worker, and the first worker one to the master.
/// @return the exit code: 0 verified, 1 not, 2 the request was refused or PVM can't do it
int run_over_pvm(const Kernel& kernel, int argc, char** argv);

}  // namespace morgana::kernels
