#include <numeric>

#include "emulator/collectives/blocks.h"
#include "emulator/collectives/openmpi/algorithms.h"
#include "emulator/collectives/openmpi/decision.h"
#include "emulator/collectives/openmpi/parts.h"

namespace morgana::collectives::openmpi {
namespace {

ListedBlocks gathered_blocks(const Member& member) {
  return ListedBlocks(member.part.receive_sizes);
}

/// What everyone writes before the rounds.
void place_own_block(const Member& member, Bytes own, ScheduleWriter& writer) {
  if (!member.part.in_place) writer.copy(own);
}

/// ceil(log2 n) rounds: growing runs of blocks from the member's own on go to members 2^k places back.
template <class Blocks>
void send_growing_runs(const Member& member, const Blocks& blocks, ScheduleWriter& writer) {
  for (std::int32_t distance = 1; distance < member.members; distance *= 2) {
    const std::int32_t length = std::min(distance, member.members - distance);
    const std::int32_t from = member.after(distance);
    writer.send_receive(member.before(distance), blocks.around(member.me, length), from,
                        blocks.around(from, length));
  }
}

/// n / 2 rounds: neighbours exchange their blocks, and then, alternating between their two neighbours, the
/// two blocks that came last. For an even number of members.
template <class Blocks>
void exchange_with_neighbors(const Member& member, const Blocks& blocks, ScheduleWriter& writer) {
  const bool is_even = member.me % 2 == 0;
  const std::int32_t first = is_even ? member.after(1) : member.before(1);
  const std::int32_t second = is_even ? member.before(1) : member.after(1);
  writer.exchange(first, blocks[member.me], blocks[first]);
  const auto pair = [&](std::int32_t number) { return blocks.range(number, number + 2); };
  const std::int32_t own = member.me - member.me % 2;  // first of the pair of which one has both now
  std::int32_t sent = own, from_first = own, from_second = own;
  for (std::int32_t round = 1; round < member.members / 2; ++round) {
    const bool to_second = round % 2 != 0;
    const std::int32_t step = is_even == to_second ? -2 : 2;
    std::int32_t& received = to_second ? from_second : from_first;
    received = (received + step + member.members) % member.members;
    writer.exchange(to_second ? second : first, pair(sent), pair(received));
    sent = received;
  }
}

}  // namespace

// ompi_coll_base_allgather_intra_basic_linear: a gather to member 0 and a broadcast of all.
void allgather_linear(const Member& member, ScheduleWriter& writer) {
  const Bytes block = member.part.bytes, all = block * member.members;
  run_part(member, part_of_kind(member, CollectiveKind::gather, block),
           blocking_gather(member.members, block), writer);
  run_part(member, part_of_kind(member, CollectiveKind::broadcast, all),
           blocking_broadcast(member.members, all), writer);
}

// ompi_coll_base_allgather_intra_bruck: at the end the blocks are moved to their places through a temporary
// buffer for those from the member's own on.
void allgather_bruck(const Member& member, ScheduleWriter& writer) {
  const Bytes block = member.part.bytes;
  if (!member.part.in_place || member.me != 0) writer.copy(block);
  send_growing_runs(member, EqualBlocks(block, member.members), writer);
  if (member.me != 0) writer.copy(block * (2 * member.members - member.me));
}

// ompi_coll_base_allgather_intra_recursivedoubling: Bruck's where the number of members is no power of two.
void allgather_recursive_doubling(const Member& member, ScheduleWriter& writer) {
  (is_power_of_two(member.members) ? collectives::allgather_recursive_doubling : allgather_bruck)(member,
                                                                                                  writer);
}

// ompi_coll_base_allgather_intra_neighborexchange: a ring for an odd number of members.
void allgather_neighbor_exchange(const Member& member, ScheduleWriter& writer) {
  if (member.members % 2 != 0) {
    collectives::allgather_ring(member, writer);
    return;
  }
  place_own_block(member, member.part.bytes, writer);
  exchange_with_neighbors(member, EqualBlocks(member.part.bytes, member.members), writer);
}

void allgather_two_proc(const Member& member, ScheduleWriter& writer) {
  writer.exchange(1 - member.me, member.part.bytes, member.part.bytes);
  place_own_block(member, member.part.bytes, writer);
}

// ompi_coll_base_allgatherv_intra_basic_default: a gatherv to member 0 and a broadcast of all.
void allgatherv_linear(const Member& member, ScheduleWriter& writer) {
  const std::vector<Bytes>& sizes = member.part.receive_sizes;
  const Bytes all = sum(sizes);
  CollectivePart gather = part_of_kind(member, CollectiveKind::gatherv, all);
  gather.in_place = false;
  gather.bytes = sizes[static_cast<std::size_t>(member.me)];
  if (member.me == 0) gather.receive_sizes = sizes;
  openmpi::gatherv_linear({gather, member.members, member.me}, writer);
  writer.fence();
  run_part(member, part_of_kind(member, CollectiveKind::broadcast, all),
           blocking_broadcast(member.members, all), writer);
}

// MPI_Allgatherv itself returns where there is nothing to gather.

// ompi_coll_base_allgatherv_intra_bruck: blocks are received in their places.
void allgatherv_bruck(const Member& member, ScheduleWriter& writer) {
  const ListedBlocks blocks = gathered_blocks(member);
  if (blocks.total() == Bytes()) return;
  place_own_block(member, blocks[member.me], writer);
  send_growing_runs(member, blocks, writer);
}

// ompi_coll_base_allgatherv_intra_ring: whole blocks, empty ones too.
void allgatherv_ring(const Member& member, ScheduleWriter& writer) {
  const ListedBlocks blocks = gathered_blocks(member);
  if (blocks.total() == Bytes()) return;
  place_own_block(member, blocks[member.me], writer);
  for (std::int32_t round = 0; round + 1 < member.members; ++round)
    writer.send_receive(member.after(1), blocks[member.before(round)], member.before(1),
                        blocks[member.before(round + 1)]);
}

void allgatherv_neighbor_exchange(const Member& member, ScheduleWriter& writer) {
  if (member.members % 2 != 0) {
    openmpi::allgatherv_ring(member, writer);
    return;
  }
  const ListedBlocks blocks = gathered_blocks(member);
  if (blocks.total() == Bytes()) return;
  place_own_block(member, blocks[member.me], writer);
  exchange_with_neighbors(member, blocks, writer);
}

void allgatherv_two_proc(const Member& member, ScheduleWriter& writer) {
  const ListedBlocks blocks = gathered_blocks(member);
  if (blocks.total() == Bytes()) return;
  writer.exchange(1 - member.me, blocks[member.me], blocks[1 - member.me]);
  place_own_block(member, blocks[member.me], writer);
}

// allgather_sched_linear: everything at once, in the order of members.
void iallgather_linear(const Member& member, ScheduleWriter& writer) {
  place_own_block(member, member.part.bytes, writer);
  for (std::int32_t peer = 0; peer < member.members; ++peer) {
    if (peer == member.me) continue;
    writer.receive(peer, member.part.bytes);
    writer.send(peer, member.part.bytes);
  }
}

// nbc_iallgatherv.c: everything at once, around the ring.
void iallgatherv_linear(const Member& member, ScheduleWriter& writer) {
  const ListedBlocks blocks = gathered_blocks(member);
  place_own_block(member, blocks[member.me], writer);
  for (std::int32_t step = 1; step < member.members; ++step) {
    writer.receive(member.before(step), blocks[member.before(step)]);
    writer.send(member.after(step), blocks[member.me]);
  }
}

}  // namespace morgana::collectives::openmpi
