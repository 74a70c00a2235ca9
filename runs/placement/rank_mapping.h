#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace morgana {

// Which of given places each rank takes, so that what ranks send crosses few links: the quadratic assignment
// problem, by heuristics and with a lower bound.

/// How much each rank sends to and gets from each other one. Symmetric.
class RankWeights {
 public:
  struct Partner {
    std::uint32_t rank = 0;
    std::int64_t weight = 0;  ///< > 0
  };
  explicit RankWeights(std::size_t ranks) : partners_(ranks) {}
  std::size_t ranks() const { return partners_.size(); }
  /// Adds to what two ranks exchange. Nothing for a rank with itself. @param weight  >= 0
  void add(std::uint32_t a, std::uint32_t b, std::int64_t weight);
  /// Of a rank, the heaviest first, of equal ones the lowest. After the last add(): sort() first.
  const std::vector<Partner>& of(std::uint32_t rank) const { return partners_[rank]; }
  void sort();
  /// Of all pairs.
  std::int64_t total() const;

 private:
  std::vector<std::vector<Partner>> partners_;
};

/// Places for ranks: each at a site (a host), which has one place or several. Sites lie in clusters, which
/// lie in larger ones: the hosts of a switch, the switches of a group.
class Places {
 public:
  /// @param site_of  of each place
  /// @param distances  of sites, row by row; symmetric, 0 between a site and itself
  Places(std::vector<std::uint32_t> site_of, std::vector<std::uint16_t> distances);
  std::size_t size() const { return site_of_.size(); }
  std::size_t sites() const { return sites_; }
  std::uint32_t site(std::uint32_t place) const { return site_of_[place]; }
  std::int64_t distance(std::uint32_t a, std::uint32_t b) const {
    return distances_[site_of_[a] * sites_ + site_of_[b]];
  }
  std::int64_t between_sites(std::size_t a, std::size_t b) const { return distances_[a * sites_ + b]; }
  std::int64_t longest() const;  ///< distance of two sites; 0 if there are none
  /// Adds a division of the sites, each coarser than the one after it. One that divides nothing, as another
  /// one does, or across the others is left out. @param cluster_of  of each site
  void divide(const std::vector<std::uint32_t>& cluster_of);
  /// Divides by distance: sites that steps of at most some distance lead to are a cluster of that distance.
  void divide_by_distance();
  /// From the coarsest on, of each place; the last one by sites.
  const std::vector<std::vector<std::uint32_t>>& levels() const { return levels_; }

 private:
  std::size_t sites_ = 0;
  std::vector<std::uint32_t> site_of_;
  std::vector<std::uint16_t> distances_;
  std::vector<std::vector<std::uint32_t>> levels_;
};

/// The place of each rank: a permutation.
using RankMapping = std::vector<std::uint32_t>;

/// Weight times distance, over all pairs.
std::int64_t mapping_cost(const RankWeights& weights, const Places& places, const RankMapping& mapping);

/// No mapping costs less. The larger of two bounds: Gilmore and Lawler's (P. C. Gilmore, "Optimal and
/// suboptimal algorithms for the quadratic assignment problem", J. SIAM 10(2), 1962), whose assignment
/// problem is solved for up to 1024 ranks and bounded from below for more; and that of all weights in
/// descending against all distances in ascending order.
std::int64_t least_cost(const RankWeights& weights, const Places& places);

/// Ranks that exchange most, level by level, into one cluster of the places: one cluster after the other
/// grows by the rank that exchanges most with it, from the one that exchanges most with the clusters before.
RankMapping mapping_by_levels(const RankWeights& weights, const Places& places);

/// The rank that exchanges most with those that have a place is next, at the free place where that costs
/// least. It begins in the middle, with the rank that has most traffic; or at the border, with the one that
/// has least, farthest from all other places. T. Hoefler and M. Snir, "Generic topology mapping strategies
/// for large-scale parallel architectures", ICS 2011, section 3.1.
enum class GrowthFrom : std::uint8_t { middle, border };
RankMapping mapping_by_growth(const RankWeights& weights, const Places& places, GrowthFrom from);

struct MappingSearch {
  std::uint64_t steps = 1'000'000'000;   ///< partners of ranks looked at, at most
  std::function<void(double)> progress;  ///< called now and then with the share of steps done; may be empty
};

/// Exchanges pairs of ranks as long as that costs less; then, as B. W. Kernighan and S. Lin do ("An efficient
/// heuristic procedure for partitioning graphs", Bell System Technical Journal 49(2), 1970), each rank with
/// its best partner whether or not that costs less, and keeps the cheapest prefix of these exchanges.
/// Deterministic. @return a mapping that does not cost more
RankMapping exchange_ranks(const RankWeights& weights, const Places& places, RankMapping mapping,
                           const MappingSearch& search = {});

/// The best mapping that is found from each of the given ones, and from the three above; all have the same
/// share of the steps. Where growing rank by rank would take more than its share, as with traffic between all
/// of thousands of ranks, it is left out. Up to 8 ranks the best that there is. @param given  may be empty
RankMapping find_mapping(const RankWeights& weights, const Places& places,
                         const std::vector<RankMapping>& given, const MappingSearch& search = {});

}  // namespace morgana
