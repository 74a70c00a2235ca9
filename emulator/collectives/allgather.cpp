#include "emulator/collectives/algorithms.h"
#include "emulator/collectives/blocks.h"
#include "emulator/collectives/recursive_doubling.h"

namespace morgana::collectives {
namespace {

/// MPIR_CVAR_ALLGATHERV_PIPELINE_MSG_SIZE: the v-form's ring passes blocks on in pieces of at least this.
constexpr Bytes pipeline_piece{32768};

EqualBlocks equal_blocks(const Member& member) {
  return {member.part.bytes, member.members};
}

ListedBlocks listed_blocks(const Member& member) {
  return ListedBlocks(member.part.receive_sizes);
}

template <class Blocks>
void gather_in_member_order(const Member& member, const Blocks& blocks, ScheduleWriter& writer) {
  gather_by_recursive_doubling(
      member.me, blocks, [](std::int32_t number) { return number; }, writer);
}

/// Bruck et al., "Efficient Algorithms for All-to-All Communications in Multiport Message-Passing Systems",
/// 1997: the dissemination pattern with growing runs of blocks, rotated into place at the end.
template <class Blocks>
void bruck(const Member& member, const Blocks& blocks, ScheduleWriter& writer) {
  writer.copy(blocks[member.me]);
  std::int32_t held = 1;
  const auto step = [&](std::int32_t length) {
    const std::int32_t from = member.after(held), to = member.before(held);
    writer.send_receive(to, blocks.around(member.me, length), from, blocks.around(from, length));
  };
  for (; held <= member.members / 2; held *= 2) step(held);
  if (held < member.members) step(member.members - held);
  writer.copy(blocks.total());
}

}  // namespace

void allgather_recursive_doubling(const Member& member, ScheduleWriter& writer) {
  if (!member.part.in_place) writer.copy(member.part.bytes);
  gather_in_member_order(member, equal_blocks(member), writer);
}

void allgather_bruck(const Member& member, ScheduleWriter& writer) {
  bruck(member, equal_blocks(member), writer);
}

// n - 1 steps around the ring: everyone passes on what came in the step before.
void allgather_ring(const Member& member, ScheduleWriter& writer) {
  const Bytes bytes = member.part.bytes;
  if (!member.part.in_place) writer.copy(bytes);
  for (std::int32_t step = 1; step < member.members; ++step)
    writer.send_receive(member.after(1), bytes, member.before(1), bytes);
}

// The v-form gathers in a buffer of its own and copies every block to its place.
void allgatherv_recursive_doubling(const Member& member, ScheduleWriter& writer) {
  const ListedBlocks blocks = listed_blocks(member);
  if (blocks.total() == Bytes()) return;
  writer.copy(blocks[member.me]);
  gather_in_member_order(member, blocks, writer);
  writer.copy(member.part.in_place ? blocks.total() - blocks[member.me] : blocks.total());
}

void allgatherv_bruck(const Member& member, ScheduleWriter& writer) {
  const ListedBlocks blocks = listed_blocks(member);
  if (blocks.total() > Bytes()) bruck(member, blocks, writer);
}

// MPIR_Allgatherv_intra_ring: long blocks travel in pieces, so that a long one does not hold up the ring.
void allgatherv_ring(const Member& member, ScheduleWriter& writer) {
  const std::vector<Bytes>& sizes = member.part.receive_sizes;
  const auto size_of = [&sizes](std::int32_t i) { return sizes[static_cast<std::size_t>(i)]; };
  Bytes total;
  for (const Bytes size : sizes) total += size;
  if (total == Bytes()) return;
  if (!member.part.in_place) writer.copy(size_of(member.me));
  if (member.members == 1) return;

  const Bytes piece = std::max(pipeline_piece, *std::min_element(sizes.begin(), sizes.end()));
  struct Place {
    std::int32_t block;
    Bytes offset;
  };
  const auto advance = [&](Place& place, Bytes moved) {
    place.offset += moved;
    if (place.offset != size_of(place.block)) return;
    place = {place.block == 0 ? member.members - 1 : place.block - 1, Bytes()};
  };
  const std::int32_t right = member.after(1), left = member.before(1);
  Place outgoing{member.me, Bytes()}, incoming{left, Bytes()};
  Bytes to_send = total - size_of(right), to_receive = total - size_of(member.me);
  while (to_send > Bytes() || to_receive > Bytes()) {
    const Bytes sent = std::min({piece, size_of(outgoing.block) - outgoing.offset, to_send});
    const Bytes received = std::min({piece, size_of(incoming.block) - incoming.offset, to_receive});
    if (received > Bytes()) writer.receive(left, received);
    if (sent > Bytes()) writer.send(right, sent);
    writer.fence();
    to_send -= sent;
    to_receive -= received;
    advance(outgoing, sent);
    advance(incoming, received);
  }
}

}  // namespace morgana::collectives
