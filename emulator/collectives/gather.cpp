#include <algorithm>

#include "emulator/collectives/algorithms.h"

namespace morgana::collectives {
namespace {

/// MPIR_CVAR_GATHER_VSMALL_MSG_SIZE: shorter contributions are collected in a buffer of their own.
constexpr Bytes very_small{1024};

/// Blocks that the root gets from the subtree at `distance` and that end beyond the last member, so that a
/// root other than member 0 has to place them in two pieces.
bool wraps_around(const Member& root, std::int32_t distance, std::int32_t blocks) {
  const std::int32_t first = root.me + distance, end = first + blocks;
  return end != root.members && first % root.members >= end % root.members;
}

}  // namespace

// MPIR_Gather_intra_binomial: ceil(log2 n) steps.
void gather_binomial(const Member& member, ScheduleWriter& writer) {
  const Bytes bytes = member.part.bytes;
  const std::int32_t number = member.number_from_root();
  const bool small = bytes < very_small;
  if (number == 0 ? !member.part.in_place : small) writer.copy(bytes);

  std::int32_t held = 1, to_reorder = 0;
  for (std::int32_t distance = 1; distance < member.members; distance *= 2) {
    if ((number & distance) != 0) {
      writer.blocking_send(member.numbered_from_root(number - distance), bytes * held);
      break;
    }
    const std::int32_t child = number + distance;
    if (child >= member.members) continue;
    const std::int32_t blocks = std::min(distance, member.members - child);
    writer.blocking_receive(member.numbered_from_root(child), bytes * blocks);
    held += blocks;
    if (number == 0 && small && wraps_around(member, distance, blocks)) to_reorder = blocks;
  }
  writer.copy(bytes * to_reorder);
}

// Everyone sends to the root, which has posted all receives.
void gather_linear(const Member& member, ScheduleWriter& writer) {
  const Bytes bytes = member.part.bytes;
  if (!member.is_root()) {
    writer.send(member.part.root, bytes);
    return;
  }
  if (!member.part.in_place) writer.copy_alongside(bytes);
  for (std::int32_t peer = 0; peer < member.members; ++peer)
    if (peer != member.me) writer.receive(peer, bytes);
}

// MPIR_Gatherv_allcomm_linear: only the root knows the sizes. Empty contributions are not sent.
void gatherv_linear(const Member& member, ScheduleWriter& writer) {
  if (!member.is_root()) {
    if (member.part.bytes > Bytes()) writer.send(member.part.root, member.part.bytes);
    return;
  }
  for (std::int32_t peer = 0; peer < member.members; ++peer) {
    const Bytes bytes = member.part.receive_sizes[static_cast<std::size_t>(peer)];
    if (peer == member.me) {
      if (!member.part.in_place) writer.copy_alongside(bytes);
    } else if (bytes > Bytes()) {
      writer.receive(peer, bytes);
    }
  }
}

}  // namespace morgana::collectives
