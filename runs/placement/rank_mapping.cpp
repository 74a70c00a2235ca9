#include "runs/placement/rank_mapping.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "pvmshim/launch/process/interrupt.h"

namespace morgana {
namespace {

constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();
/// Up to so many ranks all mappings are tried.
constexpr std::size_t few_ranks = 8;

std::int64_t weight_of(const RankWeights& weights, std::uint32_t rank) {
  std::int64_t sum = 0;
  for (const RankWeights::Partner& one : weights.of(rank)) sum += one.weight;
  return sum;
}

/// How many partners of ranks mapping_by_growth() looks at: each pair of them once for each site.
std::uint64_t growth_steps(const RankWeights& weights, const Places& places) {
  std::uint64_t twice = 0;
  for (std::uint32_t rank = 0; rank < weights.ranks(); ++rank) twice += weights.of(rank).size();
  return twice / 2 * places.sites();
}

/// Cuts ranks into the clusters of one level, and these into those of the next.
class LevelCut {
 public:
  LevelCut(const RankWeights& weights, const Places& places)
      : weights_(weights), places_(places), mapping_(weights.ranks(), nowhere) {}

  RankMapping cut() {
    std::vector<std::uint32_t> all(weights_.ranks());
    std::iota(all.begin(), all.end(), 0);
    cut_level(0, all, all);
    return std::move(mapping_);
  }

 private:
  using Numbers = std::vector<std::uint32_t>;

  void cut_level(std::size_t level, const Numbers& ranks, const Numbers& places) {
    if (level == places_.levels().size()) {
      for (std::size_t i = 0; i < ranks.size(); ++i) mapping_[ranks[i]] = places[i];
      return;
    }
    // Clusters in the order in which their first places stand.
    std::vector<std::pair<std::uint32_t, Numbers>> clusters;
    const Numbers& cluster_of = places_.levels()[level];
    for (const std::uint32_t place : places) {
      const auto known =
          std::ranges::find(clusters, cluster_of[place], &decltype(clusters)::value_type::first);
      if (known == clusters.end())
        clusters.emplace_back(cluster_of[place], Numbers{place});
      else
        known->second.push_back(place);
    }
    Numbers left = ranks;
    for (const auto& [cluster, its_places] : clusters) {
      throw_if_interrupted();
      cut_level(level + 1, grow(left, its_places.size()), its_places);
    }
  }

  /// Takes so many ranks out of those that are left. In the order of their numbers.
  Numbers grow(Numbers& left, std::size_t size) const {
    std::vector<std::int64_t> to_left(weights_.ranks()), to_part(weights_.ranks());
    std::vector<std::int64_t> to_others(weights_.ranks());
    std::vector<bool> is_left(weights_.ranks());
    for (const std::uint32_t rank : left) is_left[rank] = true;
    for (const std::uint32_t rank : left)
      for (const RankWeights::Partner& one : weights_.of(rank))
        (is_left[one.rank] ? to_left : to_others)[rank] += one.weight;
    // The first is at the border to what has been cut off before, or else has most traffic. Then what
    // exchanges most with the part; of those the one that leaves least outside.
    const auto value = [&](std::uint32_t rank, bool first) {
      return first ? std::pair(to_others[rank], to_left[rank]) : std::pair(to_part[rank], -to_left[rank]);
    };
    Numbers part;
    while (part.size() < size) {
      std::uint32_t best = nowhere;
      for (const std::uint32_t rank : left)
        if (is_left[rank] && (best == nowhere || value(rank, part.empty()) > value(best, part.empty())))
          best = rank;
      is_left[best] = false;
      part.push_back(best);
      for (const RankWeights::Partner& one : weights_.of(best)) {
        to_part[one.rank] += one.weight;
        to_left[one.rank] -= one.weight;
      }
    }
    std::erase_if(left, [&](std::uint32_t rank) { return !is_left[rank]; });
    std::ranges::sort(part);
    return part;
  }

  const RankWeights& weights_;
  const Places& places_;
  RankMapping mapping_;
};

/// A mapping whose ranks are exchanged, with a bound on the work.
class Exchanges {
 public:
  Exchanges(const RankWeights& weights, const Places& places, RankMapping mapping,
            const MappingSearch& search)
      : weights_(weights), places_(places), mapping_(std::move(mapping)), search_(search) {}

  RankMapping improve() {
    do descend();
    while (!spent() && exchange_all_once());
    return std::move(mapping_);
  }

 private:
  bool spent() const { return steps_ >= search_.steps; }

