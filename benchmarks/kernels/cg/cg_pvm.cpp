#include "benchmarks/kernels/cg/cg.h"
#include "benchmarks/kernels/common/pvm_face.h"

int main(int argc, char** argv) {
  return morgana::kernels::run_over_pvm(morgana::kernels::cg(), argc, argv);
}
