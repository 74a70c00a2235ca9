#include "emulator/platform/notices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "emulator/platform/aliases.h"
#include "emulator/platform/kinds/fabric_settings.h"
#include "emulator/platform/kinds/networks.h"
#include "emulator/platform/kinds/transports.h"
#include "emulator/platform/link_speed.h"
#include "emulator/platform/sections.h"
#include "emulator/topology/topology_kind.h"

namespace morgana {
namespace {

using Find = std::function<const Key*(const std::string&)>;

/// Whether nothing has been set after the kind was chosen.
bool still_hold(const std::vector<DroppedKeys::ValueText>& keys, const Resolved& platform, const Find& find) {
  return std::ranges::all_of(keys, [&](const auto& one) {
    const Key* const key = find(one.first);
    return key != nullptr && to_text(*key, value_now(platform, *key)) == one.second;
  });
}

void add_dropped(std::vector<std::string>& notices, const Resolved& platform, const KeyOrigins& origins,
                 const Find& find) {
  for (const DroppedKeys& dropped : origins.dropped) {
    std::vector<std::pair<std::string, std::string>> gone;
    for (const auto& one : dropped.keys)
      if (!platform.settings.contains(one.first)) gone.push_back(one);
    std::string kept;
    for (const auto& [notion, keys] : dropped.kept)
      if (still_hold(keys, platform, find))
        kept +=
            fmt::format("{}{} as {}", kept.empty() ? " keeps " : ", and ", notion, keys_with_values(keys));
    if (!gone.empty())
      notices.push_back(
          fmt::format("{}{}{} drops what the platform had set for the former kind: {}; the defaults "
                      "of the new kind hold unless you set its keys",
                      dropped.choice, kept, kept.empty() ? "" : ", and", keys_with_values(gone)));
    else if (!kept.empty())
      notices.push_back(dropped.choice + kept);
  }
}

void add_overruled(std::vector<std::string>& notices, const Resolved& platform, const KeyOrigins& origins,
                   const Find& find) {
  const Key* const speed = find("network.link-speed");
  if (speed == nullptr) return;
  const std::string word = std::get<std::string>(value_now(platform, *speed));
  if (word != speed->words.front() && origins.is_own("network.rate"))
    notices.push_back(
        fmt::format("network.rate has no effect: network.link-speed = {} says the rate of each cable; set "
                    "network.link-speed=rate, too",
                    word));
}

bool has_key(const TopologyKind& kind, const std::string& key) {
  return std::ranges::find(kind.keys, key, &Key::name) != kind.keys.end();
}

/// "2:1" is what most ask of a tree, and a run without it would answer another question: it is refused with
/// what says it there.
void refuse_oversubscription(const Resolved& platform, const std::string& topology) {
  const char* const key = "network.oversubscription";
  const auto set = platform.settings.find(key);
  const double factor = set == platform.settings.end() ? 0 : std::get<double>(set->second);
  if (!(factor > 0)) return;
  const char* const instead =
      topology == "xgft"
          ? "on an xgft network.parents and network.parallel-cables say how many uplinks there are"
          : "set network.topology=leaf-spine with network.leaves, or the cables of this one";
  const auto where = platform.where.find(key);
  throw Error(
      fmt::format("{}{} is a key of the topologies fat-tree and leaf-spine, and network.topology is {}: {}",
                  where == platform.where.end() ? "" : where->second + ": ", key, topology, instead));
}

void add_other_topologies(std::vector<std::string>& notices, const Resolved& platform,
                          const KeyOrigins& origins, const Find& find) {
  const Key* const chosen = find("network.topology");
  if (chosen == nullptr) return;
  const std::string name = std::get<std::string>(value_now(platform, *chosen));
  const TopologyKind* const topology = topology_kind(name);
  const auto chosen_in = origins.layer_of.find(chosen->name);
  for (const auto& [key, layer] : origins.layer_of) {
    if (!origins.own[layer]) continue;
    if (chosen_in != origins.layer_of.end() && layer < chosen_in->second) continue;
    if (topology == nullptr ? key == switches_key().name : has_key(*topology, key)) continue;
    std::vector<std::string> owners;
    for (const TopologyKind& kind : topology_kinds())
      if (has_key(kind, key)) owners.push_back(kind.name);
    if (owners.empty()) continue;
    if (key == "network.oversubscription") refuse_oversubscription(platform, name);
    std::vector<std::string> own_keys;
    if (topology != nullptr)
      for (const Key& one : topology->keys) own_keys.push_back(one.name);
    notices.push_back(
        fmt::format("{} has no effect: it is a key of the topolog{} {}, and network.topology is {}{}", key,
                    owners.size() == 1 ? "y" : "ies", fmt::join(owners, ", "), name,
                    own_keys.empty() ? "" : fmt::format(", which has {}", fmt::join(own_keys, ", "))));
  }
}

/// Keys that say something only of some words of another key.
void add_other_words(std::vector<std::string>& notices, const Resolved& platform, const KeyOrigins& origins,
                     const Find& find) {
  struct Owned {
    const char *chooser, *key;
    std::vector<std::string> words;
  };
  static const std::vector<Owned> all{
      {"network.routes", "network.virtual-lanes", {"dfsssp", "lash"}},
      {"network.routes", "network.flowlet-gap", {"flowlets"}},
      {"network.routes", "network.detour-threshold", {"ugal-l", "ugal-g", "par", "dal"}},
      {"network.routes", "network.detour-weights", {"ugal-l", "ugal-g", "par", "dal"}},
      {"network.routes", "network.detour-candidates", {"ugal-l", "ugal-g", "par"}},
      {"network.routes", "network.minimal-candidates", {"ugal-l", "ugal-g", "par"}},
      {"network.routes", "network.detour-places", {"valiant", "ugal-l", "ugal-g", "par"}},
      {"network.routes", "network.load-delay", {"ugal-g"}},
      {"network.routes", "network.load-period", {"ugal-g"}},
      {"network.class-arbitration", "network.class-weights", {"deficit-round-robin"}},
      {"network.allocator", "network.allocation-cycle", {"separable-input-first"}},
      {"network.class-arbitration", "network.high-priority", {"weighted"}},
      {"network.class-arbitration", "network.low-priority", {"weighted"}},
      {"network.class-arbitration", "network.high-priority-limit", {"weighted"}},
      {"network.flow-control", "network.mark-victims", {"credits"}},
      {"network.flow-control", "network.pause-watchdog", {"pause"}},
      {"network.flow-control", "network.pause-restore", {"pause"}},
      {"transport.early-packets", "transport.low-timeout", {"selective"}},
      {"transport.early-packets", "transport.low-timeout-packets", {"selective"}}};
  const Key* const trim_size = find("network.trim-size");
  if (trim_size != nullptr && origins.is_own("network.trim-packet") &&
      std::get<Bytes>(value_now(platform, *trim_size)) == Bytes())
    notices.emplace_back("network.trim-packet has no effect: network.trim-size = 0 B trims nothing");
  const Key* const watchdog = find("network.pause-watchdog");
  if (watchdog != nullptr && origins.is_own("network.pause-restore") &&
      std::get<SimTime>(value_now(platform, *watchdog)) == SimTime())
    notices.emplace_back(
        "network.pause-restore has no effect: network.pause-watchdog = 0 s gives nothing up");
  for (const Owned& one : all) {
    const Key* const chosen = find(one.chooser);
    if (chosen == nullptr || !origins.is_own(one.key)) continue;
    const std::string word = std::get<std::string>(value_now(platform, *chosen));
    if (std::ranges::find(one.words, word) == one.words.end())
      notices.push_back(fmt::format("{} has no effect: it is a key of {} = {}, and that is {}", one.key,
                                    one.chooser, fmt::join(one.words, " or "), word));
  }
}

/// HPCC compares the records of packets that follow each other, and these go different ways.
void add_sprayed_telemetry(std::vector<std::string>& notices, const Resolved& platform, const Find& find) {
  const Key* const control = find("transport.congestion-control");
  const Key* const routes = find("network.routes");
  if (control == nullptr || routes == nullptr ||
      std::get<std::string>(value_now(platform, *control)) != "hpcc" ||
      std::get<std::string>(value_now(platform, *routes)) != "spray")
    return;
  notices.push_back(
      "transport.congestion-control = hpcc has little effect with network.routes = spray: it learns from "
      "packets "
      "that follow each other on one way; set network.routes = ecmp, or transport.congestion-control = "
      "swift");
}

/// Congestion control that waits for marks, on a network that makes none.
void add_without_marks(std::vector<std::string>& notices, const Resolved& platform, const Find& find) {
  const Key* const control = find("transport.congestion-control");
  if (control == nullptr || unit_service(network_kind(platform.network), platform.settings).marks) return;
  const std::string name = std::get<std::string>(value_now(platform, *control));
  if (name == "dcqcn" || name == "dctcp" || name == "nscc" || name == "both" || name == "cct")
    notices.push_back(fmt::format(
        "transport.congestion-control = {} learns of congestion from marks, and the network makes "
        "none: set network.mark-from and network.mark-to of a network.kind = fabric",
        name));
}

/// Windows that are over before the first acknowledgement can be there.
void add_short_round_trip(std::vector<std::string>& notices, const Resolved& platform, const Find& find) {
  const Key* const control = find("transport.congestion-control");
  const Key* const base = find("transport.dctcp-base-round-trip");
  if (control == nullptr || base == nullptr || platform.network != "fabric" ||
      std::get<std::string>(value_now(platform, *control)) != "dctcp")
    return;
  const auto set = std::get<SimTime>(value_now(platform, *base));
  const auto payload = std::get<Bytes>(value_now(platform, *find("transport.path-mtu")));
  const SimTime least = farthest_round_trip(platform.settings, payload);
  if (set >= least) return;
  notices.push_back(fmt::format(
      "transport.dctcp-base-round-trip = {0} is shorter than the network's round trip: a packet and its "
      "acknowledgement take at least {1} between the hosts that are farthest from each other, and a flow has "
      "no more under way than its line rate times {0}; set transport.dctcp-base-round-trip=\"{1}\" or more",
      to_text(set), to_text(least)));
}

/// Ultra Ethernet's repetition waits for NACKs of trimmed packets. A preset without them says so itself.
void add_without_trimming(std::vector<std::string>& notices, const Resolved& platform,
                          const KeyOrigins& origins) {
  if (platform.transport != "uet") return;
  constexpr std::array deciding{"transport.kind", "network.kind", "network.trim-size",
                                "network.flow-control"};
  if (std::ranges::none_of(deciding, [&](const char* key) { return origins.is_own(key); })) return;
  const UnitService network = unit_service(network_kind(platform.network), platform.settings);
  if (network.trims || !network.drops) return;
  notices.push_back(
      "transport.kind = uet repeats dropped packets only after transport.timeout, because network.trim-size "
      "= "
      "0 B: set network.trim-size and network.trim-class; without trimming, the published simulator uses "
      "transport.nscc-target = 1 and a network.output-queue of five bandwidth-delay products");
}

/// Headers and answers that wait behind the data that they overtake elsewhere.
void add_class_order(std::vector<std::string>& notices, const Resolved& platform, const Find& find) {
  if (platform.transport != "uet") return;
  const UnitService network = unit_service(network_kind(platform.network), platform.settings);
  const auto class_of = [&](const char* name) {
    return std::get<std::int64_t>(value_now(platform, *find(name)));
  };
  const std::int64_t data = class_of("transport.data-class"), control = class_of("transport.control-class");
  if (network.trims && network.trim_class == data)
    notices.push_back(fmt::format(
        "network.trim-class = {0} is transport.data-class, too: a trimmed packet joins the queue that was "
        "full, and is lost where not even its header has space; set network.trim-class to a class before "
        "that",
        data));
  if (network.strict && data < control)
    notices.push_back(fmt::format(
        "network.class-arbitration = strict sends all data (transport.data-class = {}) before any "
        "acknowledgement (transport.control-class = {}): set transport.control-class to a class before that "
        "of data",
        data, control));
}

/// The host's buses serve those who take them, and nobody else.
void add_unused_buses(std::vector<std::string>& notices, const Resolved& platform,
                      const KeyOrigins& origins) {
  const auto unused = [&](std::string_view section, const char* by) {
    for (const auto& [key, layer] : origins.layer_of)
      if (origins.own[layer] && key.starts_with(section))
        notices.push_back(fmt::format("{} has no effect: {}", key, by));
  };
  if (!transport_kind(platform.transport).in_kernel)
    unused("hosts.bus.",
           "only kernels (transport.kind = push-pull) copy over the memory bus; copies of other libraries "
           "share hosts.memory-bandwidth");
  else
    for (const char* key : {"hosts.memory-bandwidth", "hosts.memory-cache"})
      unused(key, "kernels (transport.kind = push-pull) copy over the memory bus, hosts.bus");
  const HostParameters hosts = host_table().read(platform.settings);
  if (hosts.pcie.rate == BitRate(0))
    for (const char* key : {"hosts.pcie.work-request", "hosts.pcie.receive-request", "hosts.pcie.completion"})
      unused(key, "descriptors load hosts.pcie.rate alone, which is 0 b/s; set that, too");
  if (hosts.busy_from == 0) unused("hosts.busy-scale", "no host is busy; set hosts.busy-from, too");
  if (hosts.memory.bandwidth == BitRate(0))
    unused("hosts.memory-cache", "copies do not slow each other; set hosts.memory-bandwidth, too");
  if (hosts.nics == 1)
    for (const char* key : {"hosts.rails", "messages.nic", "messages.stripe-from"})
      unused(key, "hosts have one NIC; set hosts.nics, too");
  if (platform.interface != "dma")
    unused("hosts.io-bus.", "only interface.model = dma fetches data over the I/O bus");
}

}  // namespace

const Value& value_now(const Resolved& platform, const Key& key) {
  const auto set = platform.settings.find(key.name);
  return set == platform.settings.end() ? key.fallback : set->second;
}

std::string keys_with_values(const std::vector<std::pair<std::string, std::string>>& keys) {
  std::string text;
  for (const auto& [key, value] : keys)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", key, value);
  return text;
}

std::vector<std::string> platform_notices(const Resolved& platform, const KeyOrigins& origins,
                                          const Find& find) {
  std::vector<std::string> notices;
  add_dropped(notices, platform, origins, find);
  add_overruled(notices, platform, origins, find);
  add_other_topologies(notices, platform, origins, find);
  add_other_words(notices, platform, origins, find);
  add_without_marks(notices, platform, find);
  add_short_round_trip(notices, platform, find);
  add_sprayed_telemetry(notices, platform, find);
  add_without_trimming(notices, platform, origins);
  if (platform.network == "fabric")
    if (std::string small = small_headroom(platform.settings); !small.empty())
      notices.push_back(std::move(small));
  add_class_order(notices, platform, find);
  add_unused_buses(notices, platform, origins);
  return notices;
}

}  // namespace morgana
