#include "emulator/collectives/blocks.h"
#include "emulator/collectives/openmpi/algorithms.h"
#include "emulator/collectives/openmpi/decision.h"
#include "emulator/collectives/openmpi/parts.h"
#include "emulator/collectives/power_of_two_group.h"

namespace morgana::collectives::openmpi {
namespace {

/// Calls `with` with the cut of the operands: what each member gets.
template <class With>
void with_result_blocks(const Member& member, With with) {
  if (member.part.kind == CollectiveKind::reduce_scatter_block) {
    with(EqualBlocks(member.part.bytes, member.members));
    return;
  }
  const ListedBlocks blocks(member.part.send_sizes);
  if (blocks.total() > Bytes()) with(blocks);
}

/// A reduce to member 0 and a scatterv (of equal blocks: a scatter) from there.
template <class Blocks>
void nonoverlapping(const Member& member, const Blocks& blocks, ScheduleWriter& writer) {
  const Bytes all = blocks.total(), own = blocks[member.me];
  CollectivePart reduce = part_of_kind(member, CollectiveKind::reduce, all);
  const bool is_block = member.part.kind == CollectiveKind::reduce_scatter_block;
  if (is_block) reduce.in_place = false;  // its root has a buffer of its own
  run_part(member, reduce, blocking_reduce(member.members, all, member.part.commutative), writer);
  if (is_block) {
    CollectivePart scatter = part_of_kind(member, CollectiveKind::scatter, own);
    scatter.in_place = false;
    run_part(member, scatter, blocking_scatter(member.members, own), writer);
    return;
  }
  CollectivePart scatter = part_of_kind(member, CollectiveKind::scatterv, own);
  if (member.me == 0) scatter.send_sizes = member.part.send_sizes;
  openmpi::scatterv_linear({scatter, member.members, member.me}, writer);
}

/// n - 1 rounds around the ring, in which a block is reduced on its way to its member while the next one is
/// received.
template <class Blocks>
void around_ring(const Member& member, const Blocks& blocks, ScheduleWriter& writer) {
  const std::int32_t right = member.after(1), left = member.before(1);
  writer.copy(blocks.total());
  for (std::int32_t round = 1; round < member.members; ++round) {
    const Bytes sent = blocks[member.before(round)];
    writer.receive(left, blocks[member.before(round + 1 == member.members ? 0 : round + 1)]);
    if (round > 1) writer.reduce_alongside(sent);
    writer.send(right, sent);
    writer.fence();
  }
  writer.reduce(blocks[member.me]);
  writer.copy(blocks[member.me]);
}

/// The number whose `bits` bits are those of `number` backwards.
std::int32_t mirrored(std::int32_t number, std::int32_t size) {
  std::int32_t result = 0;
  for (std::int32_t bit = 1; bit < size; bit *= 2) {
    result = 2 * result + (number & 1);
    number /= 2;
  }
  return result;
}

template <class Blocks>
void butterfly(const Member& member, const Blocks& blocks, ScheduleWriter& writer) {
  const PowerOfTwoGroup group(member.members, PowerOfTwoGroup::Staying::odd);
  const Bytes all = blocks.total(), own = blocks[member.me];
  // Equal blocks of a power of two of members are put in mirrored order first and end in their places.
  const bool is_mirrored = member.part.kind == CollectiveKind::reduce_scatter_block && group.rest() == 0;
  writer.copy(all);
  if (group.stays_out(member.me)) {
    writer.blocking_send(group.neighbour(member.me), all);
    writer.blocking_receive(group.member(mirrored(group.number(member.me), group.size())), own);
    return;
  }
  if (group.is_paired(member.me)) {
    writer.blocking_receive(group.neighbour(member.me), all);
    writer.reduce(all);
  }
  const std::int32_t number = group.number(member.me);
  const auto bytes_of = [&](std::int32_t first, std::int32_t count) {
    return blocks.range(group.first_of(first), group.first_of(first + count));
  };
  std::int32_t first = 0, count = group.size();
  for (std::int32_t distance = 1; distance < group.size(); distance *= 2) {
    count /= 2;
    const bool keeps_upper = (number & distance) != 0;
    const std::int32_t kept = keeps_upper ? first + count : first;
    const std::int32_t given = keeps_upper ? first : first + count;
    writer.exchange(group.member(number ^ distance), bytes_of(given, count), bytes_of(kept, count));
    writer.reduce(bytes_of(kept, count));
    first = kept;
  }
  if (is_mirrored) {
    writer.copy(own);
    return;
  }
  // The result's block is that of the member with the mirrored number, and of its neighbour who stays out.
  const std::int32_t owner = group.member(first);
  if (group.is_paired(owner)) writer.blocking_send(group.neighbour(owner), blocks[group.neighbour(owner)]);
  if (owner == member.me)
    writer.copy(own);
  else
    writer.exchange(owner, blocks[owner], own);
}

}  // namespace

// ompi_coll_base_reduce_scatter_intra_nonoverlapping, ompi_coll_base_reduce_scatter_block_basic_linear.
void reduce_scatter_nonoverlapping(const Member& member, ScheduleWriter& writer) {
  with_result_blocks(member, [&](const auto& blocks) { nonoverlapping(member, blocks, writer); });
}

// ompi_coll_base_reduce_scatter_intra_ring.
void reduce_scatter_ring(const Member& member, ScheduleWriter& writer) {
  with_result_blocks(member, [&](const auto& blocks) { around_ring(member, blocks, writer); });
}

// ompi_coll_base_reduce_scatter_intra_butterfly, ompi_coll_base_reduce_scatter_block_intra_butterfly:
// Traff's, with halves at distances 1, 2, 4, ..., which leaves members with blocks in mirrored order.
void reduce_scatter_butterfly(const Member& member, ScheduleWriter& writer) {
  with_result_blocks(member, [&](const auto& blocks) { butterfly(member, blocks, writer); });
}

}  // namespace morgana::collectives::openmpi
