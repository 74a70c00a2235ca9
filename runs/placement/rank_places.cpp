// Weights and places of ranks, and how places lie in clusters.

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "pvmshim/launch/process/interrupt.h"
#include "runs/placement/rank_mapping.h"

namespace morgana {

void RankWeights::add(std::uint32_t a, std::uint32_t b, std::int64_t weight) {
  if (a == b || weight <= 0) return;
  partners_[a].push_back({b, weight});
  partners_[b].push_back({a, weight});
}

void RankWeights::sort() {
  for (std::vector<Partner>& partners : partners_) {
    std::ranges::sort(partners, {}, &Partner::rank);
    std::vector<Partner> merged;
    for (const Partner& one : partners)
      if (!merged.empty() && merged.back().rank == one.rank)
        merged.back().weight += one.weight;
      else
        merged.push_back(one);
    std::ranges::stable_sort(merged, std::greater<>(), &Partner::weight);
    partners = std::move(merged);
  }
}

std::int64_t RankWeights::total() const {
  std::int64_t twice = 0;
  for (const std::vector<Partner>& partners : partners_)
    for (const Partner& one : partners) twice += one.weight;
  return twice / 2;
}

Places::Places(std::vector<std::uint32_t> site_of, std::vector<std::uint16_t> distances)
    : site_of_(std::move(site_of)), distances_(std::move(distances)) {
  for (const std::uint32_t site : site_of_) sites_ = std::max<std::size_t>(sites_, site + 1);
  levels_.push_back(site_of_);
}

std::int64_t Places::longest() const {
  return distances_.empty() ? 0 : *std::ranges::max_element(distances_);
}

void Places::divide(const std::vector<std::uint32_t>& cluster_of) {
  std::vector<std::uint32_t> level;
  level.reserve(size());
  for (const std::uint32_t site : site_of_) level.push_back(cluster_of[site]);
  const auto clusters = [](const std::vector<std::uint32_t>& of) {
    return std::set<std::uint32_t>(of.begin(), of.end()).size();
  };
  // Whether each cluster of `fine` lies in one of `coarse`.
  const auto refines = [](const std::vector<std::uint32_t>& fine, const std::vector<std::uint32_t>& coarse) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
    std::set<std::uint32_t> parts;
    for (std::size_t i = 0; i < fine.size(); ++i) {
      pairs.emplace(fine[i], coarse[i]);
      parts.insert(fine[i]);
    }
    return pairs.size() == parts.size();
  };
  const std::size_t count = clusters(level);
  if (count < 2) return;
  auto at = levels_.begin();
  while (at != levels_.end() && clusters(*at) < count) ++at;
  if (at == levels_.end() || clusters(*at) == count || !refines(*at, level)) return;
  if (at != levels_.begin() && !refines(level, *(at - 1))) return;
  levels_.insert(at, std::move(level));
}

void Places::divide_by_distance() {
  const std::set<std::uint16_t> steps(distances_.begin(), distances_.end());
  for (const std::uint16_t longest : steps) {
    std::vector<std::uint32_t> cluster_of(sites_, static_cast<std::uint32_t>(sites_));
    for (std::uint32_t first = 0; first < sites_; ++first) {
      if (cluster_of[first] < sites_) continue;
      std::vector<std::uint32_t> reached{first};
      cluster_of[first] = first;
      for (std::size_t next = 0; next < reached.size(); ++next) {
        throw_if_interrupted();
        for (std::uint32_t other = 0; other < sites_; ++other)
          if (cluster_of[other] == sites_ && between_sites(reached[next], other) <= longest) {
            cluster_of[other] = first;
            reached.push_back(other);
          }
      }
    }
    divide(cluster_of);
  }
}

}  // namespace morgana
