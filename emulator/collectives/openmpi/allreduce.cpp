#include "emulator/collectives/blocks.h"
#include "emulator/collectives/openmpi/algorithms.h"
#include "emulator/collectives/openmpi/decision.h"
#include "emulator/collectives/openmpi/halving.h"
#include "emulator/collectives/openmpi/parts.h"
#include "emulator/collectives/openmpi/segments.h"

namespace morgana::collectives::openmpi {
namespace {

/// A block of the operand for each member, in whole elements; the first ones have those that are left over.
EvenBlocks member_blocks(const Member& member) {
  return {member.part.bytes, member.part.element, member.members, EvenCut::Leftovers::one_each_for_the_first};
}

std::int32_t around(const Member& member, std::int32_t index) {
  return (index % member.members + member.members) % member.members;
}

/// n - 1 rounds around the ring: everyone passes on what it has reduced, the next block being received
/// meanwhile, and ends with the block of the member after it. @param size  of a block
template <class Size>
void reduce_around_ring(const Member& member, Size size, ScheduleWriter& writer) {
  const std::int32_t right = member.after(1), left = member.before(1);
  writer.send_receive(right, size(member.me), left, size(left));
  for (std::int32_t k = 1; k + 1 < member.members; ++k) {
    const std::int32_t block = around(member, member.me - k);
    writer.receive(left, size(around(member, block - 1)));
    writer.reduce_alongside(size(block));
    writer.send(right, size(block));
    writer.fence();
  }
  writer.reduce(size(right));
}

void gather_around_ring(const Member& member, const EvenBlocks& blocks, ScheduleWriter& writer) {
  for (std::int32_t k = 0; k + 1 < member.members; ++k)
    writer.send_receive(member.after(1), blocks[around(member, member.me + 1 - k)], member.before(1),
                        blocks[around(member, member.me - k)]);
}

/// A reduce and a broadcast, both with member 0 for a root.
void reduce_and_broadcast(const Member& member, Algorithm reduce, Algorithm broadcast,
                          ScheduleWriter& writer) {
  const Bytes bytes = member.part.bytes;
  run_part(member, part_of_kind(member, CollectiveKind::reduce, bytes), reduce, writer);
  run_part(member, part_of_kind(member, CollectiveKind::broadcast, bytes), broadcast, writer);
}

}  // namespace

void allreduce_linear(const Member& member, ScheduleWriter& writer) {
  reduce_and_broadcast(member, reduce_linear, broadcast_linear, writer);
}

void allreduce_nonoverlapping(const Member& member, ScheduleWriter& writer) {
  const CollectivePart& part = member.part;
  reduce_and_broadcast(member, blocking_reduce(member.members, part.bytes, part.commutative),
                       blocking_broadcast(member.members, part.bytes), writer);
}

// ompi_coll_base_allreduce_intra_recursivedoubling: as MPICH's, but for the buffers: with every partner of a
// higher number the result changes to the other of two, and it is copied if it ends in the temporary one.
void allreduce_recursive_doubling(const Member& member, ScheduleWriter& writer) {
  const Bytes bytes = member.part.bytes;
  const PowerOfTwoGroup group(member.members, PowerOfTwoGroup::Staying::odd);
  const std::int32_t neighbour = group.neighbour(member.me);
  writer.copy(bytes);
  if (group.stays_out(member.me)) {
    writer.blocking_send(neighbour, bytes);
    writer.blocking_receive(neighbour, bytes);
    return;
  }
  if (group.is_paired(member.me)) {
    writer.blocking_receive(neighbour, bytes);
    writer.reduce(bytes);
  }
  bool in_temporary = true;
  const std::int32_t number = group.number(member.me);
  for (std::int32_t distance = 1; distance < group.size(); distance *= 2) {
    const std::int32_t peer = group.member(number ^ distance);
    writer.exchange(peer, bytes, bytes);
    writer.reduce(bytes);
    if (member.me < peer) in_temporary = !in_temporary;
  }
  if (group.is_paired(member.me)) writer.blocking_send(neighbour, bytes);
  if (in_temporary) writer.copy(bytes);
}

namespace {

/// Of a segmented ring: elements that all members reduce in a phase.
std::int64_t elements_of_phase(const Member& member) {
  return Segments(member).piece().count() / member.part.element.count() * member.members;
}

bool has_block_for_each(const Member& member) {
  return elements_of(member) >= member.members;
}

bool can_halve(const Member& member) {
  return elements_of(member) >= PowerOfTwoGroup(member.members, PowerOfTwoGroup::Staying::even).size() &&
         member.part.commutative;
}

}  // namespace

AllreduceAlgorithm allreduce_in_fact(AllreduceAlgorithm algorithm, const Member& member) {
  if (algorithm == allreduce_segmented_ring && elements_of(member) < elements_of_phase(member))
    algorithm = allreduce_ring;
  if (algorithm == allreduce_ring && !has_block_for_each(member))
    return openmpi::allreduce_recursive_doubling;
  if (algorithm == allreduce_rabenseifner && !can_halve(member)) return allreduce_linear;
  return algorithm;
}

// ompi_coll_base_allreduce_intra_ring: a reduce-scatter, then an allgather around the ring; recursive
// doubling for fewer elements than members.
void allreduce_ring(const Member& member, ScheduleWriter& writer) {
  if (!has_block_for_each(member)) {
    openmpi::allreduce_recursive_doubling(member, writer);
    return;
  }
  const EvenBlocks blocks = member_blocks(member);
  if (!member.part.in_place) writer.copy(member.part.bytes);
  reduce_around_ring(
      member, [&blocks](std::int32_t i) { return blocks[i]; }, writer);
  gather_around_ring(member, blocks, writer);
}

// ompi_coll_base_allreduce_intra_ring_segmented: the reduce-scatter in phases, each of a part of all blocks.
void allreduce_segmented_ring(const Member& member, ScheduleWriter& writer) {
  const Bytes element = member.part.element;
  const std::int64_t elements = elements_of(member);
  const std::int64_t of_phase = elements_of_phase(member);
  if (elements < of_phase) {
    allreduce_ring(member, writer);
    return;
  }
  const std::int64_t rest = elements % of_phase;
  const std::int64_t further = rest >= member.members && rest > of_phase / 2 ? 1 : 0;
  const auto phases = static_cast<std::int32_t>(elements / of_phase + further);
  const EvenBlocks blocks = member_blocks(member);
  if (!member.part.in_place) writer.copy(member.part.bytes);
  for (std::int32_t phase = 0; phase < phases; ++phase)
    reduce_around_ring(
        member,
        [&](std::int32_t i) {
          return EvenBlocks(blocks[i], element, phases, EvenCut::Leftovers::one_each_for_the_first)[phase];
        },
        writer);
  gather_around_ring(member, blocks, writer);
}

// ompi_coll_base_allreduce_intra_redscat_allgather: Rabenseifner's. Linear where there are fewer elements
// than members in the power of two, or operands don't commute.
void allreduce_rabenseifner(const Member& member, ScheduleWriter& writer) {
  const CollectivePart& part = member.part;
  const PowerOfTwoGroup group(member.members, PowerOfTwoGroup::Staying::even);
  if (!can_halve(member)) {
    allreduce_linear(member, writer);
    return;
  }
  if (!part.in_place) writer.copy(part.bytes);
  fold_odd_members(member, group, writer);
  const std::int32_t neighbour = group.neighbour(member.me);
  if (group.stays_out(member.me)) {
    writer.blocking_receive(neighbour, part.bytes);
    return;
  }
  const Halving halving(part, group, group.number(member.me));
  halving.reduce_scatter(writer);
  halving.allgather(writer);
  if (group.is_paired(member.me)) writer.blocking_send(neighbour, part.bytes);
}

// allred_sched_ring: the same two rings; everyone first sends the block of the member after it and ends the
// reductions with its own.
void iallreduce_ring(const Member& member, ScheduleWriter& writer) {
  const EvenBlocks blocks = member_blocks(member);
  const std::int32_t right = member.after(1), left = member.before(1);
  for (std::int32_t round = 0; round + 1 < 2 * member.members - 1; ++round) {
    const Bytes sent = blocks[around(member, member.me + 1 - round)];
    const Bytes received = blocks[around(member, member.me - round)];
    writer.send(right, sent);
    writer.receive(left, received);
    writer.fence();
    if (round < member.members - 1) writer.reduce(received);
  }
}

}  // namespace morgana::collectives::openmpi
