#include "benchmarks/kernels/common/pvm_face.h"
#include "benchmarks/kernels/pde2/pde2.h"

int main(int argc, char** argv) {
  return morgana::kernels::run_over_pvm(morgana::kernels::pde2(), argc, argv);
}
