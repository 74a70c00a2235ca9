#include "emulator/report/link_tiers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "emulator/report/readable.h"

namespace morgana {
namespace {

/// Of a link that others wait for, and of one that limits: phases of a program leave every link idle now and
/// then.
constexpr double busy_for_long = 0.5, limiting = 0.6;
/// Tiers whose busiest links differ by less are busy alike.
constexpr double alike = 0.02;

using Levels = std::map<std::uint32_t, std::uint32_t>;

Levels levels_of_switches(const NetworkLinks& links) {
  Levels levels;
  std::multimap<std::uint32_t, std::uint32_t> neighbours;
  std::vector<std::uint32_t> reached;
  for (const LinkLoad& link : links.loads) {
    if (!link.from.is_host() && !link.to.is_host()) neighbours.emplace(link.from.number, link.to.number);
    if (link.from.is_host() && !link.to.is_host() && levels.emplace(link.to.number, 0).second)
      reached.push_back(link.to.number);
  }
  for (std::size_t next = 0; next < reached.size(); ++next) {
    const auto [first, last] = neighbours.equal_range(reached[next]);
    for (auto neighbour = first; neighbour != last; ++neighbour)
      if (levels.emplace(neighbour->second, levels.at(reached[next]) + 1).second)
        reached.push_back(neighbour->second);
  }
  return levels;
}

/// A tier's place among those that packets pass, and its name.
using NamedTier = std::pair<std::int64_t, std::string>;

NamedTier tier_of(const LinkLoad& link, const Levels& levels, std::uint32_t highest) {
  constexpr std::int64_t first = -1'000'000, last = 1'000'000;
  if (link.from.is_host()) return {first, "links from hosts"};
  if (link.to.is_host()) return {last, "links to hosts"};
  const auto level = [&](const LinkEnd& end) {
    const auto found = levels.find(end.number);
    return found == levels.end() ? highest : found->second;
  };
  const std::uint32_t from = level(link.from), to = level(link.to);
  if (highest == 0) return {0, "links between switches"};
  const std::int64_t above = std::int64_t{highest} + 1;
  if (from == to) return {from - above, fmt::format("links between switches of level {}", from + 1)};
  if (from < to)
    return {from - above, from == 0 ? "uplinks of the leaves" : fmt::format("uplinks of level {}", from + 1)};
  return {above - to, to == 0 ? "downlinks to the leaves" : fmt::format("downlinks to level {}", to + 1)};
}

bool is_alike(const LinkTier& tier, double most) {
  return tier.busiest > 0 && tier.busiest >= most - alike;
}

}  // namespace

std::vector<LinkTier> link_tiers(const NetworkLinks& links) {
  const Levels levels = levels_of_switches(links);
  std::uint32_t highest = 0;
  for (const auto& [number, level] : levels) highest = std::max(highest, level);
  std::map<NamedTier, LinkTier> tiers;
  for (const LinkLoad& link : links.loads) {
    LinkTier& tier = tiers[tier_of(link, levels, highest)];
    ++tier.links;
    if (!(link.utilisation > 0)) continue;
    ++tier.in_use;
    tier.mean += link.utilisation;
    tier.busiest = std::max(tier.busiest, link.utilisation);
  }
  std::vector<LinkTier> sorted;
  for (auto& [named, tier] : tiers) {  // in the order in which packets pass them
    tier.name = named.second;
    if (tier.in_use > 0) tier.mean /= static_cast<double>(tier.in_use);
    sorted.push_back(std::move(tier));
  }
  // Those that are as busy as the busiest stand first, as packets pass them; then the others.
  double most = 0;
  for (const LinkTier& tier : sorted) most = std::max(most, tier.busiest);
  const auto others = std::stable_partition(sorted.begin(), sorted.end(),
                                            [most](const LinkTier& tier) { return is_alike(tier, most); });
  std::stable_sort(others, sorted.end(),
                   [](const LinkTier& one, const LinkTier& other) { return one.busiest > other.busiest; });
  return sorted;
}

std::string limiting_tier_text(const NetworkLinks& links) {
  const std::vector<LinkTier> tiers = link_tiers(links);
  double most = 0;
  for (const LinkTier& tier : tiers) most = std::max(most, tier.busiest);
  if (!(most > busy_for_long)) return "";
  std::string names;
  std::size_t next = 0, in_use = 0;
  double sum = 0;
  for (; next < tiers.size() && is_alike(tiers[next], most); ++next) {
    names += fmt::format("{}{}", next > 0 ? ", " : "", tiers[next].name);
    in_use += tiers[next].in_use;
    sum += tiers[next].mean * static_cast<double>(tiers[next].in_use);
  }
  std::string text = fmt::format("{} {}: busy for {} of the run at most, {} on average of the {} in use",
                                 names, most >= limiting ? "limit" : "are busiest", readable_share(most),
                                 readable_share(sum / static_cast<double>(in_use)), in_use);
  if (next < tiers.size() && tiers[next].in_use > 0)
    text += fmt::format("; next {}, {} at most", tiers[next].name, readable_share(tiers[next].busiest));
  return text;
}

}  // namespace morgana
