#pragma once

#include <cstdint>

#include "emulator/operations/operation.h"

namespace morgana {

/// How many bytes a rank's part of a collective counts as sent and as received in a trace.
struct CollectiveTotals {
  std::uint64_t sent = 0, received = 0;
  bool operator==(const CollectiveTotals&) const = default;
};

/// The totals that Score-P records (scorep_mpi_coll, version 8), as if a rank exchanged with each member,
/// itself included unless the call is in place:
///
/// | collective | sent | received |
/// | --- | --- | --- |
/// | broadcast, scatter(v) | at the root n blocks, else 0 | one block |
/// | gather(v), reduce | one block | at the root n blocks, else 0 |
/// | allgather, alltoall, allreduce, reduce_scatter_block | n blocks | n blocks |
/// | allgatherv | n times its own block | the sum of all |
/// | alltoallv, alltoallw | the sum of its list | the sum of its list |
/// | reduce_scatter | the sum of the list | n times its own block |
/// | scan | one block to itself and each higher member | one block from itself and each lower |
/// | exscan | the same without itself | the same without itself |
CollectiveTotals totals_of(const CollectivePart& part, std::uint32_t members, std::uint32_t me);

/// The part that these totals most plausibly stand for: the table above, read backwards. A total that isn't
/// a multiple of n but of n-1 counts as in place. Where single sizes are wanted and only their sum is known,
/// the sum is spread evenly, what is left over one byte each over the lowest members; a member's own size is
/// exact where a total gives it. An element is one byte, a reduction commutative. Sets all but `root` and
/// `blocking`; neighbours can't be derived and are left empty.
void derive_part(CollectiveKind kind, std::uint32_t members, std::uint32_t me, const CollectiveTotals& totals,
                 CollectivePart& part);

}  // namespace morgana
