#include <algorithm>

#include "emulator/collectives/openmpi/algorithms.h"

namespace morgana::collectives::openmpi {
namespace {

Bytes block_for(const Member& member, std::int32_t peer) {
  const CollectivePart& part = member.part;
  return part.kind == CollectiveKind::alltoall ? part.bytes : part.send_sizes[static_cast<std::size_t>(peer)];
}
Bytes block_of(const Member& member, std::int32_t peer) {
  const CollectivePart& part = member.part;
  return part.kind == CollectiveKind::alltoall ? part.bytes
                                               : part.receive_sizes[static_cast<std::size_t>(peer)];
}

}  // namespace

// ompi_coll_base_alltoall_intra_basic_linear: everything at once, receives from the next member on and sends
// from the one before on.
void alltoall_linear(const Member& member, ScheduleWriter& writer) {
  const Bytes bytes = member.part.bytes;
  writer.copy(bytes);
  for (std::int32_t step = 1; step < member.members; ++step) writer.receive(member.after(step), bytes);
  for (std::int32_t step = 1; step < member.members; ++step) writer.send(member.before(step), bytes);
}

// ompi_coll_base_alltoall_intra_linear_sync: at most so many messages at a time as
// coll_tuned_alltoall_algorithm_max_requests says, of which the default is no limit.
void alltoall_linear_sync(const Member& member, ScheduleWriter& writer) {
  alltoall_linear(member, writer);
}

// ompi_coll_base_alltoall_intra_pairwise: n - 1 rounds around the ring; the own block comes last.
void alltoall_pairwise(const Member& member, ScheduleWriter& writer) {
  const Bytes bytes = member.part.bytes;
  for (std::int32_t step = 1; step < member.members; ++step)
    writer.send_receive(member.after(step), bytes, member.before(step), bytes);
  writer.copy(bytes);
}

// ompi_coll_base_alltoall_intra_bruck: all blocks are copied before and after, and those of a round after it.
void alltoall_bruck(const Member& member, ScheduleWriter& writer) {
  const Bytes bytes = member.part.bytes;
  writer.copy(bytes * member.members);
  for (std::int32_t bit = 1; bit < member.members; bit *= 2) {
    std::int64_t blocks = 0;
    for (std::int32_t number = bit; number < member.members; number += 2 * bit)
      blocks += std::min(bit, member.members - number);
    writer.send_receive(member.after(bit), bytes * blocks, member.before(bit), bytes * blocks);
    writer.copy(bytes * blocks);
  }
  writer.copy(bytes * member.members);
}

void alltoall_two_proc(const Member& member, ScheduleWriter& writer) {
  writer.exchange(1 - member.me, member.part.bytes, member.part.bytes);
  writer.copy(member.part.bytes);
}

// mca_coll_base_alltoall_intra_basic_inplace: for growing distances, blocks are exchanged with the member on
// the right, whose block is copied first, and on the left.
void alltoall_in_place(const Member& member, ScheduleWriter& writer) {
  const Bytes bytes = member.part.bytes;
  for (std::int32_t distance = 1; distance <= member.members / 2; ++distance) {
    const std::int32_t right = member.after(distance), left = member.before(distance);
    writer.copy(bytes);
    if (left != right) writer.send_receive(left, bytes, right, bytes);
    writer.send_receive(right, bytes, left, bytes);
  }
}

// ompi_coll_base_alltoallv_intra_basic_linear: everything at once, in the order of members, empty blocks too.
void alltoallv_linear(const Member& member, ScheduleWriter& writer) {
  writer.copy(block_for(member, member.me));
  for (std::int32_t peer = 0; peer < member.members; ++peer)
    if (peer != member.me) writer.receive(peer, block_of(member, peer));
  for (std::int32_t peer = 0; peer < member.members; ++peer)
    if (peer != member.me) writer.send(peer, block_for(member, peer));
}

// ompi_coll_base_alltoallv_intra_pairwise: the own block comes first; empty blocks are sent.
void alltoallv_pairwise(const Member& member, ScheduleWriter& writer) {
  writer.copy(block_for(member, member.me));
  for (std::int32_t step = 1; step < member.members; ++step) {
    const std::int32_t to = member.after(step), from = member.before(step);
    writer.send_receive(to, block_for(member, to), from, block_of(member, from));
  }
}

// mca_coll_base_alltoallv_intra_basic_inplace: as above; empty blocks are not sent.
void alltoallv_in_place(const Member& member, ScheduleWriter& writer) {
  for (std::int32_t distance = 1; distance <= member.members / 2; ++distance) {
    const std::int32_t right = member.after(distance), left = member.before(distance);
    const Bytes of_right = block_of(member, right), of_left = block_of(member, left);
    writer.copy(of_right);
    if (of_right > Bytes()) writer.receive(right, of_right);
    if (left != right && of_left > Bytes()) {
      writer.send(left, of_left);
      writer.fence();
      writer.receive(left, of_left);
    }
    if (of_right > Bytes()) writer.send(right, of_right);
    writer.fence();
  }
}

// mca_coll_basic_alltoallw_intra: as alltoallv, without empty blocks.
void alltoallw_linear(const Member& member, ScheduleWriter& writer) {
  writer.copy(block_for(member, member.me));
  for (std::int32_t peer = 0; peer < member.members; ++peer)
    if (peer != member.me && block_of(member, peer) > Bytes()) writer.receive(peer, block_of(member, peer));
  for (std::int32_t peer = 0; peer < member.members; ++peer)
    if (peer != member.me && block_for(member, peer) > Bytes()) writer.send(peer, block_for(member, peer));
}

// a2a_sched_linear: everything at once, a receive and a send for each member in order.
void ialltoall_linear(const Member& member, ScheduleWriter& writer) {
  writer.copy_alongside(member.part.bytes);
  for (std::int32_t peer = 0; peer < member.members; ++peer) {
    if (peer == member.me) continue;
    writer.receive(peer, member.part.bytes);
    writer.send(peer, member.part.bytes);
  }
}

// a2av_sched_linear, a2aw_sched_linear: without empty blocks, sends before receives.
void ialltoallv_linear(const Member& member, ScheduleWriter& writer) {
  writer.copy_alongside(block_for(member, member.me));
  for (std::int32_t peer = 0; peer < member.members; ++peer) {
    if (peer == member.me) continue;
    if (block_for(member, peer) > Bytes()) writer.send(peer, block_for(member, peer));
    if (block_of(member, peer) > Bytes()) writer.receive(peer, block_of(member, peer));
  }
}

// a2a_sched_inplace, a2av_sched_inplace, a2aw_sched_inplace: for growing distances, to the right and from the
// left, then back; empty blocks are not sent, but alltoallw's to and from the opposite member are.
void ialltoallv_in_place(const Member& member, ScheduleWriter& writer) {
  const auto exchange = [&](std::int32_t to, std::int32_t from) {
    if (block_of(member, to) > Bytes()) writer.send(to, block_of(member, to));
    if (block_of(member, from) > Bytes()) writer.receive(from, block_of(member, from));
    writer.fence();
  };
  for (std::int32_t distance = 1; distance < (member.members + 1) / 2; ++distance) {
    const std::int32_t right = member.after(distance), left = member.before(distance);
    writer.copy(block_of(member, left));
    exchange(right, left);
    exchange(left, right);
  }
  if (member.members % 2 != 0) return;
  const std::int32_t opposite = member.after(member.members / 2);
  writer.copy(block_of(member, opposite));
  if (member.part.kind == CollectiveKind::alltoallw)
    writer.exchange(opposite, block_of(member, opposite), block_of(member, opposite));
  else
    exchange(opposite, opposite);
}

}  // namespace morgana::collectives::openmpi
