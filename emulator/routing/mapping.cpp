#include "emulator/routing/mapping.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "emulator/core/error.h"

namespace morgana {
namespace {

using RouteBytes = std::vector<PortNumber>;

RouteBytes joined(const RouteBytes& first, const RouteBytes& second) {
  RouteBytes both = first;
  both.insert(both.end(), second.begin(), second.end());
  return both;
}

class Mapper {
 public:
  Mapper(Prober& prober, const MappingOptions& options) : prober_(prober), options_(options) {}

  NetworkMap map() {
    find_own_port();
    // Exploring a switch appends those that it finds.
    for (SwitchId at = 0; at < found_.size(); ++at) {
      for (unsigned port = 0; port < options_.most_ports; ++port) explore(at, static_cast<PortNumber>(port));
    }
    return draw();
  }

 private:
  struct Found {
    RouteBytes there;  // turns from the mapping host
    PortNumber entry;  // the port that this comes in by
    std::vector<bool> known_port;
  };

  std::optional<HostName> probe(const RouteBytes& route, const RouteBytes& answer_along) {
    for (unsigned n = 0; n < options_.attempts; ++n) {
      ++probes_;
      if (const auto answer = prober_.probe(route, answer_along)) return answer;
    }
    return std::nullopt;
  }
  bool comes_home(const RouteBytes& route) { return probe(route, {}) == prober_.own_name(); }

  /// From a found switch back to the mapping host, out of the port that the way there came in by.
  RouteBytes home_from(const Found& at) const { return joined({at.entry}, way_back(at.there)); }

  void find_own_port() {
    for (unsigned port = 0; port < options_.most_ports; ++port) {
      if (!comes_home({static_cast<PortNumber>(port)})) continue;
      add({}, static_cast<PortNumber>(port));
      hosts_.emplace(prober_.own_name(), SwitchPort{0, static_cast<PortNumber>(port)});
      return;
    }
    throw Error(
        fmt::format("host {} finds no switch at its cable: is it plugged in, at one of the first {} ports?",
                    prober_.own_name(), options_.most_ports));
  }

  SwitchId add(RouteBytes there, PortNumber entry) {
    found_.push_back({std::move(there), entry, std::vector<bool>(options_.most_ports)});
    found_.back().known_port[entry] = true;
    return static_cast<SwitchId>(found_.size() - 1);
  }

  void explore(SwitchId from, PortNumber port) {
    if (found_[from].known_port[port]) return;
    found_[from].known_port[port] = true;
    const RouteBytes there = joined(found_[from].there, {turn_byte(port - found_[from].entry)});
    if (const auto name = probe(there, way_back(there))) {
      if (!hosts_.emplace(*name, SwitchPort{from, port}).second) {
        throw Error(fmt::format("host {} answers at two places: the network changed; map it again", *name));
      }
      return;
    }
    if (!comes_home(joined(joined(there, {turn_byte(0)}), way_back(there)))) return;  // nothing is there
    const auto known = std::find_if(found_.begin(), found_.end(), [&](const Found& one) {
      return comes_home(joined(there, home_from(one)));
    });
    SwitchId to;
    PortNumber entry;
    if (known == found_.end()) {
      entry = entry_port(there, std::vector<bool>(options_.most_ports));
      to = add(there, entry);
    } else {
      to = static_cast<SwitchId>(known - found_.begin());
      entry = entry_port(there, known->known_port);
      known->known_port[entry] = true;
    }
    cables_.push_back({{from, port}, {to, entry}});
  }

  /// The port by which a switch is entered on this way, none of those taken.
  PortNumber entry_port(const RouteBytes& there, const std::vector<bool>& taken) {
    for (unsigned n = 0; n < options_.most_ports; ++n) {
      const auto port = static_cast<PortNumber>(n);
      if (!taken[n] && comes_home(joined(joined(there, {port}), way_back(there)))) return port;
    }
    throw Error(
        fmt::format("a switch answers, but at none of its first {} ports: it has more, or probes get lost",
                    options_.most_ports));
  }

  NetworkMap draw() const {
    NetworkMap map;
    map.probes = probes_;
    for (std::size_t n = 0; n < found_.size(); ++n) map.graph.add_switch(options_.most_ports);
    for (const auto& [name, at] : hosts_) {
      const HostNumber host = map.graph.add_host(at);
      map.names.push_back(name);
      if (name == prober_.own_name()) map.mapper = host;
    }
    for (const auto& [a, b] : cables_) map.graph.connect(a, b);
    return map;
  }

  Prober& prober_;
  MappingOptions options_;
  std::vector<Found> found_;
  std::map<HostName, SwitchPort> hosts_;
  std::vector<SwitchGraph::Cable> cables_;
  std::uint64_t probes_ = 0;
};

}  // namespace

NetworkMap map_network(Prober& prober, const MappingOptions& options) {
  if (options.most_ports < 1 || options.most_ports > widest_turn + 1) {
    throw Error(fmt::format("a mapper can't try {} ports: 1 to {}", options.most_ports, widest_turn + 1));
  }
  return Mapper(prober, options).map();
}

std::vector<PortNumber> way_back(Header turns) {
  std::vector<PortNumber> back(turns.rbegin(), turns.rend());
  for (PortNumber& byte : back) byte = static_cast<PortNumber>(2 * turn_byte(0) - byte);
  return back;
}

}  // namespace morgana
