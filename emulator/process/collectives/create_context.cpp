#include "emulator/process/collectives/algorithms.h"

namespace morgana::collectives {

// MPICH 4.0's MPIR_Get_contextid_sparse_group: MPI_BAND over MPIR_MAX_CONTEXT_MASK (64) words of free
// identifiers and one word of flags. A second round would be needed only when threads compete for the mask.
const CollectivePart& context_mask_reduction(bool blocking) {
  const auto mask = [](bool blocks) {
    CollectivePart part;
    part.kind = CollectiveKind::allreduce;
    part.in_place = true;
    part.blocking = blocks;
    part.element = Bytes(4);
    part.bytes = part.element * (64 + 1);
    return part;
  };
  static const CollectivePart in_call = mask(true);
  static const CollectivePart in_background = mask(false);
  return blocking ? in_call : in_background;
}

}  // namespace morgana::collectives
