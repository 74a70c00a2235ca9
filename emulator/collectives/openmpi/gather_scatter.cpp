#include "emulator/collectives/openmpi/algorithms.h"
#include "emulator/collectives/openmpi/segments.h"
#include "emulator/collectives/openmpi/tree.h"

namespace morgana::collectives::openmpi {
namespace {

Bytes listed(const std::vector<Bytes>& sizes, std::int32_t peer) {
  return sizes[static_cast<std::size_t>(peer)];
}

/// Members in the subtree of a child in an in-order binomial tree.
std::int32_t subtree(const Member& member, std::int32_t child) {
  const auto number_of = [&](std::int32_t index) {
    return (index - member.part.root + member.members) % member.members;
  };
  const std::int32_t number = number_of(child);
  return std::min(number - member.number_from_root(), member.members - number);
}

}  // namespace

// ompi_coll_base_gather_intra_basic_linear: the root receives from one member after the other.
void gather_linear(const Member& member, ScheduleWriter& writer) {
  const Bytes bytes = member.part.bytes;
  if (!member.is_root()) {
    writer.send(member.part.root, bytes);
    return;
  }
  for (std::int32_t peer = 0; peer < member.members; ++peer) {
    if (peer != member.me)
      writer.blocking_receive(peer, bytes);
    else if (!member.part.in_place)
      writer.copy(bytes);
  }
}

// ompi_coll_base_gather_intra_binomial: up an in-order tree. A root other than member 0 collects in a buffer
// of its own and puts the blocks in order at the end.
void gather_binomial(const Member& member, ScheduleWriter& writer) {
  const Bytes bytes = member.part.bytes;
  const Tree tree = in_order_binomial_tree(member);
  const bool is_moved = member.is_root() && member.me != 0;
  const bool has_buffer = member.number_from_root() % 2 == 0;
  if (has_buffer && (is_moved || !member.is_root() || !member.part.in_place)) writer.copy(bytes);
  std::int32_t held = 1;
  for (const std::int32_t child : tree.children()) {
    const std::int32_t blocks = subtree(member, child);
    writer.blocking_receive(child, bytes * blocks);
    held += blocks;
  }
  if (!tree.is_root()) writer.blocking_send(tree.parent, bytes * held);
  if (is_moved) writer.copy(bytes * member.members);
}

// ompi_coll_base_gather_intra_linear_sync: the root asks one member after the other by an empty message and
// waits for the first segment. Open MPI waits for the rests, which may be empty, at the end; here for each
// before it asks the next but one, as it is received beside the next first segment.
void gather_linear_sync(const Member& member, ScheduleWriter& writer) {
  const Bytes bytes = member.part.bytes, first = Segments(member).piece();
  const Bytes rest = bytes - first;
  if (!member.is_root()) {
    writer.blocking_receive(member.part.root, Bytes());
    writer.blocking_send(member.part.root, first);
    writer.blocking_send(member.part.root, rest);
    return;
  }
  std::int32_t asked = -1;
  for (std::int32_t peer = 0; peer < member.members; ++peer) {
    if (peer == member.me) continue;
    if (asked >= 0) writer.receive(asked, rest);
    writer.exchange(peer, Bytes(), first);
    asked = peer;
  }
  writer.receive(asked, rest);
  if (!member.part.in_place) writer.copy_alongside(bytes);
}

// mca_coll_basic_gatherv_intra: one after the other; empty contributions are not sent.
void gatherv_linear(const Member& member, ScheduleWriter& writer) {
  if (!member.is_root()) {
    if (member.part.bytes > Bytes()) writer.send(member.part.root, member.part.bytes);
    return;
  }
  for (std::int32_t peer = 0; peer < member.members; ++peer) {
    const Bytes bytes = listed(member.part.receive_sizes, peer);
    if (peer == member.me) {
      if (!member.part.in_place) writer.copy(bytes);
    } else if (bytes > Bytes()) {
      writer.blocking_receive(peer, bytes);
    }
  }
}

// ompi_coll_base_scatter_intra_basic_linear: the root sends to one member after the other.
void scatter_linear(const Member& member, ScheduleWriter& writer) {
  const Bytes bytes = member.part.bytes;
  if (!member.is_root()) {
    writer.receive(member.part.root, bytes);
    return;
  }
  for (std::int32_t peer = 0; peer < member.members; ++peer) {
    if (peer != member.me)
      writer.blocking_send(peer, bytes);
    else if (!member.part.in_place)
      writer.copy(bytes);
  }
}

// ompi_coll_base_scatter_intra_binomial: down an in-order tree, to far children first. A root other than
// member 0 first puts the blocks in the tree's order.
void scatter_binomial(const Member& member, ScheduleWriter& writer) {
  const Bytes bytes = member.part.bytes;
  const Tree tree = in_order_binomial_tree(member);
  if (!tree.is_root()) {
    const std::int32_t number = member.number_from_root();
    writer.blocking_receive(tree.parent, bytes * std::min(number & -number, member.members - number));
    if (number % 2 != 0) return;  // received in its place
  } else if (member.me != 0) {
    writer.copy(bytes * member.members);
  }
  if (!tree.is_root() || !member.part.in_place) writer.copy(bytes);
  for (std::size_t i = tree.children().size(); i-- > 0;) {
    const std::int32_t child = tree.children()[i];
    writer.blocking_send(child, bytes * subtree(member, child));
  }
}

// ompi_coll_base_scatter_intra_linear_nb: the root starts all sends at once (its default of blocking ones in
// between is none).
void scatter_linear_nonblocking(const Member& member, ScheduleWriter& writer) {
  const Bytes bytes = member.part.bytes;
  if (!member.is_root()) {
    writer.receive(member.part.root, bytes);
    return;
  }
  for (std::int32_t peer = 0; peer < member.members; ++peer) {
    if (peer != member.me)
      writer.send(peer, bytes);
    else if (!member.part.in_place)
      writer.copy_alongside(bytes);
  }
}

// mca_coll_basic_scatterv_intra: one after the other; empty blocks are not sent.
void scatterv_linear(const Member& member, ScheduleWriter& writer) {
  if (!member.is_root()) {
    if (member.part.bytes > Bytes()) writer.receive(member.part.root, member.part.bytes);
    return;
  }
  for (std::int32_t peer = 0; peer < member.members; ++peer) {
    const Bytes bytes = listed(member.part.send_sizes, peer);
    if (peer == member.me) {
      if (!member.part.in_place) writer.copy(bytes);
    } else if (bytes > Bytes()) {
      writer.blocking_send(peer, bytes);
    }
  }
}

// nbc_igatherv.c: all at once, empty contributions too.
void igatherv_linear(const Member& member, ScheduleWriter& writer) {
  if (!member.is_root()) {
    writer.send(member.part.root, member.part.bytes);
    return;
  }
  for (std::int32_t peer = 0; peer < member.members; ++peer) {
    const Bytes bytes = listed(member.part.receive_sizes, peer);
    if (peer != member.me)
      writer.receive(peer, bytes);
    else if (!member.part.in_place)
      writer.copy_alongside(bytes);
  }
}

// nbc_iscatterv.c: all at once, empty blocks too.
void iscatterv_linear(const Member& member, ScheduleWriter& writer) {
  if (!member.is_root()) {
    writer.receive(member.part.root, member.part.bytes);
    return;
  }
  for (std::int32_t peer = 0; peer < member.members; ++peer) {
    const Bytes bytes = listed(member.part.send_sizes, peer);
    if (peer != member.me)
      writer.send(peer, bytes);
    else if (!member.part.in_place)
      writer.copy_alongside(bytes);
  }
}

}  // namespace morgana::collectives::openmpi
