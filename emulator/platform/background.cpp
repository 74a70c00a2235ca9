#include "emulator/platform/background.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "emulator/core/quantity.h"

namespace morgana {
namespace {

constexpr const char* without_ranks = "without-ranks";
constexpr std::size_t hosts_at_most = 65536;

/// "3" or "16..31". @throws Error for anything else
std::pair<std::size_t, std::size_t> host_range(const std::string& item) {
  const std::size_t dots = item.find("..");
  const auto number = [&](const std::string& text) {
    try {
      if (const std::int64_t host = parse_count(text, ""); host < std::int64_t{hosts_at_most})
        return static_cast<std::size_t>(host);
    } catch (const Error&) {
    }
    throw Error(fmt::format("\"{}\" is not a host: write a number from 0, a range such as 16..31, or \"{}\"",
                            item, without_ranks));
  };
  if (dots == std::string::npos) return {number(item), number(item)};
  const std::pair range{number(item.substr(0, dots)), number(item.substr(dots + 2))};
  if (range.first > range.second)
    throw Error(fmt::format("\"{}\" ends before it begins; write the lower number first", item));
  return range;
}

/// By number, each once. @param hosts  that there are; @param used  those with ranks
/// @throws Error for what is no host, or a host that there is not
std::set<std::size_t> hosts_in(const std::vector<std::string>& items, std::size_t hosts,
                               const std::set<std::size_t>& used) {
  std::set<std::size_t> chosen;
  for (std::size_t host = 0; host < hosts && items.empty(); ++host) chosen.insert(host);
  for (const std::string& item : items) {
    if (item == without_ranks) {
      for (std::size_t host = 0; host < hosts; ++host)
        if (!used.contains(host)) chosen.insert(host);
      continue;
    }
    const auto [first, last] = host_range(item);
    if (last >= hosts) throw Error(fmt::format("there is no host {}, only {} numbered from 0", last, hosts));
    for (std::size_t host = first; host <= last; ++host) chosen.insert(host);
  }
  return chosen;
}

TrafficPattern pattern_of(const BackgroundSettings& background) {
  const TrafficPattern pattern = parse_pattern(background.pattern);
  if (pattern.kind == TrafficPattern::Kind::local)
    throw Error("local goes by distances in `morgana traffic` only; choose another pattern, such as uniform");
  return pattern;
}

/// Why no messages of hosts can go beside the program's; nothing if they can.
std::optional<Complaint> refuse_load(const Resolved& platform) {
  const NetworkKind& network = network_kind(platform.network);
  const auto refuse = [](const std::string& why) {
    return Complaint{"background.load", why + "; leave background.load out, or choose another platform"};
  };
  const Section& section = *std::ranges::find_if(
      schema(), [&](const Section& one) { return one.name == "network" && one.kind == network.name; });
  if (std::ranges::any_of(section.keys, [](const Key& key) { return key.name == "network.background.load"; }))
    return Complaint{"background.load",
                     fmt::format("a network of kind {} has background traffic of its own; set "
                                 "network.background.load instead",
                                 network.name)};
  if (!network.topology || network.carries_cells)
    return refuse(fmt::format("a network of kind {} has no switches that packets of several senders meet in",
                              network.name));
  if (platform.interface == "lanai")
    return refuse("programs of interfaces (interface.model = \"lanai\") carry ranks' messages only");
  if (transport_kind(platform.transport).in_kernel)
    return refuse(fmt::format("the hosts' kernels carry ranks' messages only (transport.kind = \"{}\")",
                              platform.transport));
  if (host_table().read(platform.settings).interrupts.handling != InterruptParameters::Handling::polling)
    return refuse("background messages interrupt no processors (hosts.interrupts.handling)");
  if (platform.overlay != overlay_kinds().front().name)
    return refuse(
        fmt::format("an overlay relays ranks' messages only (overlay.kind = \"{}\")", platform.overlay));
  return std::nullopt;
}

}  // namespace

const Table<BackgroundSettings>& background_table() {
  using B = BackgroundSettings;
  using P = BackgroundParameters;
  const auto parameter = [](auto P::*member) {
    return [member](B & background) -> auto& {
      return background.parameters.*member;
    };
  };
  static const auto table =
      Table<B>("background")
          .share("load", parameter(&P::load),
                 "payload that each sending host offers, on average, as a share of the rate of its cable")
          .text("pattern", &B::pattern,
                "where messages go, as `morgana traffic --pattern` says it: uniform, random-permutation, "
                "hotspot:5%, incast:16, next-group:32 and others, over the hosts that background.hosts names")
          .key("message", parameter(&P::message), "payload of each message",
               {.at_least = "1 B", .at_most = "1 GiB"})
          .key("outstanding", parameter(&P::outstanding),
               "messages of each host that may be under way; those that come beyond are held back, and "
               "counted",
               {.at_least = "1", .at_most = "1000000"})
          .choice("arrivals", parameter(&P::arrivals), {"exponential", "constant"},
                  "times between a host's messages")
          .list(
              "hosts", &B::hosts, "hosts",
              "which send to each other, by number (0, 16..31); without-ranks: those on which no rank runs, "
              "as another job's; empty: all of the network")
          .choice("class", &B::traffic_class, {"program", "0", "1", "2", "3", "4", "5", "6", "7"},
                  "traffic class of their data (network.classes); program: that of the program's messages")
          .key("seed", &B::seed, "of times and destinations; auto: the run's",
               {.at_least = "1", .zero_word = "auto"});
  return table;
}

std::optional<Complaint> check_background(const Resolved& platform) {
  const BackgroundSettings background = background_table().read(platform.settings);
  try {
    pattern_of(background);
  } catch (const Error& error) {
    return Complaint{"background.pattern", error.what()};
  }
  try {
    // All hosts, where none are listed, are many.
    if (!background.hosts.empty()) hosts_in(background.hosts, hosts_at_most, {});
  } catch (const Error& error) {
    return Complaint{"background.hosts", error.what()};
  }
  if (background.parameters.load == 0) return std::nullopt;
  if (auto complaint = refuse_load(platform)) return complaint;
  if (background.traffic_class == 0) return std::nullopt;
  const UnitService network = unit_service(network_kind(platform.network), platform.settings);
  const auto traffic_class = static_cast<unsigned>(background.traffic_class - 1);
  if (traffic_class >= network.traffic_classes)
    return no_such_class("background.class", traffic_class, network);
  if (!transport_kind(platform.transport).has_classes)
    return Complaint{"background.class",
                     fmt::format("a transport of kind {} sends all in one traffic class; leave "
                                 "background.class out",
                                 platform.transport)};
  return std::nullopt;
}

bool has_background(const Settings& settings) {
  return background_table().read(settings).parameters.load > 0;
}

void add_background(Machine& machine, const Settings& settings, const NetworkTopology& topology,
                    std::size_t ports, std::uint64_t seed) {
  const BackgroundSettings background = background_table().read(settings);
  BackgroundParameters parameters = background.parameters;
  parameters.pattern = pattern_of(background);
  parameters.seed = background.seed > 0 ? static_cast<std::uint64_t>(background.seed) : seed;
  if (background.traffic_class > 0)
    parameters.traffic_class = static_cast<std::uint8_t>(background.traffic_class - 1);
  std::set<std::size_t> used;
  for (const HostId host : machine.host_of) used.insert(static_cast<std::size_t>(host));
  const std::int64_t count = host_table().read(settings).count;
  const std::size_t there =
      count > 0 ? std::min(static_cast<std::size_t>(count), ports / machine.nics) : ports / machine.nics;
  std::set<std::size_t> hosts;
  try {
    hosts = hosts_in(background.hosts, there, used);
  } catch (const Error& error) {
    throw Error(fmt::format("background.hosts: {}", error.what()));
  }
  if (hosts.size() * machine.nics < 2)
    throw Error(
        fmt::format("background.hosts: background traffic needs at least 2 hosts, not {}; leave the "
                    "key out for all {} of the network, or set background.load to 0",
                    hosts.size(), there));
  const CabledGraph network = topology.network(ports);
  std::vector<BackgroundEnd> ends;
  for (const std::size_t host : hosts)
    for (std::size_t port = host * machine.nics; port < (host + 1) * machine.nics; ++port)
      ends.push_back({static_cast<HostId>(port), network.hosts[port].rate});
  try {
    const Destinations checked(parameters.pattern, ends.size(), parameters.seed);
  } catch (const Error& error) {
    throw Error(fmt::format("background.pattern: {}", error.what()));
  }
  machine.background =
      std::make_unique<BackgroundMessages>(*machine.events, *machine.transport, std::move(ends), parameters);
}

}  // namespace morgana
