#pragma once

#include "emulator/collectives/algorithms.h"

namespace morgana::collectives::openmpi {

/// Open MPI 4.1.4's default choice, by kind, number of members, message size and whether the
/// operation commutes, on an ordinary communicator of at least two members. Blocking forms: the fixed
/// decision functions of its component "tuned" (ompi/mca/coll/tuned/coll_tuned_decision_fixed.c); what that
/// leaves to "basic" (gatherv, scatterv, alltoallw, scan, exscan, neighbourhoods) is linear. An allgather in
/// place goes by the send count, which MPI says to ignore there: by the part's `send_sizes`; none: 0 bytes.
/// Nonblocking forms: "libnbc".
Algorithm choice(const Member& member);

// The tables of "tuned", for the algorithms that are made of other kinds' collectives.
Algorithm blocking_broadcast(std::int32_t members, Bytes message);
Algorithm blocking_reduce(std::int32_t members, Bytes message, bool commutative);
Algorithm blocking_gather(std::int32_t members, Bytes block);
Algorithm blocking_scatter(std::int32_t members, Bytes block);

}  // namespace morgana::collectives::openmpi
