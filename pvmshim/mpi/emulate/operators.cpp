#include "pvmshim/mpi/emulate/operators.h"

#include <map>

#include "pvmshim/mpi/implementations.h"
#include "pvmshim/mpi/real_mpi.h"

namespace morgana::mpi::emulated {
namespace {

struct Use {
  int reductions = 0;  ///< pending ones
  bool freed = false;  ///< by the program
};

std::map<MPI_Op, Use>& operators_in_use() {
  static std::map<MPI_Op, Use> uses;
  return uses;
}

}  // namespace

void keep_operator(MPI_Op op) {
  ++operators_in_use()[op].reductions;
}

void release_operator(MPI_Op op) {
  const auto use = operators_in_use().find(op);
  if (--use->second.reductions > 0) return;
  const bool freed = use->second.freed;
  operators_in_use().erase(use);
  if (freed) real().MPI_Op_free(&op);
}

int Op_free(MPI_Op* op) {
  const auto use = operators_in_use().find(*op);
  if (use == operators_in_use().end()) return real().MPI_Op_free(op);
  use->second.freed = true;
  *op = MPI_OP_NULL;
  return MPI_SUCCESS;
}

}  // namespace morgana::mpi::emulated
