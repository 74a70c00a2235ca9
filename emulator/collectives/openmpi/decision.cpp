#include "emulator/collectives/openmpi/decision.h"

#include "emulator/collectives/blocks.h"
#include "emulator/collectives/openmpi/algorithms.h"
#include "emulator/collectives/openmpi/decision_table.h"
#include "emulator/collectives/openmpi/parts.h"

namespace morgana::collectives::openmpi {
namespace {

/// From here on libnbc's reductions are "long".
constexpr Bytes short_nonblocking_reduction{65536};
constexpr std::int32_t few_members_of_ibcast = 4;

Algorithm choose_ireduce(const Member& member) {
  const CollectivePart& part = member.part;
  if (part.commutative && member.members > 2 && elements_of(member) >= power_of_two_within(member.members))
    return reduce_rabenseifner;
  const bool is_short = part.bytes < short_nonblocking_reduction;
  return member.members > 4 || is_short || !part.commutative ? ireduce_binomial : ireduce_chain;
}

Algorithm choose_iallreduce(const Member& member) {
  const CollectivePart& part = member.part;
  if (member.members < 4 || part.bytes < short_nonblocking_reduction || !part.commutative || part.in_place)
    return iallreduce_binomial;
  return elements_of(member) >= power_of_two_within(member.members) ? allreduce_rabenseifner
                                                                    : iallreduce_ring;
}

/// The component "libnbc", whose broadcast is chosen by members alone by default
/// (coll_libnbc_ibcast_skip_dt_decision).
Algorithm nonblocking_choice(const Member& member) {
  const CollectivePart& part = member.part;
  switch (part.kind) {
    case CollectiveKind::barrier:
      return barrier_dissemination;
    case CollectiveKind::broadcast:
      return member.members <= few_members_of_ibcast ? broadcast_linear : ibcast_binomial;
    case CollectiveKind::gather:
      return collectives::gather_linear;
    case CollectiveKind::gatherv:
      return igatherv_linear;
    case CollectiveKind::scatter:
      return scatter_linear_nonblocking;
    case CollectiveKind::scatterv:
      return iscatterv_linear;
    case CollectiveKind::allgather:
      return iallgather_linear;
    case CollectiveKind::allgatherv:
      return iallgatherv_linear;
    case CollectiveKind::alltoall:
      return part.in_place ? ialltoallv_in_place : ialltoall_linear;
    case CollectiveKind::alltoallv:
    case CollectiveKind::alltoallw:
      return part.in_place ? ialltoallv_in_place : ialltoallv_linear;
    case CollectiveKind::reduce:
      return choose_ireduce(member);
    case CollectiveKind::allreduce:
      return choose_iallreduce(member);
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::reduce_scatter_block:
      return ireduce_scatter_binomial;
    default:
      return nullptr;  // as the blocking form
  }
}

/// "tuned", and what it leaves to "basic".
Algorithm blocking_choice(const Member& member) {
  const CollectivePart& part = member.part;
  const std::int32_t members = member.members;
  switch (part.kind) {
    case CollectiveKind::barrier:
      return decide(barrier_table(), members, Bytes());
    case CollectiveKind::broadcast:
      return blocking_broadcast(members, part.bytes);
    case CollectiveKind::gather:
      return blocking_gather(members, part.bytes);
    case CollectiveKind::gatherv:
      return gatherv_linear;
    case CollectiveKind::scatter:
      return blocking_scatter(members, part.bytes);
    case CollectiveKind::scatterv:
      return scatterv_linear;
    case CollectiveKind::allgather:
      return decide(allgather_table(), members, part.in_place ? sum(part.send_sizes) : part.bytes);
    case CollectiveKind::allgatherv:
      return decide(allgatherv_table(), members, Bytes(sum(part.receive_sizes).count() / members));
    case CollectiveKind::alltoall:
      return part.in_place ? alltoall_in_place : decide(alltoall_table(), members, part.bytes);
    case CollectiveKind::alltoallv:
      return part.in_place ? alltoallv_in_place : decide(alltoallv_table(), members, Bytes());
    case CollectiveKind::alltoallw:
      return part.in_place ? alltoallv_in_place : alltoallw_linear;
    case CollectiveKind::reduce:
      return blocking_reduce(members, part.bytes, part.commutative);
    case CollectiveKind::allreduce:
      return decide(allreduce_table(part.commutative), members, part.bytes);
    case CollectiveKind::reduce_scatter:
      return decide(reduce_scatter_table(part.commutative), members, sum(part.send_sizes));
    case CollectiveKind::reduce_scatter_block:
      return decide(reduce_scatter_block_table(part.commutative), members, part.bytes);
    case CollectiveKind::scan:
      return scan_linear;
    case CollectiveKind::exscan:
      return exscan_linear;
    case CollectiveKind::create_context:
      return create_context;
    default:
      return neighbor_linear;
  }
}

}  // namespace

Algorithm blocking_broadcast(std::int32_t members, Bytes message) {
  return decide(broadcast_table(), members, message);
}

Algorithm blocking_reduce(std::int32_t members, Bytes message, bool commutative) {
  return decide(reduce_table(commutative), members, message);
}

Algorithm blocking_gather(std::int32_t members, Bytes block) {
  return decide(gather_table(), members, block);
}

Algorithm blocking_scatter(std::int32_t members, Bytes block) {
  return decide(scatter_table(), members, block);
}

Algorithm choice(const Member& member) {
  const Algorithm nonblocking = member.part.blocking ? nullptr : nonblocking_choice(member);
  return nonblocking != nullptr ? nonblocking : blocking_choice(member);
}

}  // namespace morgana::collectives::openmpi
