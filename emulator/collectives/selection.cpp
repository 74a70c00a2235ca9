#include "emulator/collectives/selection.h"

#include <algorithm>
#include <functional>

#include "emulator/collectives/blocks.h"
#include "emulator/collectives/two_groups.h"

namespace morgana::collectives {
namespace {

// The limits of the table.
constexpr std::int32_t few_members = 8;  // see choose_alltoall
constexpr Bytes short_broadcast{12288}, medium_broadcast{524288};
constexpr Bytes short_allgather{81920}, medium_allgather{524288};
constexpr Bytes short_alltoall{256}, short_nonblocking_alltoall{2048}, medium_alltoall{32768};
constexpr Bytes short_reduce{2048};
constexpr Bytes short_allreduce{8}, short_nonblocking_allreduce{2048};
constexpr Bytes medium_reduce_scatter{524288};
constexpr Bytes short_between_groups{2048};

bool all_alike(const std::vector<Bytes>& sizes) {
  return std::adjacent_find(sizes.begin(), sizes.end(), std::not_equal_to<>()) == sizes.end();
}

/// MPICH 4.0 measures the nonblocking form of reduce_scatter_block in elements, against the same limit.
Bytes counted_size(const CollectivePart& part) {
  return part.blocking ? part.bytes : Bytes(part.bytes.count() / part.element.count());
}

Algorithm choose_broadcast(const Member& member) {
  const Bytes bytes = member.part.bytes;
  // The two forms differ at the limits themselves.
  const auto up_to = [&](Bytes limit) { return member.part.blocking ? bytes <= limit : bytes < limit; };
  if (member.members < few_members || up_to(short_broadcast)) return broadcast_binomial;
  if (is_power_of_two(member.members) && up_to(medium_broadcast))
    return broadcast_scatter_recursive_doubling_allgather;
  return broadcast_scatter_ring_allgather;
}

struct AllgatherAlgorithms {
  Algorithm recursive_doubling, bruck, ring;
};
Algorithm choose_allgather(const Member& member, Bytes total, const AllgatherAlgorithms& algorithms) {
  if (is_power_of_two(member.members))
    return total < medium_allgather ? algorithms.recursive_doubling : algorithms.ring;
  return total < short_allgather ? algorithms.bruck : algorithms.ring;
}

Algorithm choose_alltoall(const Member& member) {
  const Bytes bytes = member.part.bytes;
  if (member.part.in_place) return alltoall_pairwise_replace;
  const Bytes short_limit = member.part.blocking ? short_alltoall : short_nonblocking_alltoall;
  // The table says "fewer than 8" for this kind too, but where MPICH 4.0 asks at the time of the call (as it
  // has to, after the question of the place), and not when the communicator is made, it lets 8 count as few.
  if (member.members > few_members && bytes <= short_limit) return alltoall_bruck;
  return bytes <= medium_alltoall ? alltoall_scattered : alltoall_pairwise;
}

Algorithm choose_reduce(const Member& member) {
  if (member.part.bytes <= short_reduce || !applies_to_divisible_operands(member)) return reduce_binomial;
  return reduce_reduce_scatter_gather;
}

Algorithm choose_allreduce(const Member& member) {
  const Bytes short_limit = member.part.blocking ? short_allreduce : short_nonblocking_allreduce;
  if (member.part.bytes <= short_limit || !applies_to_divisible_operands(member))
    return allreduce_recursive_doubling;
  return allreduce_reduce_scatter_allgather;
}

Algorithm choose_reduce_scatter(const Member& member, Bytes total) {
  if (member.part.commutative)
    return total < medium_reduce_scatter ? reduce_scatter_recursive_halving : reduce_scatter_pairwise;
  return applies_to_regular_power_of_two(member) ? reduce_scatter_noncommutative
                                                 : reduce_scatter_recursive_doubling;
}

/// Whether all that the group other than the root's gives or gets is short.
bool moves_little_between_groups(const Member& member) {
  const TwoGroups groups(member);
  const bool with_root = groups.own().contains(member.part.root);
  return member.part.bytes * (with_root ? groups.remote() : groups.own()).size < short_between_groups;
}

Algorithm choose_between_groups(const Member& member) {
  switch (member.part.kind) {
    case CollectiveKind::barrier:
      return barrier_between_groups;
    case CollectiveKind::broadcast:
      return broadcast_between_groups;
    case CollectiveKind::gather:
      return moves_little_between_groups(member) ? gather_between_groups_by_leader
                                                 : gather_between_groups_linear;
    case CollectiveKind::gatherv:
      return gatherv_between_groups;
    case CollectiveKind::scatter:
      return moves_little_between_groups(member) ? scatter_between_groups_by_leader
                                                 : scatter_between_groups_linear;
    case CollectiveKind::scatterv:
      return scatterv_between_groups;
    case CollectiveKind::allgather:
      return allgather_between_groups;
    case CollectiveKind::allgatherv:
      return allgatherv_between_groups;
    case CollectiveKind::alltoall:
      return alltoall_between_groups;
    case CollectiveKind::alltoallv:
      return alltoallv_between_groups;
    case CollectiveKind::alltoallw:
      return alltoallw_between_groups;
    case CollectiveKind::reduce:
      return reduce_between_groups;
    case CollectiveKind::allreduce:
      return allreduce_between_groups;
    case CollectiveKind::reduce_scatter:
      return reduce_scatter_between_groups;
    case CollectiveKind::reduce_scatter_block:
      return reduce_scatter_block_between_groups;
    case CollectiveKind::create_context:
      return create_context_between_groups;
    default:
      return nullptr;  // not defined between groups
  }
}

}  // namespace

Algorithm mpich_choice(const Member& member) {
  const CollectivePart& part = member.part;
  if (part.first_group > 0) return choose_between_groups(member);
  switch (part.kind) {
    case CollectiveKind::barrier:
      return barrier_dissemination;
    case CollectiveKind::broadcast:
      return choose_broadcast(member);
    case CollectiveKind::gather:
      return gather_binomial;
    case CollectiveKind::gatherv:
      return gatherv_linear;
    case CollectiveKind::scatter:
      return scatter_binomial;
    case CollectiveKind::scatterv:
      return scatterv_linear;
    case CollectiveKind::allgather:
      return choose_allgather(member, part.bytes * member.members,
                              {allgather_recursive_doubling, allgather_bruck, allgather_ring});
    case CollectiveKind::allgatherv:
      return choose_allgather(member, sum(part.receive_sizes),
                              {allgatherv_recursive_doubling, allgatherv_bruck, allgatherv_ring});
    case CollectiveKind::alltoall:
      return choose_alltoall(member);
    case CollectiveKind::alltoallv:
    case CollectiveKind::alltoallw:
      return part.in_place ? alltoallv_pairwise_replace : alltoallv_scattered;
    case CollectiveKind::reduce:
      return choose_reduce(member);
    case CollectiveKind::allreduce:
      return choose_allreduce(member);
    case CollectiveKind::reduce_scatter:
      return choose_reduce_scatter(member, sum(part.send_sizes));
    case CollectiveKind::reduce_scatter_block:
      return choose_reduce_scatter(member, counted_size(part) * member.members);
    case CollectiveKind::scan:
      return scan_recursive_doubling;
    case CollectiveKind::exscan:
      return exscan_recursive_doubling;
    case CollectiveKind::neighbor_allgather:
    case CollectiveKind::neighbor_allgatherv:
    case CollectiveKind::neighbor_alltoall:
    case CollectiveKind::neighbor_alltoallv:
    case CollectiveKind::neighbor_alltoallw:
      return neighbor_linear;
    case CollectiveKind::create_context:
      break;
  }
  return nullptr;  // a context is created by other kinds' algorithms
}

bool always_applies(const Member&) {
  return true;
}

bool applies_out_of_place(const Member& member) {
  return !member.part.in_place;
}

bool applies_in_place(const Member& member) {
  return member.part.in_place;
}

bool applies_to_commuting_operands(const Member& member) {
  return member.part.commutative;
}

bool applies_to_divisible_operands(const Member& member) {
  const CollectivePart& part = member.part;
  return part.commutative && part.bytes.count() / part.element.count() >= power_of_two_within(member.members);
}

bool applies_to_regular_power_of_two(const Member& member) {
  return is_power_of_two(member.members) &&
         (member.part.kind == CollectiveKind::reduce_scatter_block || all_alike(member.part.send_sizes));
}

}  // namespace morgana::collectives
