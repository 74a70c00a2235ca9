// Collectives: what a record says of one, as this rank's part in it.

#include <fmt/format.h>

#include <algorithm>

#include "traces/import/dumpi/rank.h"

namespace morgana::dumpi {
namespace {

std::optional<CollectiveKind> kind_of(Function function) {
  switch (function) {
    case Function::barrier:
      return CollectiveKind::barrier;
    case Function::broadcast:
      return CollectiveKind::broadcast;
    case Function::gather:
      return CollectiveKind::gather;
    case Function::gatherv:
      return CollectiveKind::gatherv;
    case Function::scatter:
      return CollectiveKind::scatter;
    case Function::scatterv:
      return CollectiveKind::scatterv;
    case Function::allgather:
      return CollectiveKind::allgather;
    case Function::allgatherv:
      return CollectiveKind::allgatherv;
    case Function::alltoall:
      return CollectiveKind::alltoall;
    case Function::alltoallv:
      return CollectiveKind::alltoallv;
    case Function::alltoallw:
      return CollectiveKind::alltoallw;
    case Function::reduce:
      return CollectiveKind::reduce;
    case Function::allreduce:
      return CollectiveKind::allreduce;
    case Function::reduce_scatter:
      return CollectiveKind::reduce_scatter;
    case Function::scan:
      return CollectiveKind::scan;
    case Function::exscan:
      return CollectiveKind::exscan;
    default:
      return std::nullopt;
  }
}

}  // namespace

/// Elements of a type of unknown size count as a byte each.
Bytes DumpiRankCalls::times(const Record& record, std::int64_t count, std::int64_t type) {
  const std::optional<std::int64_t> size = types_.size(type);
  if (!size && count > 0) ++counts_->unknown_sizes;
  const std::int64_t element = size.value_or(1);
  if (count < 0 || element < 0 || (element > 0 && count > any_room.count() / element))
    file_.refuse(record, fmt::format("names {} elements of {} bytes, which no message has", count, element));
  return Bytes(count * element);
}

std::vector<Bytes> DumpiRankCalls::times(const Record& record, const std::vector<std::int32_t>& counts,
                                         std::int64_t type) {
  std::vector<Bytes> bytes;
  bytes.reserve(counts.size());
  for (const std::int32_t count : counts) bytes.push_back(times(record, count, type));
  return bytes;
}

void DumpiRankCalls::collective(const Record& record, std::int64_t handle, CollectivePart part) {
  const TracedCommunicator& among = communicator(record, handle);
  const std::size_t members = among.members.size();
  if (part.root < 0 || static_cast<std::size_t>(part.root) >= members)
    file_.refuse(record, fmt::format("names root {} of a communicator of {} ranks", part.root, members));
  for (const auto* sizes : {&part.send_sizes, &part.receive_sizes})
    if (!sizes->empty() && sizes->size() != members)
      file_.refuse(record,
                   fmt::format("names {} sizes, but the communicator has {} ranks", sizes->size(), members));
  Operation operation = plain(record, OperationKind::collective, CallPart::first);
  operation.context = among.context;
  operation.collective = std::move(part);
  const Call call = operation.call;
  const RequestId request = queue_.start(std::move(operation));
  queue_.wait(call, CallPart::last, {&request, 1});
}

void DumpiRankCalls::fill_reduction(const Record& record, std::int64_t count, std::int64_t type,
                                    std::int64_t op, CollectivePart& part) {
  part.bytes = times(record, count, type);
  part.element = Bytes(std::max<std::int64_t>(types_.size(type).value_or(1), 1));
  const auto own = commutes_.find(op);
  part.commutative = own == commutes_.end() || own->second;
}

// An in-place contribution of the root is not recorded; it is a block like the others'.
void DumpiRankCalls::fill_gather(const Record& record, CollectivePart& part) {
  const auto& numbers = record.numbers;
  const bool root = numbers[0] == static_cast<std::int64_t>(part.root);
  if (part.kind == CollectiveKind::gather) {
    part.bytes = root ? times(record, numbers[5], numbers[6]) : times(record, numbers[1], numbers[2]);
    return;
  }
  if (root)
    part.receive_sizes = times(record, record.lists[0], numbers[6]);
  else
    part.bytes = times(record, numbers[2], numbers[3]);
}

void DumpiRankCalls::fill_scatter(const Record& record, CollectivePart& part) {
  const auto& numbers = record.numbers;
  const bool root = numbers[0] == static_cast<std::int64_t>(part.root);
  if (part.kind == CollectiveKind::scatter) {
    part.bytes = root ? times(record, numbers[5], numbers[6]) : times(record, numbers[1], numbers[2]);
    return;
  }
  if (root)
    part.send_sizes = times(record, record.lists[0], numbers[2]);
  else
    part.bytes = times(record, numbers[3], numbers[4]);
}

// In place what is sent has the sizes of what is received; counts and types of it mean nothing then, and its
// type is null, or one that libdumpi does not know.
void DumpiRankCalls::fill_alltoall(const Record& record, CollectivePart& part) {
  constexpr std::int64_t null_type = 1;
  const auto& lists = record.lists;
  if (part.kind == CollectiveKind::alltoallv) {
    part.receive_sizes = times(record, lists[2], record.numbers[2]);
    const bool in_place = lists[0].empty() || record.numbers[1] <= null_type;
    part.send_sizes = in_place ? part.receive_sizes : times(record, lists[0], record.numbers[1]);
    return;
  }
  const auto sizes = [&](const std::vector<std::int32_t>& counts, const std::vector<std::int32_t>& types) {
    if (counts.size() != types.size())
      file_.refuse(record, fmt::format("names {} counts, but {} types", counts.size(), types.size()));
    std::vector<Bytes> bytes;
    for (std::size_t i = 0; i < counts.size(); ++i) bytes.push_back(times(record, counts[i], types[i]));
    return bytes;
  };
  part.receive_sizes = sizes(lists[3], lists[5]);
  const bool in_place =
      lists[0].empty() || std::ranges::all_of(lists[2], [](std::int64_t type) { return type <= null_type; });
  part.send_sizes = in_place ? part.receive_sizes : sizes(lists[0], lists[2]);
}

bool DumpiRankCalls::act_on_collective(const Record& record) {
  const std::optional<CollectiveKind> kind = kind_of(record.function);
  if (!kind) return false;
  const auto& numbers = record.numbers;
  std::int64_t handle = numbers.back();
  CollectivePart part;
  part.kind = *kind;
  const auto root_is = [&](std::int64_t root) { part.root = static_cast<std::int32_t>(root); };
  switch (*kind) {
    case CollectiveKind::broadcast:
      root_is(numbers[2]);
      part.bytes = times(record, numbers[0], numbers[1]);
      break;
    case CollectiveKind::gather:
      root_is(numbers[3]);
      handle = numbers[4];
      fill_gather(record, part);
      break;
    case CollectiveKind::gatherv:
      root_is(numbers[4]);
      handle = numbers[5];
      fill_gather(record, part);
      break;
    case CollectiveKind::scatter:
      root_is(numbers[3]);
      handle = numbers[4];
      fill_scatter(record, part);
      break;
    case CollectiveKind::scatterv:
      root_is(numbers[5]);
      fill_scatter(record, part);
      break;
    case CollectiveKind::allgather:
    case CollectiveKind::alltoall:
      part.bytes = times(record, numbers[2], numbers[3]);
      break;
    case CollectiveKind::allgatherv: {
      part.receive_sizes = times(record, record.lists[0], numbers[3]);
      const std::vector<Rank>& members = communicator(record, handle).members;
      const auto own = static_cast<std::size_t>(std::ranges::find(members, rank_) - members.begin());
      if (own < part.receive_sizes.size()) part.bytes = part.receive_sizes[own];
      break;
    }
    case CollectiveKind::alltoallv:
    case CollectiveKind::alltoallw:
      fill_alltoall(record, part);
      break;
    case CollectiveKind::reduce:
      root_is(numbers[3]);
      fill_reduction(record, numbers[0], numbers[1], numbers[2], part);
      break;
    case CollectiveKind::allreduce:
    case CollectiveKind::scan:
    case CollectiveKind::exscan:
      fill_reduction(record, numbers[0], numbers[1], numbers[2], part);
      break;
    case CollectiveKind::reduce_scatter:
      fill_reduction(record, 0, numbers[1], numbers[2], part);
      part.send_sizes = times(record, record.lists[0], numbers[1]);
      break;
    default:  // barrier
      break;
  }
  collective(record, handle, std::move(part));
  return true;
}

}  // namespace morgana::dumpi
