#include "emulator/collectives/openmpi/algorithms.h"
#include "emulator/collectives/openmpi/halving.h"
#include "emulator/collectives/openmpi/parts.h"
#include "emulator/collectives/openmpi/segments.h"
#include "emulator/collectives/openmpi/tree.h"

namespace morgana::collectives::openmpi {
namespace {

/// ompi_coll_base_reduce_generic: segment after segment, the children's operands are received and reduced in
/// order and the result goes to the parent, while the next operand is received. Operands that don't commute
/// are reduced in a copy of the own one.
void reduce_up(const Member& member, const Tree& tree, ScheduleWriter& writer) {
  const Segments segments(member);
  if (tree.children().empty()) {
    for (std::int64_t i = 0; i < segments.count(); ++i) writer.blocking_send(tree.parent, segments[i]);
    return;
  }
  const bool in_place = tree.is_root() && member.part.in_place;
  if (!member.part.commutative && !in_place) writer.copy(member.part.bytes);
  for (std::int64_t i = 0; i < segments.count(); ++i)
    for (std::size_t child = 0; child < tree.children().size(); ++child) {
      writer.receive(tree.children()[child], segments[i]);
      if (child > 0) {
        writer.reduce_alongside(segments[i]);
      } else if (i > 0) {
        writer.reduce_alongside(segments[i - 1]);
        if (!tree.is_root()) writer.send(tree.parent, segments[i - 1]);
      }
      writer.fence();
    }
  const Bytes last = segments[segments.count() - 1];
  writer.reduce(last);
  if (!tree.is_root()) writer.blocking_send(tree.parent, last);
}

}  // namespace

// ompi_coll_base_reduce_intra_basic_linear: the root receives from one member after the other, from the last
// on, and reduces.
void reduce_linear(const Member& member, ScheduleWriter& writer) {
  const Bytes bytes = member.part.bytes;
  if (!member.is_root()) {
    writer.send(member.part.root, bytes);
    return;
  }
  const auto take = [&](std::int32_t peer) {
    if (peer != member.me) writer.blocking_receive(peer, bytes);
  };
  if (member.me == member.members - 1) writer.copy(bytes);
  take(member.members - 1);
  for (std::int32_t peer = member.members - 2; peer >= 0; --peer) {
    take(peer);
    writer.reduce(bytes);
  }
  if (member.part.in_place) writer.copy(bytes);
}

void reduce_chain(const Member& member, ScheduleWriter& writer) {
  reduce_up(member, chain_tree(member, member.chains), writer);
}

void reduce_pipeline(const Member& member, ScheduleWriter& writer) {
  reduce_up(member, chain_tree(member, 1), writer);
}

void reduce_binary(const Member& member, ScheduleWriter& writer) {
  reduce_up(member, binary_tree(member), writer);
}

void reduce_binomial(const Member& member, ScheduleWriter& writer) {
  reduce_up(member, in_order_binomial_tree(member), writer);
}

// ompi_coll_base_reduce_intra_in_order_binary: the tree's root is the last member, who sends the result on.
void reduce_in_order_binary(const Member& member, ScheduleWriter& writer) {
  const Bytes bytes = member.part.bytes;
  const std::int32_t last = member.members - 1, root = member.part.root;
  if (member.is_root() && member.part.in_place && root != last) writer.copy(bytes);
  reduce_up(member, in_order_binary_tree(member), writer);
  if (root == last) return;
  if (member.is_root()) writer.blocking_receive(last, bytes);
  if (member.me == last) writer.blocking_send(root, bytes);
}

// ompi_coll_base_reduce_intra_redscat_gather: Rabenseifner's; the results are gathered up a binomial tree. A
// root that has stayed out takes member 0's part in that. Linear where there are fewer elements than members
// in the power of two, or operands don't commute.
void reduce_rabenseifner(const Member& member, ScheduleWriter& writer) {
  const CollectivePart& part = member.part;
  const PowerOfTwoGroup group(member.members, PowerOfTwoGroup::Staying::even);
  if (elements_of(member) < group.size() || !part.commutative) {
    reduce_linear(member, writer);
    return;
  }
  if (!member.is_root() || !part.in_place) writer.copy(part.bytes);
  fold_odd_members(member, group, writer);

  const bool root_is_out = group.stays_out(part.root);
  const std::int32_t root_number = root_is_out ? 0 : group.number(part.root);
  const bool replaces_zero = root_is_out && member.is_root();
  if (group.stays_out(member.me) && !replaces_zero) return;
  const std::int32_t number = replaces_zero ? 0 : group.number(member.me);
  const Halving halving(part, group, number);
  if (replaces_zero) {
    writer.blocking_receive(group.member(0), halving.block());
  } else {
    halving.reduce_scatter(writer);
    if (root_is_out && number == 0) {
      writer.blocking_send(part.root, halving.block());
      return;
    }
  }
  for (std::size_t i = halving.steps(); i-- > 0;) {
    const std::int32_t partner = number ^ (1 << i);
    const std::int32_t peer = partner == 0 && root_is_out ? part.root : group.member(partner);
    if (partner >> i == root_number >> i) {
      writer.blocking_send(peer, halving.kept(i));
      return;
    }
    writer.blocking_receive(peer, halving.given(i));
  }
}

namespace {

/// ceil(log2 n) rounds up a binomial tree; the tree's root changes places with member 0. What follows a
/// member's send is of the same round.
void reduce_by_swapped_tree(const Member& member, std::int32_t root, Bytes bytes, ScheduleWriter& writer) {
  const auto swapped = [root](std::int32_t index) { return index == 0 ? root : index == root ? 0 : index; };
  const std::int32_t number = swapped(member.me);
  for (std::int32_t distance = 1; distance < member.members; distance *= 2) {
    if ((number & distance) != 0) {
      writer.send(swapped(number - distance), bytes);
      return;
    }
    if (number + distance >= member.members) continue;
    writer.blocking_receive(swapped(number + distance), bytes);
    writer.reduce(bytes);
  }
}

/// Of libnbc: whether so many rounds end in the temporary buffer, to which operands in place go first.
bool begins_in_temporary(const Member& member) {
  std::int32_t rounds = 0;
  for (std::int32_t reached = 1; reached < member.members; reached *= 2) ++rounds;
  return rounds % 2 != 0;
}

}  // namespace

// red_sched_binomial: operands that don't commute are reduced in member 0, who sends the result on.
void ireduce_binomial(const Member& member, ScheduleWriter& writer) {
  const CollectivePart& part = member.part;
  const std::int32_t tree_root = part.commutative ? part.root : 0;
  if (member.is_root() && part.in_place && begins_in_temporary(member)) writer.copy(part.bytes);
  reduce_by_swapped_tree(member, tree_root, part.bytes, writer);
  if (tree_root == part.root) return;
  if (member.me == tree_root) writer.blocking_send(part.root, part.bytes);
  if (member.is_root()) writer.blocking_receive(tree_root, part.bytes);
}

// red_sched_chain: down the numbers to the root, in pieces of about 8 KiB, all alike but for a longer last
// one.
void ireduce_chain(const Member& member, ScheduleWriter& writer) {
  constexpr std::int64_t piece = 8192;
  const CollectivePart& part = member.part;
  const std::int32_t root = part.root;
  const auto swapped = [root](std::int32_t index) { return index == 0 ? root : index == root ? 0 : index; };
  const std::int32_t number = swapped(member.me);
  const std::int64_t pieces = (part.bytes.count() + piece - 1) / piece;
  const Bytes usual = part.element * (elements_of(member) / pieces);
  for (std::int64_t i = 0; i < pieces; ++i) {
    const Bytes bytes = i + 1 < pieces ? usual : part.bytes - usual * i;
    if (number + 1 < member.members) {
      writer.blocking_receive(swapped(number + 1), bytes);
      writer.reduce(bytes);
    }
    if (number > 0) writer.blocking_send(swapped(number - 1), bytes);
  }
}

// allred_sched_diss: a binomial reduce to member 0, then a binomial broadcast, whose receive is of the round
// in which a member sends its operand.
void iallreduce_binomial(const Member& member, ScheduleWriter& writer) {
  if (member.part.in_place && begins_in_temporary(member)) writer.copy(member.part.bytes);
  reduce_by_swapped_tree(member, 0, member.part.bytes, writer);
  ibcast_binomial(member, writer);
}

// nbc_ireduce_scatter.c, nbc_ireduce_scatter_block.c: a binomial reduce to member 0, who sends all their
// blocks at once.
void ireduce_scatter_binomial(const Member& member, ScheduleWriter& writer) {
  const CollectivePart& part = member.part;
  const bool is_block = part.kind == CollectiveKind::reduce_scatter_block;
  const auto block = [&](std::int32_t i) {
    return is_block ? part.bytes : part.send_sizes[static_cast<std::size_t>(i)];
  };
  Bytes all;
  for (std::int32_t i = 0; i < member.members; ++i) all += block(i);
  if (all == Bytes()) return;
  reduce_by_swapped_tree(member, 0, all, writer);
  writer.fence();
  if (member.me != 0) {
    writer.receive(0, block(member.me));
    return;
  }
  for (std::int32_t peer = 1; peer < member.members; ++peer) writer.send(peer, block(peer));
  writer.copy_alongside(block(0));
}

}  // namespace morgana::collectives::openmpi
