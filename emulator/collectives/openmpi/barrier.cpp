#include "emulator/collectives/openmpi/algorithms.h"

// Messages of barriers are empty. Of Open MPI's double ring the second lap's sends, and of recursive doubling
// the last ones to members beyond the power of two, are synchronous; here they are standard ones.
namespace morgana::collectives::openmpi {

// ompi_coll_base_barrier_intra_basic_linear: member 0 hears of everyone, then lets one after the other go.
void barrier_linear(const Member& member, ScheduleWriter& writer) {
  if (member.me > 0) {
    writer.blocking_send(0, Bytes());
    writer.blocking_receive(0, Bytes());
    return;
  }
  for (std::int32_t peer = 1; peer < member.members; ++peer) writer.receive(peer, Bytes());
  writer.fence();
  for (std::int32_t peer = 1; peer < member.members; ++peer) writer.blocking_send(peer, Bytes());
}

// ompi_coll_base_barrier_intra_doublering: a message goes twice around the ring.
void barrier_double_ring(const Member& member, ScheduleWriter& writer) {
  const std::int32_t left = member.before(1), right = member.after(1);
  for (int lap = 0; lap < 2; ++lap) {
    if (member.me > 0) writer.blocking_receive(left, Bytes());
    writer.blocking_send(right, Bytes());
    if (member.me == 0) writer.blocking_receive(left, Bytes());
  }
}

// ompi_coll_base_barrier_intra_recursivedoubling: members beyond the power of two tell one within it first
// and hear from it last.
void barrier_recursive_doubling(const Member& member, ScheduleWriter& writer) {
  const std::int32_t power = power_of_two_within(member.members);
  if (member.me >= power) {
    writer.exchange(member.me - power, Bytes(), Bytes());
    return;
  }
  const bool has_other = member.me < member.members - power;
  if (has_other) writer.blocking_receive(member.me + power, Bytes());
  for (std::int32_t distance = 1; distance < power; distance *= 2)
    writer.exchange(member.me ^ distance, Bytes(), Bytes());
  if (has_other) writer.blocking_send(member.me + power, Bytes());
}

// ompi_coll_base_barrier_intra_two_procs.
void barrier_two_proc(const Member& member, ScheduleWriter& writer) {
  writer.exchange(1 - member.me, Bytes(), Bytes());
}

// ompi_coll_base_barrier_intra_tree: up a binomial tree to member 0 and down again.
void barrier_tree(const Member& member, ScheduleWriter& writer) {
  std::int32_t top = 1;
  while (top < member.members) top *= 2;
  const auto partner_at = [&](std::int32_t distance) {
    const std::int32_t partner = member.me ^ distance;
    return (partner & (distance - 1)) == 0 && partner < member.members ? partner : -1;
  };
  for (std::int32_t distance = 1; distance < top; distance *= 2) {
    const std::int32_t partner = partner_at(distance);
    if (partner > member.me) writer.blocking_receive(partner, Bytes());
    if (partner >= 0 && partner < member.me) writer.blocking_send(partner, Bytes());
  }
  for (std::int32_t distance = top / 2; distance > 0; distance /= 2) {
    const std::int32_t partner = partner_at(distance);
    if (partner > member.me) writer.blocking_send(partner, Bytes());
    if (partner >= 0 && partner < member.me) writer.blocking_receive(partner, Bytes());
  }
}

}  // namespace morgana::collectives::openmpi
