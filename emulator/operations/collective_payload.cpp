#include "emulator/operations/collective_payload.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace morgana {
namespace {

Bytes sum_of(const std::vector<Bytes>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), Bytes());
}

Bytes size_at(const std::vector<Bytes>& sizes, std::uint32_t place) {
  return place < sizes.size() ? sizes[place] : Bytes();
}

/// With whom a rank exchanges data.
struct Partners {
  Partners(const CollectivePart& part, std::uint32_t members, std::uint32_t me)
      : between_groups(part.first_group > 0),
        is_root(std::cmp_equal(part.root, me)),
        place(me),
        group(members),
        others(members) {
    if (!between_groups) return;
    const std::uint32_t first = std::min(static_cast<std::uint32_t>(part.first_group), members);
    const bool in_first = me < first;
    is_beside_root = !is_root && in_first == std::cmp_less(part.root, first);
    group = in_first ? first : members - first;
    others = members - group;
    if (!in_first) place -= first;
  }

  bool between_groups;
  bool is_root;
  bool is_beside_root = false;  ///< in the root's group on an intercommunicator: takes no part in its data
  std::uint32_t place;          ///< of the rank in its group
  std::int64_t group;           ///< how many members its group has
  std::int64_t others;          ///< how many members it exchanges data with
};

/// Of a rooted collective in which data go from the root to the others; those of the opposite direction are
/// its mirror image.
/// @param all  what the root gives  @param own  what a member gets
CollectivePayload from_root(const Partners& partners, Bytes all, Bytes own) {
  if (partners.is_root) return {all, partners.between_groups ? Bytes() : own};
  return {Bytes(), partners.is_beside_root ? Bytes() : own};
}
CollectivePayload to_root(const Partners& partners, Bytes all, Bytes own) {
  const CollectivePayload mirrored = from_root(partners, all, own);
  return {mirrored.received, mirrored.given};
}

}  // namespace

CollectivePayload payload_of(const CollectivePart& part, std::uint32_t members, std::uint32_t me) {
  const Partners partners(part, members, me);
  const Bytes block = part.bytes;
  // On an intercommunicator the blocks of the two groups may differ.
  const Bytes others_block =
      partners.between_groups && part.receive_sizes.size() == 1 ? part.receive_sizes[0] : block;
  switch (part.kind) {
    case CollectiveKind::barrier:
    case CollectiveKind::create_context:
      return {};
    case CollectiveKind::broadcast:
      if (partners.is_root) return {block, Bytes()};
      return from_root(partners, block, block);
    case CollectiveKind::scatter:
      return from_root(partners, partners.others * block, block);
    case CollectiveKind::scatterv:
      return from_root(partners, sum_of(part.send_sizes),
                       partners.is_root ? size_at(part.send_sizes, me) : block);
    case CollectiveKind::gather:
      return to_root(partners, partners.others * block, block);
    case CollectiveKind::gatherv:
      return to_root(partners, sum_of(part.receive_sizes),
                     partners.is_root ? size_at(part.receive_sizes, me) : block);
    case CollectiveKind::reduce:
      return to_root(partners, block, block);
    case CollectiveKind::allreduce:
    case CollectiveKind::scan:
      return {block, block};
    case CollectiveKind::exscan:
      return {block, me > 0 ? block : Bytes()};
    case CollectiveKind::allgather:
      return {block, partners.others * others_block};
    case CollectiveKind::allgatherv:
      return {partners.between_groups ? block : size_at(part.receive_sizes, me), sum_of(part.receive_sizes)};
    case CollectiveKind::alltoall:
      return {partners.others * block, partners.others * others_block};
    case CollectiveKind::alltoallv:
    case CollectiveKind::alltoallw:
      return {sum_of(part.in_place ? part.receive_sizes : part.send_sizes), sum_of(part.receive_sizes)};
    case CollectiveKind::reduce_scatter:
      return {sum_of(part.send_sizes), size_at(part.send_sizes, partners.place)};
    case CollectiveKind::reduce_scatter_block:
      return {partners.group * block, block};
    case CollectiveKind::neighbor_allgather:
    case CollectiveKind::neighbor_allgatherv: {
      const Bytes given = part.destinations.empty() ? Bytes() : block;
      if (part.kind == CollectiveKind::neighbor_allgatherv) return {given, sum_of(part.receive_sizes)};
      return {given, static_cast<std::int64_t>(part.sources.size()) * block};
    }
    case CollectiveKind::neighbor_alltoall:
      return {static_cast<std::int64_t>(part.destinations.size()) * block,
              static_cast<std::int64_t>(part.sources.size()) * block};
    case CollectiveKind::neighbor_alltoallv:
    case CollectiveKind::neighbor_alltoallw:
      return {sum_of(part.send_sizes), sum_of(part.receive_sizes)};
  }
  return {};
}

}  // namespace morgana
