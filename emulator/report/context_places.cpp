#include "emulator/report/context_places.h"

#include <algorithm>

namespace morgana {

void ContextPlaces::announce(Rank rank, Context context, const std::vector<Rank>& members) {
  if (index(rank) >= of_.size()) of_.resize(index(rank) + 1);
  // In a copy of the world, the most frequent of the large ones, there is nothing to look for.
  auto me = members.end();
  if (index(rank) < members.size() && members[index(rank)] == rank)
    me = members.begin() + static_cast<std::ptrdiff_t>(index(rank));
  else
    me = std::ranges::find(members, rank);
  of_[index(rank)][context] = {static_cast<std::uint32_t>(members.size()),
                               static_cast<std::uint32_t>(me - members.begin())};
}

ContextPlaces::Place ContextPlaces::find(Rank rank, Context context, std::size_t ranks) const {
  if (index(rank) < of_.size()) {
    const auto found = of_[index(rank)].find(context);
    if (found != of_[index(rank)].end()) return found->second;
  }
  return {static_cast<std::uint32_t>(ranks), static_cast<std::uint32_t>(index(rank))};
}

}  // namespace morgana
