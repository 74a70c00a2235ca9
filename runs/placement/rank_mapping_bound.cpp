// The lower bound on what a mapping of ranks costs.

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <vector>

#include "pvmshim/launch/process/interrupt.h"
#include "runs/placement/rank_mapping.h"

namespace morgana {
namespace {

constexpr std::size_t most_assigned = 1024;

/// Distances from a site to all places but one at the site itself, ascending: what a rank there can't beat.
std::vector<std::uint16_t> profile_of(const Places& places, std::size_t site,
                                      const std::vector<std::size_t>& places_at) {
  std::vector<std::uint16_t> profile;
  for (std::size_t other = 0; other < places.sites(); ++other)
    profile.insert(profile.end(), places_at[other] - (other == site ? 1 : 0),
                   static_cast<std::uint16_t>(places.between_sites(site, other)));
  std::ranges::sort(profile);
  return profile;
}

/// The least sum of one cost in each row and each column: the Hungarian algorithm, O(n^3).
/// @param cost  of row and column
template <typename Cost>
std::int64_t least_assignment(std::size_t n, const Cost& cost) {
  constexpr std::int64_t far = std::numeric_limits<std::int64_t>::max();
  std::vector<std::int64_t> row_price(n + 1), column_price(n + 1);
  std::vector<std::size_t> row_of(n + 1), before(n + 1);  // of columns from 1; column 0 begins a path
  for (std::size_t row = 1; row <= n; ++row) {
    throw_if_interrupted();
    row_of[0] = row;
    std::size_t column = 0;
    std::vector<std::int64_t> slack(n + 1, far);
    std::vector<bool> reached(n + 1);
    do {
      reached[column] = true;
      const std::size_t at = row_of[column];
      std::int64_t least = far;
      std::size_t next = 0;
      for (std::size_t other = 1; other <= n; ++other) {
        if (reached[other]) continue;
        const std::int64_t over = cost(at - 1, other - 1) - row_price[at] - column_price[other];
        if (over < slack[other]) {
          slack[other] = over;
          before[other] = column;
        }
        if (slack[other] < least) {
          least = slack[other];
          next = other;
        }
      }
      for (std::size_t other = 0; other <= n; ++other)
        if (reached[other]) {
          row_price[row_of[other]] += least;
          column_price[other] -= least;
        } else if (slack[other] != far) {
          slack[other] -= least;
        }
      column = next;
    } while (row_of[column] != 0);
    for (; column != 0; column = before[column]) row_of[column] = row_of[before[column]];
  }
  return -column_price[0];
}

/// A rank at a place pays at least its weights in descending against the distances from there in ascending
/// order; each pair is paid twice.
std::int64_t gilmore_lawler(const RankWeights& weights, const Places& places,
                            const std::vector<std::size_t>& places_at) {
  std::map<std::vector<std::uint16_t>, std::size_t> profiles;
  std::vector<std::size_t> profile_of_site(places.sites());
  for (std::size_t site = 0; site < places.sites(); ++site) {
    throw_if_interrupted();
    if (places_at[site] > 0)
      profile_of_site[site] =
          profiles.emplace(profile_of(places, site, places_at), profiles.size()).first->second;
  }
  std::vector<std::vector<std::int64_t>> pays(weights.ranks(), std::vector<std::int64_t>(profiles.size()));
  std::int64_t least_of_rows = 0;
  for (std::uint32_t rank = 0; rank < weights.ranks(); ++rank) {
    throw_if_interrupted();
    const std::vector<RankWeights::Partner>& partners = weights.of(rank);
    for (const auto& [profile, number] : profiles)
      for (std::size_t i = 0; i < partners.size(); ++i) pays[rank][number] += partners[i].weight * profile[i];
    least_of_rows += *std::ranges::min_element(pays[rank]);
  }
  const std::size_t n = weights.ranks();
  // One profile for all: the rows are the assignment.
  const std::int64_t twice =
      n > most_assigned || profiles.size() == 1
          ? least_of_rows
          : least_assignment(n, [&](std::size_t rank, std::size_t place) {
              return pays[rank][profile_of_site[places.site(static_cast<std::uint32_t>(place))]];
            });
  return (twice + 1) / 2;
}

std::int64_t all_against_all(const RankWeights& weights, const Places& places,
                             const std::vector<std::size_t>& places_at) {
  std::map<std::int64_t, std::int64_t> pairs_at;  // by distance
  for (std::size_t a = 0; a < places.sites(); ++a)
    for (std::size_t b = a; b < places.sites(); ++b) {
      const auto one = static_cast<std::int64_t>(places_at[a]),
                 other = static_cast<std::int64_t>(places_at[b]);
      pairs_at[places.between_sites(a, b)] += a == b ? one * (one - 1) / 2 : one * other;
    }
  std::vector<std::int64_t> sorted;
  for (std::uint32_t rank = 0; rank < weights.ranks(); ++rank)
    for (const RankWeights::Partner& one : weights.of(rank))
      if (one.rank > rank) sorted.push_back(one.weight);
  std::ranges::sort(sorted, std::greater<>());
  std::int64_t sum = 0;
  auto at = pairs_at.begin();
  for (const std::int64_t weight : sorted) {
    while (at->second == 0) ++at;
    --at->second;
    sum += weight * at->first;
  }
  return sum;
}

}  // namespace

std::int64_t least_cost(const RankWeights& weights, const Places& places) {
  std::vector<std::size_t> places_at(places.sites());
  for (std::uint32_t at = 0; at < places.size(); ++at) ++places_at[places.site(at)];
  return std::max(gilmore_lawler(weights, places, places_at), all_against_all(weights, places, places_at));
}

}  // namespace morgana
