#include <algorithm>

#include "emulator/collectives/blocks.h"
#include "emulator/collectives/two_groups.h"

// Collectives in which each group gets what the other gives. Where the same is done once in each direction,
// the one towards the first group or from it comes first for everyone, so that no two leaders wait for each
// other.
namespace morgana::collectives {
namespace {

/// The leader of the first group, then of the second.
struct Leaders {
  std::int32_t first, second;

  explicit Leaders(const Member& member) : first(0), second(member.part.first_group) {}
};

/// What each member of the other group contributes.
Bytes incoming_block(const CollectivePart& part) {
  return part.receive_sizes.empty() ? part.bytes : part.receive_sizes.front();
}

/// The leader of each group gets the other group's operands, reduced.
void reduce_in_leaders(const Member& member, const TwoGroups& groups, Bytes bytes, ScheduleWriter& writer) {
  const Leaders leader(member);
  reduce_across(member, groups, leader.first, bytes, writer);
  reduce_across(member, groups, leader.second, bytes, writer);
  writer.fence();
}

/// The leaders swap messages.
void swap_leaders_messages(const TwoGroups& groups, Bytes bytes, ScheduleWriter& writer) {
  if (groups.leads()) writer.exchange(groups.remote().first, bytes, bytes);
}

/// Partners of steps 0, 1, 2, ...: around a ring of as many places as the larger group has members. Where the
/// other group has no such place, nothing is sent or received.
/// @param outgoing, incoming  what is sent to, or comes from, the member of the other group with a number
/// @param empty_too  whether empty messages are sent
template <class Outgoing, class Incoming>
void exchange_pairwise(const Member& member, Outgoing outgoing, Incoming incoming, bool empty_too,
                       ScheduleWriter& writer) {
  const TwoGroups groups(member);
  const MemberRange& remote = groups.remote();
  const auto moves = [&](Bytes bytes) { return empty_too || bytes > Bytes(); };
  const std::int32_t places = std::max(groups.own().size, remote.size);
  for (std::int32_t step = 0; step < places; ++step) {
    const std::int32_t from = (groups.place() - step + places) % places;
    const std::int32_t to = (groups.place() + step) % places;
    if (from < remote.size && moves(incoming(from))) writer.receive(remote.first + from, incoming(from));
    if (to < remote.size && moves(outgoing(to))) writer.send(remote.first + to, outgoing(to));
    writer.fence();
  }
}

void exchange_listed_sizes(const Member& member, bool empty_too, ScheduleWriter& writer) {
  const auto entry_of = [](const std::vector<Bytes>& sizes) {
    return [&sizes](std::int32_t i) { return sizes[static_cast<std::size_t>(i)]; };
  };
  exchange_pairwise(member, entry_of(member.part.send_sizes), entry_of(member.part.receive_sizes), empty_too,
                    writer);
}

}  // namespace

// MPIR_Barrier_inter_bcast: when all of a group are there, its leader lets the other group know. One byte,
// because MPICH broadcasts nothing where there is nothing to broadcast.
void barrier_between_groups(const Member& member, ScheduleWriter& writer) {
  const TwoGroups groups(member);
  const Leaders leader(member);
  groups.run_locally(local_part(member, CollectiveKind::barrier, Bytes()), writer);
  writer.fence();
  broadcast_across(member, groups, leader.first, Bytes(1), writer);
  writer.fence();
  broadcast_across(member, groups, leader.second, Bytes(1), writer);
}

// MPIR_Allgather_inter_local_gather_remote_bcast: every group gathers in its leader, who broadcasts to the
// other group.
void allgather_between_groups(const Member& member, ScheduleWriter& writer) {
  const TwoGroups groups(member);
  const Leaders leader(member);
  const Bytes given = member.part.bytes, taken = incoming_block(member.part);
  if (given > Bytes()) {
    groups.run_locally(local_part(member, CollectiveKind::gather, given), writer);
    writer.fence();
  }
  const Bytes of_first = groups.in_first() ? given * groups.own().size : taken * groups.remote().size;
  const Bytes of_second = groups.in_first() ? taken * groups.remote().size : given * groups.own().size;
  if (of_first > Bytes()) broadcast_across(member, groups, leader.first, of_first, writer);
  if (of_second > Bytes()) broadcast_across(member, groups, leader.second, of_second, writer);
}

// MPIR_Allgatherv_inter_remote_gather_local_bcast: nobody knows the sizes in their own group, so the leaders
// gather from the other.
void allgatherv_between_groups(const Member& member, ScheduleWriter& writer) {
  const TwoGroups groups(member);
  const Leaders leader(member);
  gatherv_across(member, groups, leader.first, writer);
  gatherv_across(member, groups, leader.second, writer);
  writer.fence();
  groups.run_locally(local_part(member, CollectiveKind::broadcast, sum(member.part.receive_sizes)), writer);
}

// MPIR_Alltoall_inter_pairwise_exchange.
void alltoall_between_groups(const Member& member, ScheduleWriter& writer) {
  const Bytes given = member.part.bytes, taken = incoming_block(member.part);
  exchange_pairwise(
      member, [given](std::int32_t) { return given; }, [taken](std::int32_t) { return taken; }, true, writer);
}

// MPIR_Alltoallv_inter_pairwise_exchange; of its two forms only the nonblocking leaves out empty messages.
void alltoallv_between_groups(const Member& member, ScheduleWriter& writer) {
  exchange_listed_sizes(member, member.part.blocking, writer);
}

// MPIR_Alltoallw_inter_pairwise_exchange.
void alltoallw_between_groups(const Member& member, ScheduleWriter& writer) {
  exchange_listed_sizes(member, true, writer);
}

// MPIR_Allreduce_inter_reduce_exchange_bcast, and MPIR_Iallreduce_inter_sched_remote_reduce_local_bcast for
// the nonblocking form.
void allreduce_between_groups(const Member& member, ScheduleWriter& writer) {
  const TwoGroups groups(member);
  const Bytes bytes = member.part.bytes;
  if (member.part.blocking) {
    groups.run_locally(local_part(member, CollectiveKind::reduce, bytes), writer);
    writer.fence();
    swap_leaders_messages(groups, bytes, writer);
  } else {
    reduce_in_leaders(member, groups, bytes, writer);
  }
  groups.run_locally(local_part(member, CollectiveKind::broadcast, bytes), writer);
}

// MPIR_Reduce_scatter_block_inter_remote_reduce_local_scatter.
void reduce_scatter_block_between_groups(const Member& member, ScheduleWriter& writer) {
  const TwoGroups groups(member);
  reduce_in_leaders(member, groups, member.part.bytes * groups.own().size, writer);
  groups.run_locally(local_part(member, CollectiveKind::scatter, member.part.bytes), writer);
}

// MPIR_Reduce_scatter_inter_remote_reduce_local_scatter.
void reduce_scatter_between_groups(const Member& member, ScheduleWriter& writer) {
  const TwoGroups groups(member);
  const std::vector<Bytes>& sizes = member.part.send_sizes;
  reduce_in_leaders(member, groups, sum(sizes), writer);
  const Bytes own = sizes[static_cast<std::size_t>(groups.place())];
  CollectivePart scatter = local_part(member, CollectiveKind::scatterv, own);
  if (groups.leads()) scatter.send_sizes = sizes;
  groups.run_locally(scatter, writer);
}

// MPIR_Get_intercomm_contextid: each group agrees on an identifier of its own, which the leaders swap and
// tell their groups.
void create_context_between_groups(const Member& member, ScheduleWriter& writer) {
  constexpr Bytes identifier{2};
  const TwoGroups groups(member);
  groups.run_locally(context_mask_reduction(member.part.blocking), writer);
  writer.fence();
  swap_leaders_messages(groups, identifier, writer);
  groups.run_locally(local_part(member, CollectiveKind::broadcast, identifier), writer);
}

}  // namespace morgana::collectives
