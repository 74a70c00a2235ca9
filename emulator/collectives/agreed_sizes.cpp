#include "emulator/collectives/agreed_sizes.h"

#include <utility>

namespace morgana::collectives {
namespace {

/// The list that all members know; null where there is none.
template <typename Part>
auto common_list(Part& part) -> decltype(&part.send_sizes) {
  if (part.first_group > 0) return nullptr;
  if (part.kind == CollectiveKind::reduce_scatter) return &part.send_sizes;
  if (part.kind == CollectiveKind::allgatherv) return &part.receive_sizes;
  return nullptr;
}

}  // namespace

bool has_one_size(const CollectivePart& part) {
  if (part.first_group > 0) return false;
  switch (part.kind) {
    case CollectiveKind::broadcast:
    case CollectiveKind::gather:
    case CollectiveKind::scatter:
    case CollectiveKind::allgather:
    case CollectiveKind::alltoall:
    case CollectiveKind::reduce:
    case CollectiveKind::allreduce:
    case CollectiveKind::reduce_scatter_block:
    case CollectiveKind::scan:
    case CollectiveKind::exscan:
      return true;
    default:
      return false;
  }
}

AgreedSizes agreed_sizes(const CollectivePart& part) {
  const auto* list = common_list(part);
  return {part.bytes, part.element, list == nullptr ? std::vector<Bytes>() : *list};
}

bool disagrees(const CollectivePart& part, const AgreedSizes& agreed) {
  if (has_one_size(part)) return part.bytes != agreed.bytes || part.element != agreed.element;
  const auto* list = common_list(part);
  return list != nullptr && *list != agreed.list;
}

CollectivePart with_sizes(CollectivePart part, const AgreedSizes& agreed) {
  if (has_one_size(part)) {
    part.bytes = agreed.bytes;
    part.element = agreed.element;
  }
  if (auto* list = common_list(part)) *list = agreed.list;
  return part;
}

}  // namespace morgana::collectives
