#include "emulator/collectives/openmpi/algorithms.h"
#include "emulator/collectives/openmpi/parts.h"
#include "emulator/collectives/openmpi/segments.h"
#include "emulator/collectives/openmpi/tree.h"

namespace morgana::collectives::openmpi {
namespace {

/// coll_tuned_bcast_knomial_radix.
constexpr std::int32_t knomial_radix = 4;

/// ompi_coll_base_bcast_intra_generic: a segment goes to all children at once; the next one is received
/// meanwhile.
void broadcast_down(const Member& member, const Tree& tree, ScheduleWriter& writer) {
  const Segments segments(member);
  if (!tree.is_root()) writer.blocking_receive(tree.parent, segments[0]);
  for (std::int64_t i = 0; i < segments.count(); ++i) {
    if (!tree.is_root() && i + 1 < segments.count()) writer.receive(tree.parent, segments[i + 1]);
    for (const std::int32_t child : tree.children()) writer.send(child, segments[i]);
    writer.fence();
  }
}

}  // namespace

// ompi_coll_base_bcast_intra_basic_linear: the root starts all its sends at once.
void broadcast_linear(const Member& member, ScheduleWriter& writer) {
  const Bytes bytes = member.part.bytes;
  if (!member.is_root()) {
    writer.receive(member.part.root, bytes);
    return;
  }
  for (std::int32_t peer = 0; peer < member.members; ++peer)
    if (peer != member.me) writer.send(peer, bytes);
}

void broadcast_chain(const Member& member, ScheduleWriter& writer) {
  broadcast_down(member, chain_tree(member, member.chains), writer);
}

void broadcast_pipeline(const Member& member, ScheduleWriter& writer) {
  broadcast_down(member, chain_tree(member, 1), writer);
}

void broadcast_binary(const Member& member, ScheduleWriter& writer) {
  broadcast_down(member, binary_tree(member), writer);
}

void broadcast_binomial(const Member& member, ScheduleWriter& writer) {
  broadcast_down(member, binomial_tree(member), writer);
}

void broadcast_knomial(const Member& member, ScheduleWriter& writer) {
  broadcast_down(member, knomial_tree(member, knomial_radix), writer);
}

// ompi_coll_base_bcast_intra_split_bintree: the first half goes down the left subtree of a binary tree and
// the second one down the right subtree, one send after the other; then members of the two subtrees exchange
// halves in pairs. A last member without a partner gets the second half from the root. Open MPI posts the
// receive of the next piece before it sends the last one to the first child; here, before the last child.
void broadcast_split_binary(const Member& member, ScheduleWriter& writer) {
  const CollectivePart& part = member.part;
  const std::int64_t count = part.bytes.count() / part.element.count();
  const std::array<Bytes, 2> half{part.element * ((count + 1) / 2), part.element * (count / 2)};
  if (half[1] == Bytes() || member.segment > half[1]) {
    broadcast_pipeline(member, writer);
    return;
  }
  // Here pieces are rounded down, to one element at least.
  const Bytes piece = part.element * std::max<std::int64_t>(1, member.segment.count() / part.element.count());
  const auto cut = [&](std::size_t side) {
    return Segments(half[side], part.element, member.segment > Bytes() ? piece : Bytes());
  };
  const Tree tree = binary_tree(member);
  const std::int32_t number = member.number_from_root();
  const std::size_t side = number % 2 != 0 ? 0 : 1;
  if (tree.is_root()) {
    const std::array<Segments, 2> sides{cut(0), cut(1)};
    for (std::int64_t i = 0; i < sides[0].count(); ++i)
      for (std::size_t child = 0; child < tree.children().size(); ++child)
        if (i < sides[child].count()) writer.blocking_send(tree.children()[child], sides[child][i]);
  } else {
    const Segments segments = cut(side);
    writer.blocking_receive(tree.parent, segments[0]);
    for (std::int64_t i = 0; i < segments.count(); ++i) {
      const auto receive_next = [&] {
        if (i + 1 < segments.count()) writer.receive(tree.parent, segments[i + 1]);
      };
      if (tree.children().empty()) receive_next();
      for (const std::int32_t child : tree.children()) {
        if (child == tree.children().back()) receive_next();  // a group waits for all that it starts
        writer.blocking_send(child, segments[i]);
      }
      writer.fence();
    }
  }
  const bool has_lone_last = member.members % 2 == 0;
  const std::int32_t last = member.numbered_from_root(member.members - 1);
  if (tree.is_root()) {
    if (has_lone_last) writer.blocking_send(last, half[1]);
  } else if (has_lone_last && member.me == last) {
    writer.blocking_receive(part.root, half[1]);
  } else {
    writer.exchange(side == 0 ? member.after(1) : member.before(1), half[side], half[1 - side]);
  }
}

// ompi_coll_base_bcast_intra_scatter_allgather and ..._ring: as MPICH's, in blocks of whole elements; linear
// for fewer elements than members.
void broadcast_scatter_allgather(const Member& member, ScheduleWriter& writer) {
  if (elements_of(member) < member.members)
    broadcast_linear(member, writer);
  else
    scatter_and_recursive_doubling_allgather(member, member.part.element, writer);
}

void broadcast_scatter_allgather_ring(const Member& member, ScheduleWriter& writer) {
  if (elements_of(member) < member.members)
    broadcast_linear(member, writer);
  else
    scatter_and_ring_allgather(member, member.part.element, writer);
}

// bcast_sched_binomial: all sends at once. The root changes places with member 0 instead of shifting all.
void ibcast_binomial(const Member& member, ScheduleWriter& writer) {
  const std::int32_t root = member.part.root;
  const auto swapped = [root](std::int32_t index) { return index == 0 ? root : index == root ? 0 : index; };
  CollectivePart part = member.part;
  part.root = 0;
  const Tree tree = binomial_tree({part, member.members, swapped(member.me)});
  if (!tree.is_root()) writer.blocking_receive(swapped(tree.parent), part.bytes);
  for (const std::int32_t child : tree.children()) writer.send(swapped(child), part.bytes);
}

}  // namespace morgana::collectives::openmpi