  /// What exchanging two ranks adds to the cost.
  std::int64_t added(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t at_a = mapping_[a], at_b = mapping_[b];
    std::int64_t sum = 0;
    for (const RankWeights::Partner& one : weights_.of(a))
      if (one.rank != b)
        sum += one.weight *
               (places_.distance(at_b, mapping_[one.rank]) - places_.distance(at_a, mapping_[one.rank]));
    for (const RankWeights::Partner& one : weights_.of(b))
      if (one.rank != a)
        sum += one.weight *
               (places_.distance(at_a, mapping_[one.rank]) - places_.distance(at_b, mapping_[one.rank]));
    steps_ += 1 + weights_.of(a).size() + weights_.of(b).size();
    return sum;
  }

  struct Exchange {
    std::uint32_t with = nowhere;
    std::int64_t added = 0;
  };
  /// The best exchange of a rank, with one of those that are not locked.
  Exchange best_of(std::uint32_t rank, const std::vector<bool>& locked) {
    Exchange best;
    for (std::uint32_t other = 0; other < mapping_.size() && !spent(); ++other) {
      if (other == rank || locked[other] || places_.site(mapping_[rank]) == places_.site(mapping_[other]))
        continue;
      const std::int64_t more = added(rank, other);
      if (best.with == nowhere || more < best.added) best = {other, more};
    }
    if (search_.progress) search_.progress(static_cast<double>(steps_) / static_cast<double>(search_.steps));
    return best;
  }

  void descend() {
    const std::vector<bool> none(mapping_.size());
    for (bool better = true; better && !spent();) {
      better = false;
      for (std::uint32_t rank = 0; rank < mapping_.size() && !spent(); ++rank) {
        const Exchange best = best_of(rank, none);
        if (best.added >= 0) continue;
        std::swap(mapping_[rank], mapping_[best.with]);
        better = true;
      }
    }
  }

  /// A pass of Kernighan and Lin's, the ranks whose traffic goes farthest first. @return whether it has found
  /// something better
  bool exchange_all_once() {
    std::vector<std::pair<std::int64_t, std::uint32_t>> order;
    for (std::uint32_t rank = 0; rank < mapping_.size(); ++rank) {
      std::int64_t cost = 0;
      for (const RankWeights::Partner& one : weights_.of(rank))
        cost += one.weight * places_.distance(mapping_[rank], mapping_[one.rank]);
      order.emplace_back(-cost, rank);
    }
    std::ranges::sort(order);
    std::vector<bool> locked(mapping_.size());
    std::vector<std::pair<std::uint32_t, std::uint32_t>> made;
    std::int64_t sum = 0, least = 0;
    std::size_t kept = 0;
    for (const auto& [cost, rank] : order) {
      if (spent()) break;
      if (locked[rank]) continue;
      const Exchange best = best_of(rank, locked);
      if (best.with == nowhere) continue;
      locked[rank] = locked[best.with] = true;
      std::swap(mapping_[rank], mapping_[best.with]);
      made.emplace_back(rank, best.with);
      sum += best.added;
      if (sum < least) {
        least = sum;
        kept = made.size();
      }
    }
    for (std::size_t i = made.size(); i > kept; --i)
      std::swap(mapping_[made[i - 1].first], mapping_[made[i - 1].second]);
    return kept > 0;
  }

  const RankWeights& weights_;
  const Places& places_;
  RankMapping mapping_;
  const MappingSearch& search_;
  std::uint64_t steps_ = 0;
};

/// All mappings, but for what costs more than the best so far already, and for places of a site that is free
/// otherwise.
class AllMappings {
 public:
  AllMappings(const RankWeights& weights, const Places& places)
      : weights_(weights), places_(places), mapping_(weights.ranks(), nowhere), used_(places.size()) {}

  RankMapping best() {
    place(0, 0);
    return std::move(best_);
  }

 private:
  void place(std::uint32_t rank, std::int64_t cost) {
    if (cost >= least_) return;
    if (rank == mapping_.size()) {
      least_ = cost;
      best_ = mapping_;
      return;
    }
    std::vector<bool> tried(places_.sites());
    for (std::uint32_t at = 0; at < places_.size(); ++at) {
      if (used_[at] || tried[places_.site(at)]) continue;
      tried[places_.site(at)] = true;
      std::int64_t more = 0;
      for (const RankWeights::Partner& one : weights_.of(rank))
        if (one.rank < rank) more += one.weight * places_.distance(at, mapping_[one.rank]);
      used_[at] = true;
      mapping_[rank] = at;
      place(rank + 1, cost + more);
      used_[at] = false;
    }
    mapping_[rank] = nowhere;
  }

