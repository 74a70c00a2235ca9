#include "emulator/collectives/algorithms.h"
#include "emulator/collectives/blocks.h"
#include "emulator/collectives/recursive_doubling.h"

namespace morgana::collectives {
namespace {

/// The distance at which a member receives in a binomial tree: the lowest bit of its number, and for the
/// root the first power of two that reaches all members.
std::int32_t parent_distance(const Member& member, std::int32_t number) {
  std::int32_t distance = 1;
  while (distance < member.members && (number & distance) == 0) distance *= 2;
  return distance;
}

/// Blocks that the member with number `child` gets in the scatter from its parent at `distance`.
/// The nonblocking form takes what a member may get for what it has, so that the first thing that members
/// other than the root pass on reaches to the message's end.
Bytes scattered_to(const Member& member, std::int32_t child, std::int32_t distance,
                   const CeilingBlocks& blocks) {
  const std::int32_t parent = child - distance, next_child = parent + 2 * distance;
  const bool is_first =
      next_child >= member.members || next_child - parent >= parent_distance(member, parent);
  return blocks.range(child, is_first && !member.part.blocking ? member.members : child + distance);
}

/// Binomial scatter of the message's blocks; members whose blocks are empty are left out.
void scatter_for_broadcast(const Member& member, const CeilingBlocks& blocks, ScheduleWriter& writer) {
  const std::int32_t number = member.number_from_root();
  std::int32_t distance = parent_distance(member, number);
  if (number != 0) {
    const Bytes incoming = scattered_to(member, number, distance, blocks);
    if (incoming > Bytes()) writer.blocking_receive(member.numbered_from_root(number - distance), incoming);
  }
  for (distance /= 2; distance > 0; distance /= 2) {
    const std::int32_t child = number + distance;
    if (child >= member.members) continue;
    const Bytes outgoing = scattered_to(member, child, distance, blocks);
    if (outgoing > Bytes()) writer.blocking_send(member.numbered_from_root(child), outgoing);
  }
}

}  // namespace

// MPIR_Bcast_intra_binomial: for short messages; ceil(log2 n) steps. The nonblocking form
// (MPIR_Ibcast_intra_sched_binomial) starts all its sends at once.
void broadcast_binomial(const Member& member, ScheduleWriter& writer) {
  const Bytes bytes = member.part.bytes;
  const std::int32_t number = member.number_from_root();
  std::int32_t distance = parent_distance(member, number);
  if (number != 0) writer.blocking_receive(member.numbered_from_root(number - distance), bytes);
  for (distance /= 2; distance > 0; distance /= 2) {
    if (number + distance >= member.members) continue;
    writer.send(member.numbered_from_root(number + distance), bytes);
    if (member.part.blocking) writer.fence();
  }
}

// Van de Geijn's algorithm in Thakur, Rabenseifner and Gropp, "Optimization of Collective Communication
// Operations in MPICH", 2005, section 5: scatter, then allgather by recursive doubling.
void broadcast_scatter_recursive_doubling_allgather(const Member& member, ScheduleWriter& writer) {
  scatter_and_recursive_doubling_allgather(member, Bytes(1), writer);
}
void scatter_and_recursive_doubling_allgather(const Member& member, Bytes element, ScheduleWriter& writer) {
  const CeilingBlocks blocks(member.part.bytes, member.members, element);
  scatter_for_broadcast(member, blocks, writer);
  gather_by_recursive_doubling(
      member.number_from_root(), blocks,
      [&member](std::int32_t number) { return member.numbered_from_root(number); }, writer);
}

// As above, with a ring for the allgather: for long messages.
void broadcast_scatter_ring_allgather(const Member& member, ScheduleWriter& writer) {
  scatter_and_ring_allgather(member, Bytes(1), writer);
}
void scatter_and_ring_allgather(const Member& member, Bytes element, ScheduleWriter& writer) {
  const CeilingBlocks blocks(member.part.bytes, member.members, element);
  scatter_for_broadcast(member, blocks, writer);
  const std::int32_t right = member.after(1 % member.members), left = member.before(1 % member.members);
  std::int32_t held = member.number_from_root();
  for (std::int32_t step = 1; step < member.members; ++step) {
    const std::int32_t next = held == 0 ? member.members - 1 : held - 1;
    writer.send_receive(right, blocks[held], left, blocks[next]);
    held = next;
  }
}

}  // namespace morgana::collectives
