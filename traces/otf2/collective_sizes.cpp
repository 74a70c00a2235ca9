#include "traces/otf2/collective_sizes.h"

#include <numeric>

namespace morgana {
namespace {

std::uint64_t sum(const std::vector<Bytes>& sizes) {
  std::uint64_t total = 0;
  for (const Bytes size : sizes) total += static_cast<std::uint64_t>(size.count());
  return total;
}

std::uint64_t own(const std::vector<Bytes>& sizes, std::uint32_t me) {
  return me < sizes.size() ? static_cast<std::uint64_t>(sizes[me].count()) : 0;
}

Bytes as_bytes(std::uint64_t count) {
  return Bytes(static_cast<std::int64_t>(count));
}

void spread_evenly(std::vector<Bytes>& sizes, std::uint64_t total, std::uint32_t members) {
  sizes.resize(members);
  for (std::uint32_t i = 0; i < members; ++i)
    sizes[i] = as_bytes(total / members + (i < total % members ? 1 : 0));
}

/// `mine` at place `me`, the rest of the total evenly over the others.
void spread_over_others(std::vector<Bytes>& sizes, std::uint64_t total, std::uint32_t members,
                        std::uint32_t me, std::uint64_t mine) {
  const std::uint64_t rest = total > mine ? total - mine : 0;
  const std::uint64_t others = members > 1 ? members - 1 : 1;
  sizes.resize(members);
  std::uint64_t place = 0;
  for (std::uint32_t i = 0; i < members; ++i) {
    if (i == me) {
      sizes[i] = as_bytes(mine);
      continue;
    }
    sizes[i] = as_bytes(rest / others + (place < rest % others ? 1 : 0));
    ++place;
  }
}

/// One of n blocks, or one of n-1 where the call was in place.
std::uint64_t block_of(std::uint64_t total, std::uint32_t members, bool& in_place) {
  if (members > 1 && total % members != 0 && total % (members - 1) == 0) {
    in_place = true;
    return total / (members - 1);
  }
  return total / members;
}

}  // namespace

CollectiveTotals totals_of(const CollectivePart& part, std::uint32_t members, std::uint32_t me) {
  const auto block = static_cast<std::uint64_t>(part.bytes.count());
  const bool at_root = part.root >= 0 && static_cast<std::uint32_t>(part.root) == me;
  const std::uint64_t peers = part.in_place ? members - 1 : members;
  switch (part.kind) {
    case CollectiveKind::barrier:
    case CollectiveKind::create_context:
      return {};
    case CollectiveKind::broadcast:
      return {at_root ? members * block : 0, block};
    case CollectiveKind::gather:
    case CollectiveKind::reduce:
      if (!at_root) return {block, 0};
      return {part.in_place ? 0 : block, peers * block};
    case CollectiveKind::scatter:
      if (!at_root) return {0, block};
      return {peers * block, part.in_place ? 0 : block};
    case CollectiveKind::gatherv: {
      if (!at_root) return {block, 0};
      const std::uint64_t mine = own(part.receive_sizes, me);
      return {part.in_place ? 0 : mine, sum(part.receive_sizes) - (part.in_place ? mine : 0)};
    }
    case CollectiveKind::scatterv: {
      if (!at_root) return {0, block};
      const std::uint64_t mine = own(part.send_sizes, me);
      return {sum(part.send_sizes) - (part.in_place ? mine : 0), part.in_place ? 0 : mine};
    }
    case CollectiveKind::allgather:
    case CollectiveKind::alltoall:
    case CollectiveKind::allreduce:
    case CollectiveKind::reduce_scatter_block:
      return {peers * block, peers * block};
    case CollectiveKind::allgatherv: {
      const std::uint64_t mine = own(part.receive_sizes, me);
      return {peers * mine, sum(part.receive_sizes) - (part.in_place ? mine : 0)};
    }
    case CollectiveKind::alltoallv:
    case CollectiveKind::alltoallw: {
      const std::uint64_t mine = part.in_place ? own(part.receive_sizes, me) : 0;
      const std::uint64_t received = sum(part.receive_sizes) - mine;
      return {part.in_place ? received : sum(part.send_sizes), received};
    }
    case CollectiveKind::reduce_scatter: {
      const std::uint64_t mine = own(part.send_sizes, me);
      return {sum(part.send_sizes) - (part.in_place ? mine : 0), peers * mine};
    }
    case CollectiveKind::scan:
      return {(members - me - (part.in_place ? 1 : 0)) * block, (me + (part.in_place ? 0 : 1)) * block};
    case CollectiveKind::exscan:
      return {(members - me - 1) * block, me * block};
    case CollectiveKind::neighbor_allgather:
    case CollectiveKind::neighbor_alltoall:
      return {part.destinations.size() * block, part.sources.size() * block};
    case CollectiveKind::neighbor_allgatherv:
      return {part.destinations.size() * block, sum(part.receive_sizes)};
    case CollectiveKind::neighbor_alltoallv:
    case CollectiveKind::neighbor_alltoallw:
      return {sum(part.send_sizes), sum(part.receive_sizes)};
  }
  return {};
}

void derive_part(CollectiveKind kind, std::uint32_t members, std::uint32_t me, const CollectiveTotals& totals,
                 CollectivePart& part) {
  part.kind = kind;
  part.first_group = 0;
  part.commutative = true;
  part.in_place = false;
  part.element = Bytes(1);
  part.bytes = Bytes(0);
  part.send_sizes.clear();
  part.receive_sizes.clear();
  part.sources.clear();
  part.destinations.clear();
  const bool at_root = part.root >= 0 && static_cast<std::uint32_t>(part.root) == me;
  const auto [sent, received] = totals;
  switch (kind) {
    case CollectiveKind::broadcast:
      part.bytes = as_bytes(received > 0 ? received : sent / members);
      return;
    case CollectiveKind::gather:
    case CollectiveKind::reduce:
      part.in_place = at_root && sent == 0 && received > 0 && members > 1;
      part.bytes = as_bytes(part.in_place ? received / (members - 1) : sent);
      return;
    case CollectiveKind::scatter:
      part.in_place = at_root && received == 0 && sent > 0 && members > 1;
      part.bytes = as_bytes(part.in_place ? sent / (members - 1) : received);
      return;
    case CollectiveKind::gatherv:
      part.in_place = at_root && sent == 0 && received > 0;
      part.bytes = as_bytes(sent);
      if (at_root) spread_over_others(part.receive_sizes, received, members, me, sent);
      return;
    case CollectiveKind::scatterv:
      part.in_place = at_root && received == 0 && sent > 0;
      part.bytes = as_bytes(received);
      if (at_root) spread_over_others(part.send_sizes, sent, members, me, received);
      return;
    case CollectiveKind::allgather:
    case CollectiveKind::alltoall:
    case CollectiveKind::allreduce:
    case CollectiveKind::reduce_scatter_block:
      part.bytes = as_bytes(block_of(sent, members, part.in_place));
      return;
    case CollectiveKind::allgatherv: {
      const std::uint64_t mine = block_of(sent, members, part.in_place);
      part.bytes = as_bytes(mine);
      spread_over_others(part.receive_sizes, received + (part.in_place ? mine : 0), members, me, mine);
      return;
    }
    case CollectiveKind::alltoallv:
    case CollectiveKind::alltoallw:
      spread_evenly(part.send_sizes, sent, members);
      spread_evenly(part.receive_sizes, received, members);
      return;
    case CollectiveKind::reduce_scatter: {
      const std::uint64_t mine = block_of(received, members, part.in_place);
      spread_over_others(part.send_sizes, sent + (part.in_place ? mine : 0), members, me, mine);
      return;
    }
    case CollectiveKind::scan:
      part.bytes = as_bytes(sent / (members - me));
      return;
    case CollectiveKind::exscan:
      part.bytes = as_bytes(me + 1 < members ? sent / (members - me - 1) : me > 0 ? received / me : 0);
      return;
    case CollectiveKind::barrier:
    case CollectiveKind::create_context:
    case CollectiveKind::neighbor_allgather:
    case CollectiveKind::neighbor_allgatherv:
    case CollectiveKind::neighbor_alltoall:
    case CollectiveKind::neighbor_alltoallv:
    case CollectiveKind::neighbor_alltoallw:
      return;
  }
}

}  // namespace morgana
