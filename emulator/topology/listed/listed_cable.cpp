#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emulator/core/error.h"
#include "emulator/topology/listed/listed_items.h"

namespace morgana {
namespace {

SwitchPort plugged_port(const ListedEnd& end, const std::string& item, const SwitchGraph& graph) {
  if (*end.port >= graph.ports(end.at))
    throw Error(fmt::format("\"{}\": switch {} has no port {}, only {} numbered from 0", item, end.at,
                            *end.port, graph.ports(end.at)));
  const SwitchPort port{end.at, static_cast<PortNumber>(*end.port)};
  if (graph.neighbour(port).is_nothing())
    throw Error(
        fmt::format("\"{}\": no cable is plugged into port {} of switch {}", item, *end.port, end.at));
  return port;
}

/// The end at `a` of the only cable between two switches.
SwitchPort end_of_cable_between(SwitchId a, SwitchId b, const std::string& item, const SwitchGraph& graph) {
  std::vector<std::string> ports;
  SwitchPort found;
  for (const auto& [one, other] : graph.cables()) {
    if ((one.at != a || other.at != b) && (one.at != b || other.at != a)) continue;
    found = one.at == a ? one : other;
    ports.push_back(fmt::format("{}.{}", found.at, found.port));
  }
  if (ports.empty()) throw Error(fmt::format("\"{}\": no cable joins the switches {} and {}", item, a, b));
  if (ports.size() > 1)
    throw Error(fmt::format("\"{}\": {} cables join the switches {} and {}; name one by its port: {}", item,
                            ports.size(), a, b, fmt::join(ports, ", ")));
  return found;
}

}  // namespace

void check_switch(SwitchId number, const std::string& item, const SwitchGraph& graph) {
  if (number >= graph.switches())
    throw Error(fmt::format("\"{}\": there is no switch {}, only {} numbered from 0", item, number,
                            graph.switches()));
}

std::optional<SwitchPort> take_cable(std::string_view& text, const std::string& item,
                                     const SwitchGraph& graph) {
  const auto from = take_end(text);
  if (!from) return std::nullopt;
  check_switch(from->at, item, graph);
  if (!text.starts_with("-")) {
    if (!from->port) return std::nullopt;
    return plugged_port(*from, item, graph);
  }
  text.remove_prefix(1);
  const auto to = take_end(text);
  if (!to || from->port || to->port) return std::nullopt;
  check_switch(to->at, item, graph);
  return end_of_cable_between(from->at, to->at, item, graph);
}

}  // namespace morgana
