#include "traces/import/named_communicators.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>

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

void CollectiveSums::add(std::int64_t communicator, std::int32_t member, std::size_t members, Sums sums) {
  std::vector<std::vector<Sums>>& of = all_[communicator];
  of.resize(members);
  of[static_cast<std::size_t>(member)].push_back(sums);
}

/// What each member gives or receives in a call; 0 of a member that never makes it.
CollectiveSums::Sizes CollectiveSums::of_all(std::int64_t communicator, std::size_t number,
                                             std::int64_t Sums::*which) const {
  Sizes sizes;
  for (const std::vector<Sums>& one : all_.at(communicator))
    sizes.push_back(number < one.size() ? one[number].*which : 0);
  return sizes;
}

namespace {

/// The place-th of `parts` equal parts of a number of bytes; the first ones get what is left over.
Bytes equal_part(std::int64_t bytes, std::size_t place, std::size_t parts) {
  const auto count = static_cast<std::int64_t>(parts);
  return Bytes(bytes / count + (static_cast<std::int64_t>(place) < bytes % count ? 1 : 0));
}

std::vector<Bytes> in_bytes(const std::vector<std::int64_t>& sizes) {
  std::vector<Bytes> all;
  for (const std::int64_t size : sizes) all.push_back(Bytes(size));
  return all;
}

std::int64_t total_of(const std::vector<std::int64_t>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
}

/// Gives members that have no size equal parts of what a total has beyond the sizes.
/// @return whether several have got parts
bool share_rest(std::vector<std::int64_t>& sizes, std::int64_t total) {
  const std::int64_t rest = total - total_of(sizes);
  const auto sharers = static_cast<std::size_t>(std::ranges::count(sizes, 0));
  if (rest <= 0 || sharers == 0) return false;
  std::size_t place = 0;
  for (std::int64_t& size : sizes)
    if (size == 0) size = equal_part(rest, place++, sharers).count();
  return sharers > 1;
}

}  // namespace

bool CollectiveSums::fill(CollectivePart& part, std::int64_t communicator, std::int32_t member,
                          std::size_t members, Sums own, std::size_t number) const {
  const auto place = static_cast<std::size_t>(member);
  const auto parts = static_cast<std::int64_t>(members);
  const bool root = member == part.root;
  switch (part.kind) {
    case CollectiveKind::barrier:
      return false;
    case CollectiveKind::broadcast:
      part.bytes = Bytes(std::max(own.given, own.received));
      return false;
    case CollectiveKind::scatter:  // the root has all blocks together
      part.bytes = Bytes(own.received > 0 || !root ? own.received : own.given / parts);
      return false;
    case CollectiveKind::gather:
      part.bytes = Bytes(own.given > 0 || !root ? own.given : own.received / parts);
      return false;
    case CollectiveKind::allgather:  // each has
      part.bytes = Bytes(own.given > 0 ? own.given : own.received / parts);
      return false;
    case CollectiveKind::gatherv:
    case CollectiveKind::scatterv: {
      const bool gathers = part.kind == CollectiveKind::gatherv;
      if (!root) {
        part.bytes = Bytes(gathers ? own.given : own.received);
        return false;
      }
      Sizes sizes = of_all(communicator, number, gathers ? &Sums::given : &Sums::received);
      // Only the root's block can be in place.
      if (sizes[place] == 0)
        sizes[place] = std::max<std::int64_t>((gathers ? own.received : own.given) - total_of(sizes), 0);
      (gathers ? part.receive_sizes : part.send_sizes) = in_bytes(sizes);
      return false;
    }
    case CollectiveKind::allgatherv: {
      Sizes sizes = of_all(communicator, number, &Sums::given);
      const bool shared = share_rest(sizes, own.received);
      part.receive_sizes = in_bytes(sizes);
      part.bytes = part.receive_sizes[place];
      return shared;
    }
    case CollectiveKind::alltoallv: {
      Sizes given = of_all(communicator, number, &Sums::given);
      // In place, which it is on all members or none, each gives as much as it receives.
      if (total_of(given) == 0) given = of_all(communicator, number, &Sums::received);
      for (std::size_t i = 0; i < members; ++i)
        part.send_sizes.push_back(equal_part(given[place], i, members));
      for (const std::int64_t one : given) part.receive_sizes.push_back(equal_part(one, place, members));
      return true;
    }
    case CollectiveKind::reduce_scatter:
      for (std::size_t i = 0; i < members; ++i) part.send_sizes.push_back(equal_part(own.given, i, members));
      return true;
    default:  // what each member gives, or the block for each
      part.bytes = Bytes(own.given > 0 ? own.given : own.received);
      return false;
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

Call nonblocking_call(CollectiveKind kind) {
  std::string name(name_of(blocking_call(kind)));  // "MPI_Allreduce"
  constexpr std::size_t behind_prefix = 4;
  name[behind_prefix] = static_cast<char>(name[behind_prefix] - 'A' + 'a');
  name.insert(behind_prefix, 1, 'I');
  return call_named(name).value_or(Call::unknown);
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