  const RankWeights& weights_;
  const Places& places_;
  RankMapping mapping_, best_;
  std::vector<bool> used_;
  std::int64_t least_ = std::numeric_limits<std::int64_t>::max();
};

}  // namespace

std::int64_t mapping_cost(const RankWeights& weights, const Places& places, const RankMapping& mapping) {
  std::int64_t cost = 0;
  for (std::uint32_t rank = 0; rank < mapping.size(); ++rank)
    for (const RankWeights::Partner& one : weights.of(rank))
      if (one.rank > rank) cost += one.weight * places.distance(mapping[rank], mapping[one.rank]);
  return cost;
}

RankMapping mapping_by_levels(const RankWeights& weights, const Places& places) {
  return LevelCut(weights, places).cut();
}

RankMapping mapping_by_growth(const RankWeights& weights, const Places& places, GrowthFrom from) {
  const auto ranks = static_cast<std::uint32_t>(weights.ranks());
  std::vector<std::int64_t> all_of(ranks), to_placed(ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) all_of[rank] = weight_of(weights, rank);
  std::vector<std::vector<std::uint32_t>> places_at(places.sites());
  for (std::uint32_t at = 0; at < places.size(); ++at) places_at[places.site(at)].push_back(at);
  // Where nothing of what a rank exchanges has a place yet, it goes where most is near.
  std::vector<std::int64_t> far(places.sites());
  for (std::size_t site = 0; site < places.sites(); ++site)
    for (std::uint32_t at = 0; at < places.size(); ++at)
      far[site] += places.between_sites(site, places.site(at));
  if (from == GrowthFrom::border) {
    for (std::int64_t& distance : far) distance = -distance;
    for (std::int64_t& weight : all_of) weight = -weight;
  }
  RankMapping mapping(ranks, nowhere);
  for (std::uint32_t count = 0; count < ranks; ++count) {
    throw_if_interrupted();
    std::uint32_t next = nowhere;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      if (mapping[rank] != nowhere) continue;
      if (next == nowhere ||
          std::pair(to_placed[rank], all_of[rank]) > std::pair(to_placed[next], all_of[next]))
        next = rank;
    }
    std::vector<std::pair<std::uint32_t, std::int64_t>> placed;  // its partners' sites
    for (const RankWeights::Partner& one : weights.of(next)) {
      to_placed[one.rank] += one.weight;
      if (mapping[one.rank] != nowhere) placed.emplace_back(places.site(mapping[one.rank]), one.weight);
    }
    std::size_t best = places.sites();
    std::pair<std::int64_t, std::int64_t> least;
    for (std::size_t site = 0; site < places.sites(); ++site) {
      if (places_at[site].empty()) continue;
      std::pair<std::int64_t, std::int64_t> cost{0, far[site]};
      for (const auto& [other, weight] : placed) cost.first += weight * places.between_sites(site, other);
      if (best == places.sites() || cost < least) {
        best = site;
        least = cost;
      }
    }
    mapping[next] = places_at[best].front();
    places_at[best].erase(places_at[best].begin());
  }
  return mapping;
}

RankMapping exchange_ranks(const RankWeights& weights, const Places& places, RankMapping mapping,
                           const MappingSearch& search) {
  return Exchanges(weights, places, std::move(mapping), search).improve();
}

RankMapping find_mapping(const RankWeights& weights, const Places& places,
                         const std::vector<RankMapping>& given, const MappingSearch& search) {
  if (weights.ranks() <= few_ranks) return AllMappings(weights, places).best();
  struct Start {
    RankMapping mapping;
    std::uint64_t steps;  ///< for exchanges
  };
  const std::uint64_t each = search.steps / (given.size() + 3), growth = growth_steps(weights, places);
  std::vector<Start> starts;
  for (const RankMapping& one : given) starts.push_back({one, each});
  starts.push_back({mapping_by_levels(weights, places), each});
  if (growth <= each)
    for (const GrowthFrom from : {GrowthFrom::middle, GrowthFrom::border})
      starts.push_back({mapping_by_growth(weights, places, from), each - growth});
  RankMapping best;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 0; i < starts.size(); ++i) {
    MappingSearch one{starts[i].steps, {}};
    if (search.progress)
      one.progress = [&, i](double share) {
        search.progress((static_cast<double>(i) + std::min(share, 1.0)) / static_cast<double>(starts.size()));
      };
    RankMapping found = exchange_ranks(weights, places, std::move(starts[i].mapping), one);
    const std::int64_t cost = mapping_cost(weights, places, found);
    if (cost >= least) continue;
    least = cost;
    best = std::move(found);
  }
  return best;
}

}  // namespace morgana
