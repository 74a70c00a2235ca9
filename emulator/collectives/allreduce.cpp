#include "emulator/collectives/algorithms.h"
#include "emulator/collectives/rabenseifner.h"

namespace morgana::collectives {
namespace {

/// What comes before and after the work of the power of two of members.
/// @param work  of those who stay
template <class Work>
void within_power_of_two(const Member& member, const PowerOfTwoGroup& group, ScheduleWriter& writer,
                         Work work) {
  const Bytes bytes = member.part.bytes;
  if (!member.part.in_place) writer.copy(bytes);
  const std::int32_t neighbour = group.neighbour(member.me);
  if (group.stays_out(member.me)) {
    writer.blocking_send(neighbour, bytes);
    writer.blocking_receive(neighbour, bytes);
    return;
  }
  if (group.is_paired(member.me)) {
    writer.blocking_receive(neighbour, bytes);
    writer.reduce(bytes);
  }
  work(group.number(member.me));
  if (group.is_paired(member.me)) writer.blocking_send(neighbour, bytes);
}

}  // namespace

// Thakur, Rabenseifner and Gropp, 2005, section 8: partners at distances 1, 2, 4, ... exchange all that they
// have reduced.
void allreduce_recursive_doubling(const Member& member, ScheduleWriter& writer) {
  const Bytes bytes = member.part.bytes;
  const PowerOfTwoGroup group(member.members, PowerOfTwoGroup::Staying::odd);
  within_power_of_two(member, group, writer, [&](std::int32_t number) {
    for (std::int32_t distance = 1; distance < group.size(); distance *= 2) {
      const std::int32_t peer = group.member(number ^ distance);
      writer.exchange(peer, bytes, bytes);
      writer.reduce(bytes);
      // Operands that don't commute end up in the receive buffer when the peer's come second.
      if (!member.part.commutative && peer > member.me) writer.copy(bytes);
    }
  });
}

// Rabenseifner's algorithm (ibid.): reduce-scatter by recursive halving, then allgather by recursive
// doubling.
void allreduce_reduce_scatter_allgather(const Member& member, ScheduleWriter& writer) {
  const PowerOfTwoGroup group(member.members, PowerOfTwoGroup::Staying::odd);
  within_power_of_two(member, group, writer, [&](std::int32_t number) {
    const EvenBlocks blocks = operand_blocks(member.part, group);
    BlockRange mine = halve_from_distance_one(number, group, blocks, writer);
    for (std::int32_t distance = group.size() / 2; distance > 0; distance /= 2) {
      const BlockRange theirs = mine.sibling((number & distance) != 0);
      writer.exchange(group.member(number ^ distance), blocks.range(mine.first, mine.last),
                      blocks.range(theirs.first, theirs.last));
      mine = mine.joined(theirs);
    }
  });
}

}  // namespace morgana::collectives
