#include "benchmarks/kernels/common/pvm_face.h"
#include "benchmarks/kernels/pde1/pde1.h"

int main(int argc, char** argv) {
  return morgana::kernels::run_over_pvm(morgana::kernels::pde1(), argc, argv);
}
