#include <algorithm>

#include "emulator/collectives/algorithms.h"

namespace morgana::collectives {
namespace {

/// MPIR_CVAR_ALLTOALL_THROTTLE: so many receives and sends are outstanding at a time.
constexpr std::int32_t outstanding = 32;

/// How many of the numbers 1 .. count-1 have the bit `bit` set.
std::int32_t numbers_with_bit(std::int32_t bit, std::int32_t count) {
  return count / (2 * bit) * bit + std::max(0, count % (2 * bit) - bit);
}

/// Partners of step 1, 2, ... n-1: by exclusive or where n is a power of two, else around the ring.
struct Partners {
  std::int32_t to, from;
};
Partners pairwise_partners(const Member& member, std::int32_t step) {
  if (is_power_of_two(member.members)) return {member.me ^ step, member.me ^ step};
  return {member.after(step), member.before(step)};
}

Bytes sent_to(const Member& member, std::int32_t peer) {
  return member.part.send_sizes[static_cast<std::size_t>(peer)];
}
Bytes received_from(const Member& member, std::int32_t peer) {
  return member.part.receive_sizes[static_cast<std::size_t>(peer)];
}

}  // namespace

// Bruck et al., 1997: blocks hop by the bits of their distance; ceil(log2 n) messages, but every block
// travels log2(n)/2 times on average. Packed for each step and put in order at the end.
void alltoall_bruck(const Member& member, ScheduleWriter& writer) {
  const Bytes all = member.part.bytes * member.members;
  writer.copy(all);
  for (std::int32_t bit = 1; bit < member.members; bit *= 2) {
    const Bytes moved = member.part.bytes * numbers_with_bit(bit, member.members);
    writer.copy(moved);
    writer.send_receive(member.after(bit), moved, member.before(bit), moved);
  }
  writer.copy(all);
  writer.copy(all);
}

// MPIR_Alltoall_intra_scattered: everything at once, some at a time, starting with different peers.
void alltoall_scattered(const Member& member, ScheduleWriter& writer) {
  const Bytes bytes = member.part.bytes;
  for (std::int32_t begin = 0; begin < member.members; begin += outstanding) {
    const std::int32_t end = std::min(begin + outstanding, member.members);
    if (begin == 0) writer.copy_alongside(bytes);
    for (std::int32_t step = std::max(begin, 1); step < end; ++step)
      writer.receive(member.after(step), bytes);
    for (std::int32_t step = std::max(begin, 1); step < end; ++step) writer.send(member.before(step), bytes);
    writer.fence();
  }
}

// MPIR_Alltoall_intra_pairwise: n - 1 steps, one partner each.
void alltoall_pairwise(const Member& member, ScheduleWriter& writer) {
  const Bytes bytes = member.part.bytes;
  writer.copy(bytes);
  for (std::int32_t step = 1; step < member.members; ++step) {
    const auto [to, from] = pairwise_partners(member, step);
    writer.send_receive(to, bytes, from, bytes);
  }
}

// MPIR_Alltoall_intra_pairwise_sendrecv_replace: in place; all pairs in one order that everyone keeps.
void alltoall_pairwise_replace(const Member& member, ScheduleWriter& writer) {
  const Bytes bytes = member.part.bytes;
  for (std::int32_t peer = 0; peer < member.members; ++peer) {
    if (peer == member.me) continue;
    writer.copy(bytes);
    writer.exchange(peer, bytes, bytes);
  }
}

// MPIR_Alltoallv_intra_scattered, MPIR_Alltoallw_intra_scattered: empty blocks are not sent.
void alltoallv_scattered(const Member& member, ScheduleWriter& writer) {
  for (std::int32_t begin = 0; begin < member.members; begin += outstanding) {
    const std::int32_t end = std::min(begin + outstanding, member.members);
    if (begin == 0) writer.copy_alongside(sent_to(member, member.me));
    for (std::int32_t step = std::max(begin, 1); step < end; ++step) {
      const std::int32_t peer = member.after(step);
      if (received_from(member, peer) > Bytes()) writer.receive(peer, received_from(member, peer));
    }
    for (std::int32_t step = std::max(begin, 1); step < end; ++step) {
      const std::int32_t peer = member.before(step);
      if (sent_to(member, peer) > Bytes()) writer.send(peer, sent_to(member, peer));
    }
    writer.fence();
  }
}

// The pairwise exchange of alltoall, as MPIR_Alltoallv_inter_pairwise_exchange does it between groups:
// empty blocks are not sent.
void alltoallv_pairwise(const Member& member, ScheduleWriter& writer) {
  writer.copy(sent_to(member, member.me));
  for (std::int32_t step = 1; step < member.members; ++step) {
    const auto [to, from] = pairwise_partners(member, step);
    if (received_from(member, from) > Bytes()) writer.receive(from, received_from(member, from));
    if (sent_to(member, to) > Bytes()) writer.send(to, sent_to(member, to));
    writer.fence();
  }
}

// MPIR_Alltoallv_intra_pairwise_sendrecv_replace: in place, where what is sent to a peer is as long as what
// comes from it. Empty blocks are sent.
void alltoallv_pairwise_replace(const Member& member, ScheduleWriter& writer) {
  for (std::int32_t peer = 0; peer < member.members; ++peer) {
    if (peer == member.me) continue;
    const Bytes bytes = received_from(member, peer);
    writer.copy(bytes);
    writer.exchange(peer, bytes, bytes);
  }
}

}  // namespace morgana::collectives
