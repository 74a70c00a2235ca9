#include "benchmarks/kernels/common/pvm_face.h"
#include "benchmarks/kernels/is/is.h"

int main(int argc, char** argv) {
  return morgana::kernels::run_over_pvm(morgana::kernels::is(), argc, argv);
}
