#include "benchmarks/kernels/common/pvm_face.h"
#include "benchmarks/kernels/ep/ep.h"

int main(int argc, char** argv) {
  return morgana::kernels::run_over_pvm(morgana::kernels::ep(), argc, argv);
}
