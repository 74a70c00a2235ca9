#include "emulator/collectives/algorithms.h"
#include "emulator/collectives/rabenseifner.h"

namespace morgana::collectives {
namespace {

void copy_own_operand(const Member& member, ScheduleWriter& writer) {
  if (!member.is_root() || !member.part.in_place) writer.copy(member.part.bytes);
}

}  // namespace

// MPIR_Reduce_intra_binomial: ceil(log2 n) steps. Operands that don't commute are reduced in member 0, in
// member order, and sent to the root from there.
void reduce_binomial(const Member& member, ScheduleWriter& writer) {
  const Bytes bytes = member.part.bytes;
  const std::int32_t members = member.members;
  const std::int32_t tree_root = member.part.commutative ? member.part.root : 0;
  const std::int32_t number = (member.me - tree_root + members) % members;
  copy_own_operand(member, writer);
  for (std::int32_t distance = 1; distance < members; distance *= 2) {
    if ((number & distance) != 0) {
      writer.blocking_send((number - distance + tree_root) % members, bytes);
      break;
    }
    const std::int32_t child = number + distance;
    if (child >= members) continue;
    writer.blocking_receive((child + tree_root) % members, bytes);
    writer.reduce(bytes);
    if (!member.part.commutative) writer.copy(bytes);
  }
  if (tree_root == member.part.root) return;
  if (member.me == tree_root) writer.blocking_send(member.part.root, bytes);
  if (member.is_root()) writer.blocking_receive(tree_root, bytes);
}

// Rabenseifner, "A new optimized MPI reduce algorithm", 1997: reduce-scatter by recursive halving, then a
// binomial gather to the root. A root that stays out of the power of two takes number 0's place in the
// gather.
void reduce_reduce_scatter_gather(const Member& member, ScheduleWriter& writer) {
  const Bytes bytes = member.part.bytes;
  const PowerOfTwoGroup group(member.members, PowerOfTwoGroup::Staying::even);
  const EvenBlocks blocks = operand_blocks(member.part, group);
  copy_own_operand(member, writer);

  const bool out = group.stays_out(member.me);
  if (out) {
    writer.blocking_send(group.neighbour(member.me), bytes);
  } else if (group.is_paired(member.me)) {
    writer.blocking_receive(group.neighbour(member.me), bytes);
    writer.reduce(bytes);
  }
  std::int32_t number = out ? -1 : group.number(member.me);
  BlockRange mine{0, 1};
  if (!out) mine = halve_from_distance_one(number, group, blocks, writer);

  const std::int32_t root = member.part.root;
  const bool root_is_out = group.stays_out(root);
  const std::int32_t root_number = root_is_out ? 0 : group.number(root);
  if (root_is_out && member.is_root()) {
    writer.blocking_receive(group.member(0), blocks[0]);
    number = 0;
  } else if (root_is_out && number == 0) {
    writer.blocking_send(root, blocks[0]);
    return;
  }
  if (number < 0) return;

  for (std::int32_t distance = group.size() / 2; distance > 0; distance /= 2) {
    const std::int32_t peer_number = number ^ distance;
    const std::int32_t peer = peer_number == 0 && root_is_out ? root : group.member(peer_number);
    if (peer_number / distance == root_number / distance) {
      writer.blocking_send(peer, blocks.range(mine.first, mine.last));
      return;
    }
    const BlockRange theirs = mine.sibling((number & distance) != 0);
    writer.blocking_receive(peer, blocks.range(theirs.first, theirs.last));
    mine = mine.joined(theirs);
  }
}

}  // namespace morgana::collectives
