#pragma once

#include <mpi.h>

#include "pvmshim/mpi/emulate/onesided/remote_data.h"

namespace morgana::mpi::emulated {

// What the accesses do to the target's memory, when they have completed. Those that combine hold the target's
// mutex, so that each element changes in one step. @return MPI_SUCCESS, or MPI_ERR_RMA_RANGE if there is no
// such memory.

int move_put(OriginData& origin, const TargetData& target);
int move_get(const OriginRoom& room, const TargetData& target);
/// @param fetched  where the target's data before go; may be null
int move_accumulate(OriginData& origin, const OriginRoom* fetched, const TargetData& target, MPI_Op op);
/// @param compared  packed, as long as the data
int move_compare_and_swap(OriginData& origin, OriginData& compared, const OriginRoom& fetched,
                          const TargetData& target);

}  // namespace morgana::mpi::emulated
