#include "emulator/messaging/rank_traffic.h"

#include <algorithm>
#include <utility>

namespace morgana {

std::vector<RankTraffic::Pair> RankTraffic::pairs() const {
  std::vector<Pair> all;
  all.reserve(traffic_.size());
  for (const auto& [key, traffic] : traffic_)
    all.push_back(
        {static_cast<Rank>(key >> half), static_cast<Rank>(static_cast<std::uint32_t>(key)), traffic});
  std::ranges::sort(all, [](const Pair& one, const Pair& other) {
    return std::pair(one.from, one.to) < std::pair(other.from, other.to);
  });
  return all;
}

}  // namespace morgana
