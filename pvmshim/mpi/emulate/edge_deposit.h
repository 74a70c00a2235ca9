#pragma once

#include <span>
#include <vector>

#include "pvmshim/mpi/collective_parts.h"
#include "pvmshim/mpi/emulate/payloads.h"

namespace morgana::mpi::emulated {

/// Deposits one block for each edge that leads away from this rank; the rank that an edge leads to reads it,
/// unless it is empty. Layout: their number, for each where it leads to and where its block ends (from the
/// first block), all 64-bit integers, then the blocks.
/// @param destinations  members, or MPI_PROC_NULL: those edges carry nothing
std::uint64_t deposit_edges(const void* data, const ItemsByRank& blocks,
                            const std::vector<int>& destinations);

/// The block of the edge `number` (from 0) of those that lead to `member`. @throws Error if there is none
std::span<const std::byte> edge_in(const Payload& deposit, int member, int number);

}  // namespace morgana::mpi::emulated
