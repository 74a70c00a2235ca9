#include "emulator/report/limits/link_tiers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/report/readable.h"

namespace morgana {
namespace {

/// Of a link that limits: phases of a program leave every link idle now and then.
constexpr double limiting = 0.5;
/// Tiers whose busiest links differ by less are busy alike.
constexpr double alike = 0.02;

using Levels = std::map<std::uint32_t, std::uint32_t>;  // or groups, by switch

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

/// The group of each switch of a dragonfly: sets of at least three switches that are all joined, equally
/// large, every two of which some cable joins. Empty for any other network.
Levels groups_of_switches(const NetworkLinks& links) {
  std::map<std::uint32_t, std::set<std::uint32_t>> neighbours, local;
  for (const LinkLoad& link : links.loads)
    if (!link.from.is_host() && !link.to.is_host()) neighbours[link.from.number].insert(link.to.number);
  for (const auto& [at, others] : neighbours) {
    std::set<std::uint32_t>& group = local[at];
    group.insert(at);
    for (const std::uint32_t other : others) {  // two of a group have a third one in common
      const std::set<std::uint32_t>& theirs = neighbours[other];
      if (std::ranges::any_of(others, [&](std::uint32_t third) { return theirs.contains(third); }))
        group.insert(other);
    }
  }
  constexpr std::size_t least = 3;
  Levels group_of;
  std::set<std::uint32_t> groups;
  for (const auto& [at, group] : local) {
    if (group.size() < least || group.size() != local.begin()->second.size()) return {};
    for (const std::uint32_t other : group)
      if (local[other] != group) return {};
    groups.insert(group_of[at] = *group.begin());
  }
  std::set<std::pair<std::uint32_t, std::uint32_t>> joined;
  for (const auto& [at, others] : neighbours)
    for (const std::uint32_t other : others)
      if (group_of[at] != group_of[other]) joined.emplace(group_of[at], group_of[other]);
  if (groups.size() < 2 || joined.size() != groups.size() * (groups.size() - 1)) return {};
  return group_of;
}

/// "uplinks of the leaves". @param from, to  levels, which differ
std::string name_between(std::uint32_t from, std::uint32_t to, bool of_gpus) {
  const bool up = from < to;
  const std::uint32_t lower = std::min(from, to);
  if (of_gpus && lower == 0) return up ? "NICs outwards" : "NICs inwards";
  const std::uint32_t leaves = of_gpus ? 1 : 0;
  if (lower == leaves) return up ? "uplinks of the leaves" : "downlinks to the leaves";
  return fmt::format("{} {}", up ? "uplinks of level" : "downlinks to level", lower + 1 - leaves);
}

NamedTier tier_of(const LinkLoad& link, const Levels& levels, std::uint32_t highest, const Levels& groups,
                  bool of_gpus) {
  constexpr std::int64_t first = -1'000'000, last = 1'000'000;
  if (link.from.is_host()) return {first, of_gpus ? "NVLink from the GPUs" : "links from hosts"};
  if (link.to.is_host()) return {last, of_gpus ? "NVLink to the GPUs" : "links to hosts"};
  const auto level = [&](const LinkEnd& end) {
    const auto found = levels.find(end.number);
    return found == levels.end() ? highest : found->second;
  };
  const std::uint32_t from = level(link.from), to = level(link.to);
  if (highest == 0 && groups.empty()) return {0, "links between switches"};
  if (highest == 0)
    return groups.at(link.from.number) == groups.at(link.to.number)
               ? NamedTier{0, "local cables (within groups)"}
               : NamedTier{1, "global cables (between groups)"};
  const std::int64_t above = std::int64_t{highest} + 1;
  if (from == to) return {from - above, fmt::format("links between switches of level {}", from + 1)};
  return {from < to ? from - above : above - to, name_between(from, to, of_gpus)};
}

/// Before the links from hosts, beside those between switches, or behind the links to hosts.
NamedTier tier_of(const ResourceLoad& resource) {
  constexpr std::int64_t before = -1'000'001, behind = 1'000'001;
  using Place = ResourceLoad::Place;
  return {resource.place == Place::sending  ? before
          : resource.place == Place::shared ? 0
                                            : behind,
          resource.name};
}

std::set<std::uint32_t> switches_in_use(const NetworkLinks& links) {
  std::set<std::uint32_t> active;
  for (const LinkLoad& link : links.loads)
    for (const LinkEnd& end : {link.from, link.to})
      if (link.utilisation > 0 && !end.is_host()) active.insert(end.number);
  return active;
}

void add_to(LinkTier& tier, double utilisation) {
  ++tier.links;
  if (!(utilisation > 0)) return;
  ++tier.in_use;
  tier.mean += utilisation;
  tier.busiest = std::max(tier.busiest, utilisation);
}

bool is_alike(const LinkTier& tier, double most) {
  return tier.busiest > 0 && tier.busiest >= most - alike;
}

}  // namespace

std::vector<LinkTier> link_tiers(const NetworkLoads& links, LinkedHosts hosts) {
  const Levels levels = levels_of_switches(links);
  std::uint32_t highest = 0;
  for (const auto& [number, level] : levels) highest = std::max(highest, level);
  const Levels groups = highest == 0 ? groups_of_switches(links) : Levels();
  std::map<NamedTier, LinkTier> tiers;
  const std::set<std::uint32_t> active = switches_in_use(links);
  for (const LinkLoad& link : links.loads) {
    LinkTier& tier = tiers[tier_of(link, levels, highest, groups, hosts == LinkedHosts::gpus)];
    add_to(tier, link.utilisation);
    if (!(link.utilisation > 0) && !link.from.is_host() && !link.to.is_host() &&
        active.contains(link.from.number) && active.contains(link.to.number))
      ++tier.idle;
  }
  for (const ResourceLoad& resource : links.resources) {
    LinkTier& tier = tiers[tier_of(resource)];
    tier.of_links = false;
    tier.of_memory = resource.place == ResourceLoad::Place::memory;
    add_to(tier, resource.utilisation);
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

const LinkTier& busiest_tier(std::span<const LinkTier> tiers) {
  constexpr double equal = 1e-9;
  const double most = std::ranges::max_element(tiers, {}, &LinkTier::busiest)->busiest;
  return *std::ranges::find_if(tiers, [most](const LinkTier& tier) { return tier.busiest >= most - equal; });
}

bool is_one_medium(const NetworkLoads& links) {
  return links.loads.empty() && !links.resources.empty() &&
         std::ranges::all_of(links.resources,
                             [](const ResourceLoad& resource) { return resource.name.starts_with("the "); });
}

std::string are_busy(const LinkTier& tier) {
  return fmt::format("{} {} busy", tier.name, tier.name.starts_with("the ") ? "is" : "are");
}

std::string limiting_tier_text(const NetworkLoads& links, LinkedHosts hosts, std::string_view of,
                               std::string_view bound) {
  const std::vector<LinkTier> tiers = link_tiers(links, hosts);
  double most = 0;
  for (const LinkTier& tier : tiers) most = std::max(most, tier.busiest);
  if (!(most > limiting)) return "";
  std::string names;
  std::size_t next = 0, in_use = 0, idle = 0;
  bool any_links = false, any_resources = false;
  double sum = 0;
  for (; next < tiers.size() && is_alike(tiers[next], most); ++next) {
    names += fmt::format("{}{}", next > 0 ? ", " : "", tiers[next].name);
    (tiers[next].of_links ? any_links : any_resources) = true;
    in_use += tiers[next].in_use;
    idle += tiers[next].idle;
    sum += tiers[next].mean * static_cast<double>(tiers[next].in_use);
  }
  std::string text = fmt::format("{}: busy for {}{}{}", names, bound, readable_share(most), of);
  if (in_use > 1)
    text += fmt::format(" (the busiest of {}{}{}; mean {}{})", in_use,
                        any_links              ? " links"
                        : is_one_medium(links) ? " directions"
                                               : " hosts",
                        any_links && any_resources ? " and hosts" : "",
                        readable_share(sum / static_cast<double>(in_use)),
                        idle > 0 ? fmt::format("; {} more between these switches {} nothing", idle,
                                               idle == 1 ? "carries" : "carry")
                                 : "");
  if (next < tiers.size() && tiers[next].in_use > 0)
    text += fmt::format("; next {}: {}", tiers[next].name, readable_share(tiers[next].busiest));
  return text;
}

}  // namespace morgana
