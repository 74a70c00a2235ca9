#include "traces/import/named_communicators.h"

#include <fmt/format.h>

#include <algorithm>

namespace morgana {

std::string NamedCommunicators::define(std::int64_t number, const std::vector<std::int64_t>& members,
                                       std::size_t ranks) {
  const auto [place, fresh] = all_.try_emplace(number);
  if (!fresh) return fmt::format("communicator {} is defined twice", number);
  Defined& one = place->second;
  bool usable = !members.empty(), is_world = members.size() == ranks;
  for (std::size_t i = 0; i < members.size() && usable; ++i) {
    usable = members[i] >= 0 && static_cast<std::size_t>(members[i]) < ranks &&
             one.places.emplace(static_cast<std::int32_t>(members[i]), static_cast<std::int32_t>(i)).second;
    is_world = is_world && members[i] == static_cast<std::int64_t>(i);
    one.members.push_back(Rank(static_cast<std::int32_t>(members[i])));
  }
  if (!usable) one.members.clear();
  one.context = is_world ? world_context : Context{all_.size()};
  return {};
}

const NamedCommunicators::Defined* NamedCommunicators::find(std::int64_t number) const {
  const auto found = all_.find(number);
  return found == all_.end() || found->second.members.empty() ? nullptr : &found->second;
}

void UsedCommunicators::use(const NamedCommunicators::Defined& communicator, OperationQueue& queue) {
  if (communicator.context == world_context) return;
  if (!announced_.emplace(static_cast<std::uint64_t>(communicator.context), true).second) return;
  Operation announced;
  announced.kind = OperationKind::context_created;
  announced.context = communicator.context;
  announced.members = communicator.members;
  queue.add(std::move(announced));
}

bool CollectiveSums::needs_all(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::gatherv:
    case CollectiveKind::scatterv:
    case CollectiveKind::allgatherv:
    case CollectiveKind::alltoallv:
      return true;
    default:
      return false;
  }
}

bool CollectiveSums::splits(CollectiveKind kind) {
  return kind == CollectiveKind::alltoallv || kind == CollectiveKind::reduce_scatter;
}

void CollectiveSums::add(std::int64_t communicator, std::int32_t member, std::size_t members, Sums sums) {
  std::vector<std::vector<Sums>>& of = all_[communicator];
  of.resize(members);
  of[static_cast<std::size_t>(member)].push_back(sums);
}

/// What each member gives or receives in a call; 0 of a member that never makes it.
std::vector<Bytes> CollectiveSums::of_all(std::int64_t communicator, std::size_t number,
                                          std::int64_t Sums::*which) const {
  std::vector<Bytes> sizes;
  for (const std::vector<Sums>& one : all_.at(communicator))
    sizes.push_back(Bytes(number < one.size() ? one[number].*which : 0));
  return sizes;
}

namespace {

/// The place-th of `parts` equal parts of a number of bytes; the first ones get what is left over.
Bytes equal_part(std::int64_t bytes, std::size_t place, std::size_t parts) {
  const auto count = static_cast<std::int64_t>(parts);
  return Bytes(bytes / count + (static_cast<std::int64_t>(place) < bytes % count ? 1 : 0));
}

}  // namespace

void CollectiveSums::fill(CollectivePart& part, std::int64_t communicator, std::int32_t member,
                          std::size_t members, Sums own, std::size_t number) const {
  const auto place = static_cast<std::size_t>(member);
  const bool root = member == part.root;
  switch (part.kind) {
    case CollectiveKind::barrier:
      break;
    case CollectiveKind::broadcast:
      part.bytes = Bytes(std::max(own.given, own.received));
      break;
    case CollectiveKind::scatter:
      part.bytes = Bytes(own.received > 0 || !root ? own.received : own.given);
      break;
    case CollectiveKind::gather:  // the root has all blocks together
      part.bytes =
          Bytes(own.given > 0 || !root ? own.given : own.received / static_cast<std::int64_t>(members));
      break;
    case CollectiveKind::gatherv:
      if (root)
        part.receive_sizes = of_all(communicator, number, &Sums::given);
      else
        part.bytes = Bytes(own.given);
      break;
    case CollectiveKind::scatterv:
      if (root)
        part.send_sizes = of_all(communicator, number, &Sums::received);
      else
        part.bytes = Bytes(own.received);
      break;
    case CollectiveKind::allgatherv:
      part.receive_sizes = of_all(communicator, number, &Sums::given);
      part.bytes = Bytes(own.given);
      break;
    case CollectiveKind::alltoallv:
      for (std::size_t i = 0; i < members; ++i) part.send_sizes.push_back(equal_part(own.given, i, members));
      for (const Bytes given : of_all(communicator, number, &Sums::given))
        part.receive_sizes.push_back(equal_part(given.count(), place, members));
      break;
    case CollectiveKind::reduce_scatter:
      for (std::size_t i = 0; i < members; ++i) part.send_sizes.push_back(equal_part(own.given, i, members));
      break;
    default:  // what each member gives, or the block for each
      part.bytes = Bytes(own.given > 0 ? own.given : own.received);
  }
}

Call blocking_call(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::broadcast:
      return Call::MPI_Bcast;
    case CollectiveKind::gather:
      return Call::MPI_Gather;
    case CollectiveKind::gatherv:
      return Call::MPI_Gatherv;
    case CollectiveKind::scatter:
      return Call::MPI_Scatter;
    case CollectiveKind::scatterv:
      return Call::MPI_Scatterv;
    case CollectiveKind::allgather:
      return Call::MPI_Allgather;
    case CollectiveKind::allgatherv:
      return Call::MPI_Allgatherv;
    case CollectiveKind::alltoall:
      return Call::MPI_Alltoall;
    case CollectiveKind::alltoallv:
      return Call::MPI_Alltoallv;
    case CollectiveKind::reduce:
      return Call::MPI_Reduce;
    case CollectiveKind::allreduce:
      return Call::MPI_Allreduce;
    case CollectiveKind::reduce_scatter:
      return Call::MPI_Reduce_scatter;
    case CollectiveKind::scan:
      return Call::MPI_Scan;
    default:
      return Call::MPI_Barrier;
  }
}

bool has_a_root(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::broadcast:
    case CollectiveKind::gather:
    case CollectiveKind::gatherv:
    case CollectiveKind::scatter:
    case CollectiveKind::scatterv:
    case CollectiveKind::reduce:
      return true;
    default:
      return false;
  }
}

}  // namespace morgana
