#include "emulator/engine/operation_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "emulator/core/error.h"

namespace morgana {

OperationChecks::OperationChecks(std::size_t ranks)
    : ranks_(ranks),
      largest_size_((std::int64_t{1} << 60) / std::max<std::int64_t>(static_cast<std::int64_t>(ranks), 1)) {}

void OperationChecks::sizes(Rank rank, const Operation& operation) const {
  size(rank, operation, operation.bytes);
  size(rank, operation, operation.reply);
  if (operation.kind != OperationKind::collective) return;
  size(rank, operation, operation.collective.bytes);
  for (const Bytes one : operation.collective.send_sizes) size(rank, operation, one);
  for (const Bytes one : operation.collective.receive_sizes) size(rank, operation, one);
}

void OperationChecks::refuse_size(Rank rank, const Operation& operation, Bytes size) const {
  const std::string_view call = name_of(operation.call);
  if (size < Bytes(0)) throw Error(fmt::format("rank {}: {} names a negative size", index(rank), call));
  throw Error(
      fmt::format("rank {}: {} names {} bytes; with {} ranks {} are the most: the program or trace must "
                  "move less at once",
                  index(rank), call, size.count(), ranks_, largest_size_.count()));
}

void OperationChecks::peer(Rank rank, const Operation& operation, bool wildcard) const {
  if (wildcard && operation.peer == any_rank) return;
  if (operation.peer < Rank{0} || index(operation.peer) >= ranks_)
    throw Error(fmt::format("rank {}: {} names rank {}, but the ranks are 0 to {}", index(rank),
                            name_of(operation.call), static_cast<std::int32_t>(operation.peer), ranks_ - 1));
}

void OperationChecks::envelope(Rank rank, const Operation& operation, bool wildcard) const {
  peer(rank, operation, wildcard);
  if (is_for_collectives(operation.context) || (operation.context == any_context && !wildcard))
    throw Error(fmt::format("rank {}: {} names a context that is out of range", index(rank),
                            name_of(operation.call)));
  if (operation.tag < Tag{0} && !(wildcard && operation.tag == any_tag))
    throw Error(fmt::format("rank {}: {} names tag {}", index(rank), name_of(operation.call),
                            static_cast<std::int32_t>(operation.tag)));
}

}  // namespace morgana
