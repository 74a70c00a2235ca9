#include "benchmarks/kernels/cg/cg.h"
#include "benchmarks/kernels/common/mpi_face.h"

int main(int argc, char** argv) {
  return morgana::kernels::run_over_mpi(morgana::kernels::cg(), argc, argv);
}
