#include "emulator/topology/listed/listed_graph.h"

#include <fmt/format.h>

#include <set>

#include "emulator/core/error.h"
#include "emulator/topology/topology_kind.h"

namespace morgana {
namespace {

struct ListedCable {
  ListedEnd a, b;
};

ListedCable cable_of(const std::string& item) {
  std::string_view text = item;
  const auto a = take_end(text);
  if (a && text.starts_with("-")) {
    text.remove_prefix(1);
    if (const auto b = take_end(text); b && text.empty()) return {*a, *b};
  }
  throw Error(
      fmt::format("\"{}\" can't be read; write two switches' numbers, such as \"0-1\", or ports of "
                  "theirs, such as \"0.4-1.5\"",
                  item));
}

ListedEnd host_of(const std::string& item) {
  std::string_view text = item;
  if (const auto end = take_end(text); end && text.empty()) return *end;
  throw Error(fmt::format(
      "\"{}\" can't be read; write a switch's number, such as \"0\", or a port of one, such as \"0.3\"",
      item));
}

/// Which ports are taken already.
class Ports {
 public:
  Ports(std::uint32_t switches, std::uint32_t ports) : switches_(switches), ports_(ports), taken_(switches) {}

  void take_named(const ListedEnd& end, const std::string& item) {
    if (end.at >= switches_) {
      throw Error(fmt::format("\"{}\": there is no switch {}, network.switches has them from 0 to {}", item,
                              end.at, switches_ - 1));
    }
    if (!end.port) return;
    if (*end.port >= ports_) {
      throw Error(fmt::format("\"{}\": there is no port {}, network.ports-per-switch has them from 0 to {}",
                              item, *end.port, ports_ - 1));
    }
    if (!taken_[end.at].insert(*end.port).second)
      throw Error(fmt::format("\"{}\": port {} of switch {} is taken already", item, *end.port, end.at));
  }
  SwitchPort place(const ListedEnd& end, const std::string& item) {
    if (end.port) return {end.at, static_cast<PortNumber>(*end.port)};
    unsigned free = 0;
    for (const unsigned port : taken_[end.at])
      if (port == free) ++free;
    if (free == ports_) {
      throw Error(fmt::format("\"{}\": all {} ports of switch {} are taken: raise network.ports-per-switch",
                              item, ports_, end.at));
    }
    taken_[end.at].insert(free);
    return {end.at, static_cast<PortNumber>(free)};
  }

 private:
  std::uint32_t switches_, ports_;
  std::vector<std::set<unsigned>> taken_;  // by switch
};

/// As listed; else so many at every switch.
std::vector<std::string> host_items_of(const TopologyHosting& hosting, std::uint32_t switches) {
  if (!hosting.hosts_at.empty()) return hosting.hosts_at;
  std::vector<std::string> hosts;
  for (std::uint32_t at = 0; at < switches; ++at)
    hosts.insert(hosts.end(), hosting.hosts_per_switch, std::to_string(at));
  return hosts;
}

/// network.cables, then network.trunks.
std::vector<std::string> cable_items_of(const TopologyHosting& hosting) {
  std::vector<std::string> items = hosting.cables;
  items.insert(items.end(), hosting.trunks.begin(), hosting.trunks.end());
  return items;
}

/// Calls `work`; an Error becomes one that names the key.
template <class Work>
void blaming(const std::string& key, Work work) {
  try {
    work();
  } catch (const Error& error) {
    throw TopologyError(key, error.what());
  }
}

}  // namespace

std::vector<ListedTrunk> listed_trunks(const TopologyHosting& hosting, std::uint32_t switches,
                                       const Link& link) {
  std::vector<ListedTrunk> trunks;
  for (const auto& [items, key] :
       {std::pair{&hosting.cables, "network.cables"}, std::pair{&hosting.trunks, "network.trunks"}}) {
    blaming(key, [&, all = items] {
      for (const std::string& item : *all) trunks.push_back(listed_trunk(item, switches, link));
    });
  }
  return trunks;
}

std::vector<ListedHost> listed_hosts(const TopologyHosting& hosting, std::uint32_t switches,
                                     const Link& link) {
  std::vector<ListedHost> hosts;
  blaming("network.hosts-at", [&] {
    for (const std::string& item : hosting.hosts_at) hosts.push_back(listed_host(item, switches, link));
  });
  return hosts;
}

SwitchGraph listed_graph(const TopologyHosting& hosting, std::uint32_t switches) {
  const std::vector<std::string> host_items = host_items_of(hosting, switches);
  const std::vector<std::string> cable_items = cable_items_of(hosting);
  const std::string cables_key =
      hosting.cables.empty() && !hosting.trunks.empty() ? "network.trunks" : "network.cables";
  const std::string hosts_key = hosting.hosts_at.empty() ? "network.hosts-per-switch" : "network.hosts-at";
  Ports ports(switches, hosting.ports_per_switch);
  std::vector<ListedEnd> hosts;
  blaming("network.hosts-at", [&] {
    for (const std::string& item : host_items) ports.take_named(hosts.emplace_back(host_of(item)), item);
  });
  std::vector<ListedCable> cables;
  blaming(cables_key, [&] {
    for (const std::string& item : cable_items) {
      cables.push_back(cable_of(item));
      ports.take_named(cables.back().a, item);
      ports.take_named(cables.back().b, item);
    }
  });
  SwitchGraph graph;
  for (std::uint32_t i = 0; i < switches; ++i) graph.add_switch(hosting.ports_per_switch);
  blaming(hosts_key, [&] {
    for (std::size_t i = 0; i < hosts.size(); ++i) graph.add_host(ports.place(hosts[i], host_items[i]));
  });
  blaming(cables_key, [&] {
    for (std::size_t i = 0; i < cables.size(); ++i) {
      const SwitchPort a = ports.place(cables[i].a, cable_items[i]);
      graph.connect(a, ports.place(cables[i].b, cable_items[i]));
    }
    graph.check_connected();
  });
  return graph;
}

}  // namespace morgana
