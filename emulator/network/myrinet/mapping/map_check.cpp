#include "emulator/network/myrinet/mapping/map_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>

namespace morgana {
namespace {

std::string at(SwitchPort port) {
  return fmt::format("port {} of switch {}", port.port, port.at);
}

/// Walks through a map and the network side by side.
class Comparison {
 public:
  Comparison(const NetworkMap& map, const SwitchGraph& network, const std::vector<HostName>& names,
             const DeadPorts& dead)
      : map_(map), network_(network), names_(names), dead_(dead) {}

  std::optional<std::string> run() {
    const auto own = std::find(names_.begin(), names_.end(), map_.names[map_.mapper]) - names_.begin();
    const SwitchPort start = network_.port_of(static_cast<HostNumber>(own));
    if (auto wrong = match(map_.graph.port_of(map_.mapper), start)) return wrong;
    for (; !open_.empty(); open_.pop_front()) {
      if (auto wrong = compare(open_.front(), real_.at(open_.front()))) return wrong;
    }
    return std::nullopt;
  }

 private:
  std::optional<std::string> match(SwitchPort mapped, SwitchPort real) {
    if (mapped.port != real.port) {
      return fmt::format("a cable to {} comes in at port {} on the map", at(real), mapped.port);
    }
    const auto [is, is_new] = real_.emplace(mapped.at, real.at);
    if (is_new) open_.push_back(mapped.at);
    const auto [found, unique] = mapped_.emplace(real.at, mapped.at);
    if (is->second == real.at && found->second == mapped.at) return std::nullopt;
    return fmt::format("a cable to switch {} leads to another one on the map", real.at);
  }

  std::optional<std::string> compare(SwitchId mapped, SwitchId real) {
    const unsigned ports = std::max(map_.graph.ports(mapped), network_.ports(real));
    for (unsigned n = 0; n < ports; ++n) {
      const auto port = static_cast<PortNumber>(n);
      const SwitchPort here{real, port};
      const Neighbour found =
          n < map_.graph.ports(mapped) ? map_.graph.neighbour({mapped, port}) : Neighbour();
      const bool works = n < network_.ports(real) && !dead_.contains(here);
      const Neighbour there = works ? network_.neighbour(here) : Neighbour();
      if (found.kind != there.kind) {
        return fmt::format("{} leads to {}, on the map to {}", at(here), word(there), word(found));
      }
      if (there.is_host() && map_.names[found.id] != names_[there.id]) {
        return fmt::format("host {} is at {}, on the map host {}", names_[there.id], at(here),
                           map_.names[found.id]);
      }
      if (!there.is_switch()) continue;
      if (auto wrong = match(found.switch_port(), there.switch_port())) return wrong;
    }
    return std::nullopt;
  }

  static const char* word(const Neighbour& neighbour) {
    return neighbour.is_host() ? "a host" : neighbour.is_switch() ? "a switch" : "nothing";
  }

  const NetworkMap& map_;
  const SwitchGraph& network_;
  const std::vector<HostName>& names_;
  const DeadPorts& dead_;
  std::map<SwitchId, SwitchId> real_, mapped_;  // of mapped and of real switches
  std::deque<SwitchId> open_;
};

}  // namespace

void DeadPorts::kill_cable(SwitchPort end) {
  ports_.insert(end);
  const Neighbour& other = graph_.neighbour(end);
  if (other.is_switch()) ports_.insert(other.switch_port());
}

void DeadPorts::kill_switch(SwitchId id) {
  for (unsigned port = 0; port < graph_.ports(id); ++port) kill_cable({id, static_cast<PortNumber>(port)});
}

std::optional<std::string> difference(const NetworkMap& map, const SwitchGraph& network,
                                      const std::vector<HostName>& names, const DeadPorts& dead) {
  return Comparison(map, network, names, dead).run();
}

}  // namespace morgana
