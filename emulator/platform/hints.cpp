#include "emulator/platform/hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <utility>

#include "emulator/core/quantity.h"
#include "emulator/platform/aliases.h"
#include "emulator/platform/kinds/networks.h"
#include "emulator/platform/link_speed.h"
#include "emulator/platform/sections.h"

namespace morgana {
namespace {

using Find = std::function<const Key*(const std::string&)>;

/// Keys whose values are chosen for each other: who changes one of `bases` means `followers`, too.
struct Together {
  std::string network;  ///< the kind of network
  std::vector<std::string> bases, followers;
};

/// What an alias changes in proportion goes with what it sets; a fabric's buffers and its hosts' buses are
/// chosen for the rate of its links.
std::vector<Together> all_together() {
  std::vector<Together> all;
  for (const Alias& alias : aliases()) {
    Together group{alias.network, {}, {}};
    for (const Alias::Part& part : alias.parts)
      (part.times > 0 ? group.bases : group.followers).emplace_back(part.key);
    if (!group.followers.empty() && alias.network != "fabric") all.push_back(std::move(group));
  }
  all.push_back(
      {"fabric",
       {"network.rate", "network.link-speed", "network.link-width"},
       {"network.trunk-rate", "network.tiers", "network.ejection-rate", "network.buffer",
        "network.host-buffer", "transport.fetch-per-byte", "transport.delivery-per-byte", "hosts.pcie.rate",
        "hosts.pcie.both-ways", "network.shared-buffer", "network.mark-from", "network.mark-to",
        "network.output-queue", "transport.base-round-trip", "transport.dcqcn-additive-increase",
        "transport.dcqcn-hyper-increase", "transport.dcqcn-least-rate"}});
  return all;
}

/// The key that the user has written: the notion, where it stands for this one.
std::string written(const KeyOrigins& origins, const std::string& key) {
  const auto notion = origins.by_notion.find(key);
  return notion == origins.by_notion.end() ? key : notion->second;
}

/// The rate of a fabric's cables, by its keys.
BitRate rate_of_cables(const Resolved& platform, const Find& find) {
  const auto place = [&](const Key& key) {
    const auto& word = std::get<std::string>(value_now(platform, key));
    return std::ranges::find(key.words, word) - key.words.begin();
  };
  const Key &speed = *find("network.link-speed"), &width = *find("network.link-width");
  if (place(speed) == 0) return std::get<BitRate>(value_now(platform, *find("network.rate")));
  return link_rate(static_cast<LinkSpeed>(place(speed)), static_cast<LinkWidth>(place(width)));
}

constexpr const char* host_bus_keys[] = {"transport.fetch-per-byte", "transport.delivery-per-byte"};

/// What the hosts' buses carry by one of host_bus_keys, in bits per second; infinite where it has no such
/// key.
double rate_of_bus(const Resolved& platform, const Find& find, const std::string& name) {
  constexpr double fs_in_s = 1e15, bits = 8;
  const Key* const key = find(name);
  if (key == nullptr) return std::numeric_limits<double>::infinity();
  const auto cost = std::get<ByteCost>(value_now(platform, *key));
  return cost > ByteCost() ? bits * fs_in_s / static_cast<double>(cost.fs())
                           : std::numeric_limits<double>::infinity();
}

bool is_slower(double bus, double cables) {
  constexpr double near = 1.05;
  return cables > near * bus;
}

/// Where NICs fetch or deliver slower than the cables carry: those costs delay messages and limit none. Empty
/// elsewhere, and where network.ejection-rate or hosts.pcie limits hosts already.
std::string slower_host_bus(const Resolved& platform, const Find& find) {
  if (host_table().read(platform.settings).pcie.limits()) return {};
  double bus = std::numeric_limits<double>::infinity();
  for (const char* const name : host_bus_keys) bus = std::min(bus, rate_of_bus(platform, find, name));
  const BitRate cables = rate_of_cables(platform, find);
  const auto rate = static_cast<double>(cables.bits_per_second());
  double accepted = rate;
  const Value& ejection = value_now(platform, *find("network.ejection-rate"));
  if (const auto* share = std::get_if<double>(&ejection)) accepted = *share * rate;
  if (const auto* limit = std::get_if<BitRate>(&ejection); limit != nullptr && *limit > BitRate())
    accepted = std::min(accepted, static_cast<double>(limit->bits_per_second()));
  if (!is_slower(bus, accepted)) return {};
  return fmt::format(
      "the hosts' buses (PCIe, {1:.0f} Gb/s) are slower than cables of {0}: they delay messages and limit no "
      "stream, unless network.ejection-rate=\"{1:.0f} Gb/s\" is set",
      to_text(cables), bus / 1e9);
}

/// A key that says what the former value of its group was, and that now says another one.
bool has_changed(const Resolved& platform, const KeyOrigins& origins, const Find& find,
                 const std::string& name) {
  const Key* const key = find(name);
  if (key == nullptr || !origins.before) return false;
  const auto before = origins.before->settings.find(name);
  return value_now(platform, *key) !=
         (before == origins.before->settings.end() ? key->fallback : before->second);
}

/// Of one group: the followers of the library that stay and matter, with their values.
std::vector<std::pair<std::string, std::string>> that_stay(const Together& group, const Resolved& platform,
                                                           const KeyOrigins& origins, const Find& find) {
  std::vector<std::pair<std::string, std::string>> stay;
  for (const std::string& name : group.followers) {
    const Key* const key = find(name);
    if (key == nullptr || !origins.is_of_library(name)) continue;
    const Value& value = value_now(platform, *key);
    const bool follows = key->form == ValueForm::rate_or_share && std::holds_alternative<double>(value);
    const bool fast_enough =
        std::ranges::find(host_bus_keys, name) != std::end(host_bus_keys) && group.network == "fabric" &&
        !is_slower(rate_of_bus(platform, find, name),
                   static_cast<double>(rate_of_cables(platform, find).bits_per_second()));
    if (value != key->fallback && !follows && !fast_enough) stay.emplace_back(name, to_text(*key, value));
  }
  return stay;
}

void add_followers(std::vector<PlatformHint>& hints, const Resolved& platform, const KeyOrigins& origins,
                   const Find& find) {
  for (const Together& group : all_together()) {
    if (group.network != platform.network) continue;
    const auto base = std::ranges::find_if(group.bases, [&](const auto& key) {
      return origins.is_override(key) && has_changed(platform, origins, find, key);
    });
    const auto own = std::ranges::find_if(group.bases, [&](const auto& key) { return origins.is_own(key); });
    if (own == group.bases.end()) continue;
    const auto stay = base == group.bases.end() ? std::vector<std::pair<std::string, std::string>>()
                                                : that_stay(group, platform, origins, find);
    const std::string bus = group.network == "fabric" && !origins.is_own("network.ejection-rate")
                                ? slower_host_bus(platform, find)
                                : "";
    if (!stay.empty())
      hints.push_back(
          {written(origins, *base),
           fmt::format("{} is set, and these keep the values that the platform has for its own: "
                       "{}; set them, too, if they should change with it{}{}",
                       written(origins, *base), keys_with_values(stay), bus.empty() ? "" : ". Now ", bus)});
    else if (!bus.empty())
      hints.push_back({written(origins, *own), fmt::format("{} is set: {}", written(origins, *own), bus)});
  }
}

/// Switches with hosts, and hosts; where their number is open, 0.
using HostedSize = std::pair<std::size_t, std::size_t>;
HostedSize hosted_size(const NetworkKind& kind, const Settings& settings) {
  const NetworkTopology topology = kind.topology(settings);
  const SwitchGraph graph = topology.network(topology.sketch().hosts).graph;
  std::size_t leaves = 0;
  for (SwitchId at = 0; at < graph.switches(); ++at) leaves += graph.hosts_at(at).empty() ? 0 : 1;
  return {leaves, topology.hosts()};
}

/// What changes the size of a network though its name says another thing.
void add_sizes(std::vector<PlatformHint>& hints, const Resolved& platform, const KeyOrigins& origins,
               const Find& find) {
  const char* const arity = "network.arity";
  const Key* const chosen = find("network.topology");
  if (!origins.before || origins.before->network != platform.network || chosen == nullptr ||
      !origins.is_override(arity) || !has_changed(platform, origins, find, arity) ||
      has_changed(platform, origins, find, chosen->name) ||
      std::get<std::string>(value_now(platform, *chosen)) != "fat-tree" ||
      origins.is_override("network.levels") || origins.is_own("hosts.count"))
    return;
  const NetworkKind& kind = network_kind(platform.network);
  Settings with_arity = origins.before->settings;  // and with no other override
  with_arity[arity] = value_now(platform, *find(arity));
  const HostedSize before = hosted_size(kind, origins.before->settings),
                   after = hosted_size(kind, with_arity);
  if (after.first == before.first) return;
  const bool names_hosts = !origins.is_override("network.hosts-per-switch");  // else that has a say, too
  const auto text = [names_hosts](const HostedSize& size) {
    return size.second > 0 && names_hosts ? fmt::format("{} leaves and {} hosts", size.first, size.second)
                                          : fmt::format("{} leaves", size.first);
  };
  hints.push_back({arity, fmt::format("network.arity is the number of leaves, too: it makes {} of the "
                                      "platform's {}; network.oversubscription=FACTOR keeps them, and "
                                      "changes the uplinks alone",
                                      text(after), text(before))});
}

}  // namespace

std::vector<PlatformHint> platform_hints(const Resolved& platform, const KeyOrigins& origins,
                                         const Find& find) {
  std::vector<PlatformHint> hints;
  add_followers(hints, platform, origins, find);
  add_sizes(hints, platform, origins, find);
  return hints;
}

}  // namespace morgana
