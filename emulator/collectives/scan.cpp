#include "emulator/collectives/algorithms.h"

namespace morgana::collectives {
namespace {

/// Partners at distances 1, 2, 4, ... exchange the reduction over their groups; those with lower partners
/// also take it into their result.
/// @param into_result  writes the step of taking a partner's reduction into the result
template <class IntoResult>
void exchange_partial_scans(const Member& member, ScheduleWriter& writer, IntoResult into_result) {
  const Bytes bytes = member.part.bytes;
  for (std::int32_t distance = 1; distance < member.members; distance *= 2) {
    const std::int32_t peer = member.me ^ distance;
    if (peer >= member.members) continue;
    writer.exchange(peer, bytes, bytes);
    writer.reduce(bytes);
    if (peer < member.me)
      into_result();
    else if (!member.part.commutative)
      writer.copy(bytes);
  }
}

}  // namespace

// MPIR_Scan_intra_recursive_doubling.
void scan_recursive_doubling(const Member& member, ScheduleWriter& writer) {
  const Bytes bytes = member.part.bytes;
  if (!member.part.in_place) writer.copy(bytes);
  writer.copy(bytes);
  exchange_partial_scans(member, writer, [&] { writer.reduce(bytes); });
}

// MPIR_Exscan_intra_recursive_doubling: the first partner's reduction becomes the result, later ones are
// reduced into it.
void exscan_recursive_doubling(const Member& member, ScheduleWriter& writer) {
  const Bytes bytes = member.part.bytes;
  writer.copy(bytes);
  bool has_result = false;
  exchange_partial_scans(member, writer, [&] {
    if (has_result)
      writer.reduce(bytes);
    else
      writer.copy(bytes);
    has_result = true;
  });
}

}  // namespace morgana::collectives
