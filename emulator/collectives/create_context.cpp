#include "emulator/collectives/algorithms.h"

namespace morgana::collectives {
namespace {

/// The same part for calls that block and for those that don't.
struct Forms {
  CollectivePart blocking, nonblocking;

  explicit Forms(const CollectivePart& part) : blocking(part), nonblocking(part) {
    nonblocking.blocking = false;
  }
  const CollectivePart& of(bool blocks) const { return blocks ? blocking : nonblocking; }
};

}  // namespace

// MPIR_Get_contextid_sparse_group: MPI_BAND over MPIR_MAX_CONTEXT_MASK (64) words of free identifiers and one
// word of flags. A second round would be needed only where threads compete for the mask.
const CollectivePart& context_mask_reduction(bool blocking) {
  static const Forms mask([] {
    CollectivePart part;
    part.kind = CollectiveKind::allreduce;
    part.in_place = true;
    part.element = Bytes(4);
    part.bytes = part.element * (64 + 1);
    return part;
  }());
  return mask.of(blocking);
}

// MPIR_Comm_commit: the first member counts its communicators and tells the others the new one's number.
const CollectivePart& context_number_broadcast(bool blocking) {
  static const Forms number([] {
    CollectivePart part;
    part.kind = CollectiveKind::broadcast;
    part.bytes = Bytes(4);
    return part;
  }());
  return number.of(blocking);
}

}  // namespace morgana::collectives
