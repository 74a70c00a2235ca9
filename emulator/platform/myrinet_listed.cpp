#include <fmt/format.h>

#include <set>
#include <system_error>

#include "emulator/core/error.h"
#include "emulator/platform/myrinet_items.h"

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
  explicit Ports(const MyrinetSettings& settings)
      : switches_(settings.switches), ports_(settings.ports_per_switch), taken_(settings.switches) {}

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
std::vector<std::string> hosts_of(const MyrinetSettings& settings) {
  if (!settings.hosts_at.empty()) return settings.hosts_at;
  std::vector<std::string> hosts;
  for (std::uint32_t at = 0; at < settings.switches; ++at)
    hosts.insert(hosts.end(), settings.hosts_per_switch, std::to_string(at));
  return hosts;
}

}  // namespace

SwitchGraph listed_graph(const MyrinetSettings& settings, std::string& wrong_key) {
  const std::vector<std::string> host_items = hosts_of(settings);
  Ports ports(settings);
  wrong_key = "network.hosts-at";
  std::vector<ListedEnd> hosts;
  for (const std::string& item : host_items) ports.take_named(hosts.emplace_back(host_of(item)), item);
  wrong_key = "network.cables";
  std::vector<ListedCable> cables;
  for (const std::string& item : settings.cables) {
    cables.push_back(cable_of(item));
    ports.take_named(cables.back().a, item);
    ports.take_named(cables.back().b, item);
  }
  SwitchGraph graph;
  for (std::uint32_t i = 0; i < settings.switches; ++i) graph.add_switch(settings.ports_per_switch);
  wrong_key = settings.hosts_at.empty() ? "network.hosts-per-switch" : "network.hosts-at";
  for (std::size_t i = 0; i < hosts.size(); ++i) graph.add_host(ports.place(hosts[i], host_items[i]));
  wrong_key = "network.cables";
  for (std::size_t i = 0; i < cables.size(); ++i) {
    const SwitchPort a = ports.place(cables[i].a, settings.cables[i]);
    graph.connect(a, ports.place(cables[i].b, settings.cables[i]));
  }
  graph.check_connected();
  return graph;
}

}  // namespace morgana
