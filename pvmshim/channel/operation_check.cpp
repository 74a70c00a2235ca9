#include "pvmshim/channel/operation_check.h"

#include <algorithm>

#include "pvmshim/channel/codec.h"

namespace morgana {

void check_said(const Operation& operation, std::size_t ranks, Bytes payload_room) {
  const auto is_rank = [ranks](Rank rank) { return rank == any_rank || index(rank) < ranks; };
  if (!is_rank(operation.peer) || !std::all_of(operation.members.begin(), operation.members.end(), is_rank))
    throw MalformedRecord("malformed record: no such rank");
  if (operation.kind == OperationKind::spawn || operation.kind == OperationKind::kill)
    throw MalformedRecord("malformed record: ranks neither start nor end others");
  constexpr Bytes largest(std::int64_t{1} << 42);
  const auto is_size = [largest](Bytes size) { return size <= largest; };
  const CollectivePart& part = operation.collective;
  if (!is_size(operation.bytes) || !is_size(operation.reply) || !is_size(part.bytes) ||
      !is_size(part.element) || !std::ranges::all_of(part.send_sizes, is_size) ||
      !std::ranges::all_of(part.receive_sizes, is_size))
    throw MalformedRecord("malformed record: more than 4 TiB at once");
  if (operation.kind == OperationKind::send && operation.bytes > payload_room)
    throw MalformedRecord("malformed record: a message that no memory holds");
}

}  // namespace morgana
