#include "emulator/collectives/openmpi/algorithms.h"
#include "emulator/collectives/openmpi/parts.h"

namespace morgana::collectives::openmpi {

// ompi_coll_base_scan_intra_linear: from each member to the next.
void scan_linear(const Member& member, ScheduleWriter& writer) {
  const Bytes bytes = member.part.bytes;
  if (!member.part.in_place) writer.copy(bytes);
  if (member.me > 0) {
    writer.blocking_receive(member.me - 1, bytes);
    writer.reduce(bytes);
  }
  if (member.me + 1 < member.members) writer.blocking_send(member.me + 1, bytes);
}

// ompi_coll_base_exscan_intra_linear.
void exscan_linear(const Member& member, ScheduleWriter& writer) {
  const Bytes bytes = member.part.bytes;
  const bool is_last = member.me + 1 == member.members;
  if (member.me > 0) {
    if (!is_last) writer.copy(bytes);
    writer.blocking_receive(member.me - 1, bytes);
    if (!is_last) writer.reduce(bytes);
  }
  if (!is_last) writer.blocking_send(member.me + 1, bytes);
}

void create_context(const Member& member, ScheduleWriter& writer) {
  static const CollectivePart integer = [] {
    CollectivePart part;
    part.kind = CollectiveKind::allreduce;
    part.element = part.bytes = Bytes(4);
    part.blocking = false;
    return part;
  }();
  for (int round = 0; round < 3; ++round) run_part(member, integer, iallreduce_binomial, writer);
}

}  // namespace morgana::collectives::openmpi
