#include "benchmarks/kernels/common/mpi_face.h"
#include "benchmarks/kernels/is/is.h"

int main(int argc, char** argv) {
  return morgana::kernels::run_over_mpi(morgana::kernels::is(), argc, argv);
}
