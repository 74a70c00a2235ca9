#include "benchmarks/kernels/common/mpi_face.h"
#include "benchmarks/kernels/solver/solver.h"

int main(int argc, char** argv) {
  return morgana::kernels::run_over_mpi(morgana::kernels::solver(), argc, argv);
}
