#include "benchmarks/kernels/common/pvm_face.h"
#include "benchmarks/kernels/solver/solver.h"

int main(int argc, char** argv) {
  return morgana::kernels::run_over_pvm(morgana::kernels::solver(), argc, argv);
}
