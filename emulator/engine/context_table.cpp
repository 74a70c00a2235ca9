#include "emulator/engine/context_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "emulator/core/error.h"

namespace morgana {
namespace {

/// "1, 3"; only the first of many.
std::string names_of_ranks(const std::vector<Rank>& ranks) {
  constexpr std::size_t shown = 8;
  std::string list;
  for (std::size_t i = 0; i < std::min(ranks.size(), shown); ++i)
    list += fmt::format("{}{}", i == 0 ? "" : ", ", static_cast<std::int32_t>(ranks[i]));
  return ranks.size() > shown ? list + ", ..." : list;
}

}  // namespace

ContextTable::ContextTable(std::size_t ranks, std::size_t world,
                           std::function<std::string(Context)> given_name)
    : ranks_(ranks), given_name_(std::move(given_name)) {
  std::vector<Rank> all;
  for (std::size_t i = 0; i < world; ++i) all.push_back(Rank(static_cast<std::int32_t>(i)));
  announce(world_context, all, Rank{0});
}

void ContextTable::announce(Context context, const std::vector<Rank>& members, Rank announcer, Call maker) {
  if (is_for_collectives(context))
    throw Error(fmt::format("rank {}: the number of a communicator is out of range", index(announcer)));
  auto [entry, fresh] = contexts_.try_emplace(context);
  Members& known = entry.value();
  if (!fresh) {
    if (known.ranks != members)
      throw Error(fmt::format("rank {}: announces {} with other members ({}) than an earlier rank did",
                              index(announcer), describe(context), names_of_ranks(members)));
    return;
  }
  for (std::size_t i = 0; i < members.size(); ++i) {
    const bool exists = members[i] >= Rank{0} && index(members[i]) < ranks_;
    if (!exists || !known.place.try_emplace(members[i], static_cast<std::int32_t>(i)).second) {
      contexts_.erase(context);
      throw Error(fmt::format("rank {}: announces a communicator of rank {}, which {}", index(announcer),
                              static_cast<std::int32_t>(members[i]),
                              exists ? "it has named already" : "does not exist"));
    }
  }
  known.ranks = members;
  known.maker = maker;
}

std::string ContextTable::describe(Context context) const {
  if (context == world_context) return "MPI_COMM_WORLD";
  const auto entry = contexts_.find(context);
  if (entry == contexts_.end()) return "an unknown communicator";
  const Members& members = entry->second;
  const std::string given = given_name_ ? given_name_(context) : std::string();
  return fmt::format(
      "{} of {} {} ({}){}", given.empty() ? "a communicator" : fmt::format("communicator \"{}\"", given),
      members.ranks.size(), members.ranks.size() == 1 ? "rank" : "ranks", names_of_ranks(members.ranks),
      members.maker == Call::unknown ? "" : fmt::format(" made by {}", name_of(members.maker)));
}

const ContextTable::Members& ContextTable::find(Context context, Rank asker) const {
  const auto entry = contexts_.find(context);
  if (entry == contexts_.end())
    throw Error(fmt::format("rank {}: uses a communicator that no rank has announced", index(asker)));
  return entry->second;
}

const std::vector<Rank>& ContextTable::members(Context context, Rank asker) const {
  return find(context, asker).ranks;
}

std::int32_t ContextTable::place_of(Rank rank, Context context) const {
  const Members& members = find(context, rank);
  const auto place = members.place.find(rank);
  if (place == members.place.end())
    throw Error(fmt::format("rank {}: takes part in a collective of {}, but is not a member of it",
                            index(rank), describe(context)));
  return place->second;
}

}  // namespace morgana
