#include "emulator/engine/entered_collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "emulator/core/error.h"

namespace morgana {
namespace {

/// "MPI_Bcast (root 3)"; "MPI_Barrier".
std::string with_root(Call call, CollectiveKind kind, std::int32_t root) {
  switch (kind) {
    case CollectiveKind::broadcast:
    case CollectiveKind::gather:
    case CollectiveKind::gatherv:
    case CollectiveKind::scatter:
    case CollectiveKind::scatterv:
    case CollectiveKind::reduce:
      return fmt::format("{} (root {})", name_of(call), root);
    default:
      return std::string(name_of(call));
  }
}

}  // namespace

std::size_t EnteredCollectives::TurnHash::operator()(const Turn& turn) const {
  const std::uint64_t mixed =
      (static_cast<std::uint64_t>(turn.context) * 0x9e3779b97f4a7c15 + turn.sequence) * 0xd6e8feb86659fd93;
  return mixed ^ (mixed >> 32);
}

EnteredCollectives::Entry EnteredCollectives::enter(Rank rank, const Operation& operation, SimTime now) {
  Entry entry;
  entry.all = &contexts_.members(operation.context, rank);
  entry.place = contexts_.place_of(rank, operation.context);
  entry.sequence = turns_[index(rank)][operation.context]++;
  entry.collective = find_or_open(rank, operation, entry.all->size(), entry.sequence);
  Entered& one = entered_[entry.collective];
  ++one.entered;
  one.last_entry = now;
  if (entry.place == one.root)
    one.root_entry = now;
  else
    one.first_other_entry = std::min(one.first_other_entry, now);
  if (operation.payload != 0) {
    one.deposits.resize(entry.all->size());
    one.deposits[static_cast<std::size_t>(entry.place)] = operation.payload;
  }
  return entry;
}

void EnteredCollectives::leave(std::uint32_t collective) {
  Entered& one = entered_[collective];
  if (++one.left < one.members) return;
  open_.erase(Turn{one.context, one.sequence});
  one.deposits.clear();
  entered_.give_back(collective);
}

std::vector<Rank> EnteredCollectives::missing(std::uint32_t collective, Rank asker) const {
  const Entered& one = entered_[collective];
  std::vector<Rank> all;
  for (const Rank member : contexts_.members(one.context, asker)) {
    const auto& turns = turns_[index(member)];
    const auto entered = turns.find(one.context);
    if (entered == turns.end() || entered->second <= one.sequence) all.push_back(member);
  }
  return all;
}

SimTime EnteredCollectives::partner_at(std::uint32_t collective, Rank member) const {
  const Entered& one = entered_[collective];
  if (one.first_group != 0) return SimTime();
  switch (one.kind) {
    case CollectiveKind::barrier:
    case CollectiveKind::allgather:
    case CollectiveKind::allgatherv:
    case CollectiveKind::alltoall:
    case CollectiveKind::alltoallv:
    case CollectiveKind::alltoallw:
    case CollectiveKind::allreduce:
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::reduce_scatter_block:
    case CollectiveKind::create_context:
      return one.last_entry;
    case CollectiveKind::broadcast:
    case CollectiveKind::scatter:
    case CollectiveKind::scatterv:
      return one.root_entry;
    case CollectiveKind::gather:
    case CollectiveKind::gatherv:
    case CollectiveKind::reduce: {
      const bool is_root = contexts_.place_of(member, one.context) == one.root;
      return is_root && one.entered > 1 ? one.first_other_entry : SimTime();
    }
    default:
      return SimTime();
  }
}

/// Between two groups the members of the root's own group don't know which of them it is.
bool EnteredCollectives::same_root(const Entered& entered, const CollectivePart& part) {
  if (part.first_group == 0) return entered.root == part.root;
  return (entered.root < part.first_group) == (part.root < part.first_group);
}

std::uint32_t EnteredCollectives::find_or_open(Rank rank, const Operation& operation, std::size_t members,
                                               std::uint64_t sequence) {
  const auto [open, fresh] = open_.try_emplace(Turn{operation.context, sequence}, 0);
  const CollectivePart& part = operation.collective;
  if (fresh) {
    const std::uint32_t number = entered_.take();
    open.value() = number;
    entered_[number] = {operation.context,
                        part.kind,
                        operation.call,
                        part.root,
                        part.first_group,
                        rank,
                        sequence,
                        members,
                        0,
                        0,
                        {},
                        collectives::agreed_sizes(part)};
    return number;
  }
  const Entered& entered = entered_[open->second];
  if (entered.kind != part.kind || entered.first_group != part.first_group || !same_root(entered, part))
    throw Error(fmt::format("rank {} enters {} as collective number {} of {}, where rank {} has entered {}",
                            index(rank), with_root(operation.call, part.kind, part.root), sequence + 1,
                            contexts_.describe(operation.context), index(entered.first_to_enter),
                            with_root(entered.call, entered.kind, entered.root)));
  return open->second;
}

}  // namespace morgana
