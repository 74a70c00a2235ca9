#include "emulator/collectives/two_groups.h"

namespace morgana::collectives {

// MPIR_Bcast_inter_remote_send_local_bcast. In the nonblocking form of MPICH 4.0.2 the broadcast within the
// group starts not at its leader but at the member whose number there is the root's in its own; that member
// has nothing to send, so here it starts at the leader in both forms.
void broadcast_between_groups(const Member& member, ScheduleWriter& writer) {
  broadcast_across(member, TwoGroups(member), member.part.root, member.part.bytes, writer);
}

// MPIR_Reduce_inter_local_reduce_remote_send.
void reduce_between_groups(const Member& member, ScheduleWriter& writer) {
  reduce_across(member, TwoGroups(member), member.part.root, member.part.bytes, writer);
}

// MPIR_Gather_inter_local_gather_remote_send: for short messages, which then reach the root in one.
void gather_between_groups_by_leader(const Member& member, ScheduleWriter& writer) {
  const TwoGroups groups(member);
  const Bytes bytes = member.part.bytes;
  const std::int32_t root = member.part.root;
  if (groups.own().contains(root)) {
    if (member.is_root()) writer.receive(groups.remote().first, bytes * groups.remote().size);
    return;
  }
  groups.run_locally(local_part(member, CollectiveKind::gather, bytes), writer);
  writer.fence();
  if (groups.leads()) writer.send(root, bytes * groups.own().size);
}

// MPIR_Gather_inter_linear: one message after the other in the blocking form, all at once in the other.
void gather_between_groups_linear(const Member& member, ScheduleWriter& writer) {
  const TwoGroups groups(member);
  const std::int32_t root = member.part.root;
  if (!groups.own().contains(root)) {
    writer.send(root, member.part.bytes);
  } else if (member.is_root()) {
    for (std::int32_t i = 0; i < groups.remote().size; ++i) {
      writer.receive(groups.remote().first + i, member.part.bytes);
      fence_if_blocking(member, writer);
    }
  }
}

// MPIR_Gatherv_allcomm_linear.
void gatherv_between_groups(const Member& member, ScheduleWriter& writer) {
  gatherv_across(member, TwoGroups(member), member.part.root, writer);
}

// MPIR_Scatter_inter_remote_send_local_scatter: for short messages.
void scatter_between_groups_by_leader(const Member& member, ScheduleWriter& writer) {
  const TwoGroups groups(member);
  const Bytes bytes = member.part.bytes;
  const std::int32_t root = member.part.root;
  if (groups.own().contains(root)) {
    if (member.is_root()) writer.send(groups.remote().first, bytes * groups.remote().size);
    return;
  }
  if (groups.leads()) writer.blocking_receive(root, bytes * groups.own().size);
  groups.run_locally(local_part(member, CollectiveKind::scatter, bytes), writer);
}

// MPIR_Scatter_inter_linear: as the gather.
void scatter_between_groups_linear(const Member& member, ScheduleWriter& writer) {
  const TwoGroups groups(member);
  const std::int32_t root = member.part.root;
  if (!groups.own().contains(root)) {
    writer.receive(root, member.part.bytes);
  } else if (member.is_root()) {
    for (std::int32_t i = 0; i < groups.remote().size; ++i) {
      writer.send(groups.remote().first + i, member.part.bytes);
      fence_if_blocking(member, writer);
    }
  }
}

// MPIR_Scatterv_allcomm_linear.
void scatterv_between_groups(const Member& member, ScheduleWriter& writer) {
  const TwoGroups groups(member);
  if (!groups.own().contains(member.part.root)) {
    if (member.part.bytes > Bytes()) writer.receive(member.part.root, member.part.bytes);
  } else if (member.is_root()) {
    std::int32_t peer = groups.remote().first;
    for (const Bytes bytes : member.part.send_sizes) {
      if (bytes > Bytes()) writer.send(peer, bytes);
      ++peer;
    }
  }
}

}  // namespace morgana::collectives
