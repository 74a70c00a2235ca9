#pragma once

#include <mpi.h>

#include <span>
#include <vector>

#include "pvmshim/mpi/collective_parts.h"
#include "pvmshim/mpi/emulate/payloads.h"

namespace morgana::mpi::emulated {

/// Deposits one block for each peer. Those whose block is not empty read it; its owner does not.
/// @param owner  MPI_PROC_NULL if it is none of them (intercommunicators)
/// Layout: where each block ends (a 64-bit offset per member, from the first block), then the blocks.
std::uint64_t deposit_blocks(const void* data, const ItemsByRank& blocks, const std::vector<Bytes>& sizes,
                             int owner);

/// The block of `member` in such a deposit. @throws Error if the deposit is none
std::span<const std::byte> block_in(const Payload& deposit, int member, int members);

}  // namespace morgana::mpi::emulated
