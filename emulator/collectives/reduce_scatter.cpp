#include "emulator/collectives/algorithms.h"
#include "emulator/collectives/rabenseifner.h"
#include "emulator/collectives/recursive_doubling.h"

namespace morgana::collectives {
namespace {

/// Calls `with` with the cut of the operands: what each member gets.
template <class With>
void with_blocks(const Member& member, With with) {
  if (member.part.kind == CollectiveKind::reduce_scatter_block) {
    with(EqualBlocks(member.part.bytes, member.members));
    return;
  }
  const ListedBlocks blocks(member.part.send_sizes);
  if (blocks.total() > Bytes()) with(blocks);
}

template <class Blocks>
void recursive_halving(const Member& member, const Blocks& blocks, ScheduleWriter& writer) {
  const PowerOfTwoGroup group(member.members, PowerOfTwoGroup::Staying::odd);
  const std::int32_t neighbour = group.neighbour(member.me);
  writer.copy(blocks.total());
  if (group.stays_out(member.me)) {
    writer.blocking_send(neighbour, blocks.total());
    if (blocks[member.me] > Bytes()) writer.blocking_receive(neighbour, blocks[member.me]);
    return;
  }
  if (group.is_paired(member.me)) {
    writer.blocking_receive(neighbour, blocks.total());
    writer.reduce(blocks.total());
  }
  const std::int32_t number = group.number(member.me);
  const auto bytes_of = [&](BlockRange numbers) {
    return blocks.range(group.first_of(numbers.first), group.first_of(numbers.last));
  };
  BlockRange mine{0, group.size()};
  for (std::int32_t distance = group.size() / 2; distance > 0; distance /= 2) {
    const bool upper = (number & distance) != 0;
    const BlockRange kept = upper ? mine.upper_half() : mine.lower_half();
    const Bytes outgoing = bytes_of(kept.sibling(upper)), incoming = bytes_of(kept);
    const std::int32_t peer = group.member(number ^ distance);
    if (incoming > Bytes()) writer.receive(peer, incoming);
    if (outgoing > Bytes()) writer.send(peer, outgoing);
    writer.fence();
    writer.reduce(incoming);
    mine = kept;
  }
  writer.copy(blocks[member.me]);
  if (group.is_paired(member.me) && blocks[neighbour] > Bytes())
    writer.blocking_send(neighbour, blocks[neighbour]);
}

template <class Blocks>
void pairwise(const Member& member, const Blocks& blocks, ScheduleWriter& writer) {
  const Bytes own = blocks[member.me];
  if (!member.part.in_place) writer.copy(own);
  for (std::int32_t step = 1; step < member.members; ++step) {
    const std::int32_t to = member.after(step), from = member.before(step);
    writer.send_receive(to, blocks[to], from, own);
    writer.reduce(own);
  }
  if (member.part.in_place && member.me != 0) writer.copy(own);
}

template <class Blocks>
void recursive_doubling(const Member& member, const Blocks& blocks, ScheduleWriter& writer) {
  const std::int32_t members = member.members, me = member.me;
  writer.copy(blocks.total());
  for (std::int32_t distance = 1; distance < members; distance *= 2) {
    const std::int32_t mine = me & ~(distance - 1);
    const std::int32_t theirs = mine ^ distance;
    if (theirs >= members) continue;
    // Nobody needs the operands of blocks that the other group keeps for itself.
    const Bytes incoming = blocks.total() - blocks.range(theirs, std::min(theirs + distance, members));
    const Bytes outgoing = blocks.total() - blocks.range(mine, std::min(mine + distance, members));
    const std::int32_t peer = me ^ distance;
    if (peer < members) writer.exchange(peer, outgoing, incoming);
    if (theirs + distance > members)
      hand_on_to_members_without_partner(
          me, distance, members - theirs, incoming, [](std::int32_t number) { return number; }, writer);
    writer.reduce(incoming);
    if (!member.part.commutative && theirs > mine) writer.copy(incoming);
  }
  writer.copy(blocks[me]);
}

}  // namespace

// Thakur, Rabenseifner and Gropp, 2005, section 6: for operands that commute, up to medium lengths.
// Empty halves are not sent.
void reduce_scatter_recursive_halving(const Member& member, ScheduleWriter& writer) {
  with_blocks(member, [&](const auto& blocks) { recursive_halving(member, blocks, writer); });
}

// For operands that commute, long: n - 1 steps, in each of which everyone sends what one other needs.
void reduce_scatter_pairwise(const Member& member, ScheduleWriter& writer) {
  with_blocks(member, [&](const auto& blocks) { pairwise(member, blocks, writer); });
}

// For operands that don't commute: like allgather by recursive doubling, with operands instead of results.
void reduce_scatter_recursive_doubling(const Member& member, ScheduleWriter& writer) {
  with_blocks(member, [&](const auto& blocks) { recursive_doubling(member, blocks, writer); });
}

// Traff, "An Improved Algorithm for (Non-commutative) Reduce-Scatter with an Application", 2005: equal
// blocks, in mirrored order, among a power of two of members.
void reduce_scatter_noncommutative(const Member& member, ScheduleWriter& writer) {
  with_blocks(member, [&](const auto& blocks) {
    writer.copy(blocks.total());
    std::int32_t shared = member.members;
    for (std::int32_t distance = 1; distance < member.members; distance *= 2) {
      shared /= 2;
      const Bytes half = blocks[0] * shared;
      writer.exchange(member.me ^ distance, half, half);
      writer.reduce(half);
    }
    writer.copy(blocks[0]);
  });
}

}  // namespace morgana::collectives
