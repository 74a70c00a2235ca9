#include "emulator/collectives/two_groups.h"

#include "emulator/collectives/selection.h"

namespace morgana::collectives {

void TwoGroups::run_locally(const CollectivePart& part, ScheduleWriter& writer) const {
  // MPICH's blocking broadcast returns at once where there is nothing to send; its other calls do not.
  if (part.kind == CollectiveKind::broadcast && part.blocking && part.bytes == Bytes()) return;
  const Member local{part, own_.size, place_};
  ScheduleWriter within = writer.counting_from(own_.first);
  mpich_choice(local)(local, within);
}

CollectivePart local_part(const Member& member, CollectiveKind kind, Bytes bytes) {
  CollectivePart part;
  part.kind = kind;
  part.bytes = bytes;
  part.blocking = member.part.blocking;
  part.commutative = member.part.commutative;
  part.element = member.part.element;
  return part;
}

void broadcast_across(const Member& member, const TwoGroups& groups, std::int32_t root, Bytes bytes,
                      ScheduleWriter& writer) {
  if (groups.own().contains(root)) {
    if (member.me != root) return;
    writer.send(groups.remote().first, bytes);
    fence_if_blocking(member, writer);
    return;
  }
  if (groups.leads()) writer.blocking_receive(root, bytes);
  groups.run_locally(local_part(member, CollectiveKind::broadcast, bytes), writer);
}

void reduce_across(const Member& member, const TwoGroups& groups, std::int32_t root, Bytes bytes,
                   ScheduleWriter& writer) {
  if (groups.own().contains(root)) {
    if (member.me == root) writer.blocking_receive(groups.remote().first, bytes);
    return;
  }
  groups.run_locally(local_part(member, CollectiveKind::reduce, bytes), writer);
  writer.fence();
  if (groups.leads()) writer.blocking_send(root, bytes);
}

void gatherv_across(const Member& member, const TwoGroups& groups, std::int32_t root,
                    ScheduleWriter& writer) {
  if (!groups.own().contains(root)) {
    if (member.part.bytes > Bytes()) writer.send(root, member.part.bytes);
    fence_if_blocking(member, writer);
    return;
  }
  if (member.me != root) return;
  std::int32_t peer = groups.remote().first;
  for (const Bytes bytes : member.part.receive_sizes) {
    if (bytes > Bytes()) writer.receive(peer, bytes);
    ++peer;
  }
  fence_if_blocking(member, writer);
}

}  // namespace morgana::collectives
