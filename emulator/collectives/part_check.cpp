#include "emulator/collectives/part_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "emulator/core/error.h"
#include "emulator/operations/collective_names.h"

namespace morgana::collectives {
namespace {

[[noreturn]] void reject(const Member& member, const std::string& what) {
  throw Error(
      fmt::format("member {} of {}, {}: {}", member.me, member.members, name_of(member.part.kind), what));
}

void check_sizes(const Member& member, const std::vector<Bytes>& sizes, std::size_t expected,
                 std::string_view which) {
  if (sizes.size() != expected)
    reject(member,
           fmt::format("{} {} {} given, {} {} needed", sizes.size(), which,
                       sizes.size() == 1 ? "size is" : "sizes are", expected, expected == 1 ? "is" : "are"));
  if (std::any_of(sizes.begin(), sizes.end(), [](Bytes size) { return size < Bytes(); }))
    reject(member, fmt::format("a {} size is negative", which));
}

void check_neighbours(const Member& member, const std::vector<std::int32_t>& neighbours) {
  for (const std::int32_t neighbour : neighbours)
    if (neighbour < 0 || neighbour >= member.members)
      reject(member, fmt::format("there is no neighbour {}; members are numbered 0 to {}", neighbour,
                                 member.members - 1));
}

void check_root(const Member& member) {
  if (member.part.root < 0 || member.part.root >= member.members)
    reject(member, fmt::format("there is no root {}; members are numbered 0 to {}", member.part.root,
                               member.members - 1));
}

void check_element(const Member& member) {
  if (member.part.element <= Bytes()) reject(member, "elements without a size can't be reduced");
}

/// How many members give to and get from this one, and how many it shares a reduction's result with.
struct Peers {
  std::size_t partners, sharers;
};

Peers peers_of(const Member& member) {
  const std::int32_t first = member.part.first_group;
  if (first == 0) return {static_cast<std::size_t>(member.members), static_cast<std::size_t>(member.members)};
  const auto low = static_cast<std::size_t>(first), high = static_cast<std::size_t>(member.members - first);
  return member.me < first ? Peers{high, low} : Peers{low, high};
}

/// What is true of intercommunicators only.
void check_groups(const Member& member) {
  const CollectivePart& part = member.part;
  if (part.first_group < 0 || part.first_group >= member.members)
    reject(member,
           fmt::format("a first group of {} members is given; each of the two groups needs at least one",
                       part.first_group));
  if (part.in_place)
    reject(member, "in place is not possible between two groups; give it buffers of its own");
  switch (part.kind) {
    case CollectiveKind::scan:
    case CollectiveKind::exscan:
    case CollectiveKind::neighbor_allgather:
    case CollectiveKind::neighbor_allgatherv:
    case CollectiveKind::neighbor_alltoall:
    case CollectiveKind::neighbor_alltoallv:
    case CollectiveKind::neighbor_alltoallw:
      reject(member, "MPI does not define it on an intercommunicator; use an ordinary communicator");
    case CollectiveKind::allgather:
    case CollectiveKind::alltoall:
      if (!part.receive_sizes.empty()) check_sizes(member, part.receive_sizes, 1, "receive");
      break;
    default:
      break;
  }
}

}  // namespace

void check(const Member& member) {
  const CollectivePart& part = member.part;
  if (part.first_group != 0) check_groups(member);
  const auto [partners, sharers] = peers_of(member);
  if (part.bytes < Bytes()) reject(member, fmt::format("a size of {} bytes is negative", part.bytes.count()));
  switch (part.kind) {
    case CollectiveKind::broadcast:
    case CollectiveKind::gather:
    case CollectiveKind::scatter:
      check_root(member);
      break;
    case CollectiveKind::gatherv:
      check_root(member);
      if (member.is_root()) check_sizes(member, part.receive_sizes, partners, "receive");
      break;
    case CollectiveKind::scatterv:
      check_root(member);
      if (member.is_root()) check_sizes(member, part.send_sizes, partners, "send");
      break;
    case CollectiveKind::allgatherv:
      check_sizes(member, part.receive_sizes, partners, "receive");
      break;
    case CollectiveKind::alltoallv:
    case CollectiveKind::alltoallw:
      check_sizes(member, part.receive_sizes, partners, "receive");
      if (!part.in_place) check_sizes(member, part.send_sizes, partners, "send");
      break;
    case CollectiveKind::reduce:
      check_root(member);
      check_element(member);
      break;
    case CollectiveKind::allreduce:
    case CollectiveKind::reduce_scatter_block:
      check_element(member);
      break;
    case CollectiveKind::reduce_scatter:
      check_sizes(member, part.send_sizes, sharers, "block");
      break;
    case CollectiveKind::neighbor_alltoallv:
    case CollectiveKind::neighbor_alltoallw:
      check_sizes(member, part.send_sizes, part.destinations.size(), "send");
      [[fallthrough]];
    case CollectiveKind::neighbor_allgatherv:
      check_sizes(member, part.receive_sizes, part.sources.size(), "receive");
      [[fallthrough]];
    case CollectiveKind::neighbor_allgather:
    case CollectiveKind::neighbor_alltoall:
      check_neighbours(member, part.sources);
      check_neighbours(member, part.destinations);
      break;
    default:
      break;
  }
}

}  // namespace morgana::collectives
