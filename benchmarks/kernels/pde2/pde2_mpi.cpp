#include "benchmarks/kernels/common/mpi_face.h"
#include "benchmarks/kernels/pde2/pde2.h"

int main(int argc, char** argv) {
  return morgana::kernels::run_over_mpi(morgana::kernels::pde2(), argc, argv);
}
