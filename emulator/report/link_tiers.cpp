#include "emulator/report/link_tiers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <tuple>
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

std::string name_of_tier(const LinkLoad& link, const Levels& levels, std::uint32_t highest) {
  if (link.from.is_host()) return "links from hosts";
  if (link.to.is_host()) return "links to hosts";
  const auto level = [&](const LinkEnd& end) {
    const auto found = levels.find(end.number);
    return found == levels.end() ? highest : found->second;
  };
  const std::uint32_t from = level(link.from), to = level(link.to);
  if (highest == 0) return "links between switches";
  if (from == to) return fmt::format("links between switches of level {}", from + 1);
  if (from < to) return from == 0 ? "uplinks of the leaves" : fmt::format("uplinks of level {}", from + 1);
  return to == 0 ? "downlinks to the leaves" : fmt::format("downlinks to level {}", to + 1);
}

}  // namespace

std::vector<LinkTier> link_tiers(const NetworkLinks& links) {
  const Levels levels = levels_of_switches(links);
  std::uint32_t highest = 0;
  for (const auto& [number, level] : levels) highest = std::max(highest, level);
  std::map<std::string, LinkTier> tiers;
  for (const LinkLoad& link : links.loads) {
    LinkTier& tier = tiers[name_of_tier(link, levels, highest)];
    ++tier.links;
    if (!(link.utilisation > 0)) continue;
    ++tier.in_use;
    tier.mean += link.utilisation;
    tier.busiest = std::max(tier.busiest, link.utilisation);
  }
  std::vector<LinkTier> sorted;
  for (auto& [name, tier] : tiers) {
    tier.name = name;
    if (tier.in_use > 0) tier.mean /= static_cast<double>(tier.in_use);
    sorted.push_back(std::move(tier));
  }
  // Of tiers that are busy alike the one comes first that packets pass first.
  const auto place = [](const LinkTier& tier) {
    const bool down = tier.name.starts_with("down") || tier.name == "links to hosts";
    return std::tuple(-std::lround(tier.busiest / alike), down, -tier.busiest, tier.name);
  };
  std::ranges::sort(sorted, std::less<>(), place);
  return sorted;
}

std::string limiting_tier_text(const NetworkLinks& links) {
  const std::vector<LinkTier> tiers = link_tiers(links);
  if (tiers.empty() || !(tiers.front().busiest > busy_for_long)) return "";
  std::string names;
  std::size_t next = 0, in_use = 0;
  double sum = 0, busiest = 0;
  for (; next < tiers.size() && tiers[next].busiest > tiers.front().busiest - alike; ++next) {
    names += fmt::format("{}{}", next > 0 ? ", " : "", tiers[next].name);
    in_use += tiers[next].in_use;
    sum += tiers[next].mean * static_cast<double>(tiers[next].in_use);
    busiest = std::max(busiest, tiers[next].busiest);
  }
  std::string text =
      fmt::format("{} {}: busy for {} of the run at most, {} on average of the {} in use", names,
                  busiest >= limiting ? "limit" : "are busiest", readable_share(busiest),
                  readable_share(sum / static_cast<double>(in_use)), in_use);
  if (next < tiers.size() && tiers[next].in_use > 0)
    text += fmt::format("; next {}, {} at most", tiers[next].name, readable_share(tiers[next].busiest));
  return text;
}

}  // namespace morgana
