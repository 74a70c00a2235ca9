#pragma once

#include <cstdint>

#include "emulator/operations/operation.h"

namespace morgana {

/// The data that a rank passes to a collective and that it gets from it: the bytes of a call, as summaries,
/// results, pages and statistics of traces show them. Each byte of the rank's send buffer counts once,
/// however many ranks get it and however the library forwards it; each byte of its result counts once. A call
/// in place counts as the same call with two buffers. What the network carries is another quantity: HostUse.
///
/// | collective | given | received |
/// | --- | --- | --- |
/// | broadcast | at the root the message | elsewhere the message |
/// | scatter(v) | at the root all blocks | its own block |
/// | gather(v) | its own block | at the root all blocks |
/// | allgather(v) | its own block | all blocks |
/// | alltoall(v, w) | all blocks that it sends | all blocks that it receives |
/// | reduce | its vector | at the root the vector |
/// | allreduce, scan | its vector | the vector |
/// | exscan | its vector | the vector, but nothing at the first member |
/// | reduce_scatter(_block) | its vector | its own block |
/// | neighbor_allgather(v) | its block, if it has a destination | the blocks of its sources |
/// | neighbor_alltoall(v, w) | the blocks of its destinations | the blocks of its sources |
/// | barrier, create_context | nothing | nothing |
///
/// "All" is all members, the rank itself included; on an intercommunicator all members of the other group,
/// and those of the root's group other than the root give and receive nothing.
struct CollectivePayload {
  Bytes given, received;
  bool operator==(const CollectivePayload&) const = default;
};

/// @param members  of the context, > 0
/// @param me  the rank's index among them
CollectivePayload payload_of(const CollectivePart& part, std::uint32_t members, std::uint32_t me);

}  // namespace morgana
