#include <algorithm>

#include "emulator/collectives/algorithms.h"

namespace morgana::collectives {

// MPIR_Scatter_intra_binomial: ceil(log2 n) steps. A root other than member 0 first puts its blocks into the
// tree's order.
void scatter_binomial(const Member& member, ScheduleWriter& writer) {
  const Bytes bytes = member.part.bytes;
  const std::int32_t number = member.number_from_root();
  const bool keeps_own_in_place = member.is_root() && member.part.in_place;
  if (number == 0 && member.me != 0)
    writer.copy(bytes * (keeps_own_in_place ? member.members - 1 : member.members));

  std::int32_t distance = 1;
  while (distance < member.members && (number & distance) == 0) distance *= 2;
  if (number != 0)
    writer.blocking_receive(member.numbered_from_root(number - distance),
                            bytes * std::min(distance, member.members - number));
  for (distance /= 2; distance > 0; distance /= 2) {
    const std::int32_t child = number + distance;
    if (child < member.members)
      writer.blocking_send(member.numbered_from_root(child),
                           bytes * std::min(distance, member.members - child));
  }
  const bool received_into_place = number % 2 != 0;
  if (!received_into_place && !keeps_own_in_place) writer.copy(bytes);
}

// The root sends to everyone at once.
void scatter_linear(const Member& member, ScheduleWriter& writer) {
  const Bytes bytes = member.part.bytes;
  if (!member.is_root()) {
    writer.receive(member.part.root, bytes);
    return;
  }
  if (!member.part.in_place) writer.copy_alongside(bytes);
  for (std::int32_t peer = 0; peer < member.members; ++peer)
    if (peer != member.me) writer.send(peer, bytes);
}

// MPIR_Scatterv_allcomm_linear: only the root knows the sizes. Empty blocks are not sent.
void scatterv_linear(const Member& member, ScheduleWriter& writer) {
  if (!member.is_root()) {
    if (member.part.bytes > Bytes()) writer.receive(member.part.root, member.part.bytes);
    return;
  }
  for (std::int32_t peer = 0; peer < member.members; ++peer) {
    const Bytes bytes = member.part.send_sizes[static_cast<std::size_t>(peer)];
    if (peer == member.me) {
      if (!member.part.in_place) writer.copy_alongside(bytes);
    } else if (bytes > Bytes()) {
      writer.send(peer, bytes);
    }
  }
}

}  // namespace morgana::collectives
