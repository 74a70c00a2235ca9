#include <fmt/format.h>

#include <algorithm>

#include "emulator/core/error.h"
#include "emulator/topology/listed/listed_items.h"

namespace morgana {
namespace {

using To = ListedRoute::To;

class RouteItem {
 public:
  RouteItem(const std::string& item, const SwitchGraph& graph) : item_(item), text_(item), graph_(graph) {}

  ListedRoute read() {
    ListedRoute route{.text = item_};
    if (take("switch ")) {
      route.to = To::a_switch;
      route.number = number();
      check_switch(route.number, item_, graph_);
    } else if (take("host ")) {
      route.to = To::a_host;
      route.number = number();
      if (route.number >= graph_.hosts())
        throw Error(fmt::format("\"{}\": there is no host {}, only {} numbered from 0", item_, route.number,
                                graph_.hosts()));
    } else if (!take("any")) {
      refuse();
    }
    if (!take(" over ")) refuse();
    const auto port = take_cable(text_, item_, graph_);
    if (!port || !text_.empty()) refuse();
    route.at = port->at;
    route.cable = cable_at(*port);
    if ((route.to == To::a_switch && route.number == route.at) ||
        (route.to == To::a_host && graph_.port_of(route.number).at == route.at))
      throw Error(fmt::format("\"{}\" leads away from switch {}, where these packets have come to their end",
                              item_, route.at));
    return route;
  }

 private:
  [[noreturn]] void refuse() const {
    throw Error(fmt::format(
        "\"{}\" can't be read; write \"switch 3 over 0-1\" (at switch 0, what is for hosts at "
        "switch 3 leaves over the cable to switch 1), \"host 5 over 0.4\" (by port 4 of switch 0) "
        "or \"any over 0-1\"",
        item_));
  }
  bool take(std::string_view word) {
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  std::uint32_t number() {
    const auto found = take_end(text_);
    if (!found || found->port) refuse();
    return found->at;
  }
  std::size_t cable_at(SwitchPort port) const {
    const auto& cables = graph_.cables();
    const auto found = std::ranges::find_if(
        cables, [&](const SwitchGraph::Cable& cable) { return cable.a == port || cable.b == port; });
    if (found == cables.end())
      throw Error(fmt::format("\"{}\": port {} of switch {} leads to host {}, not to another switch", item_,
                              port.port, port.at, graph_.neighbour(port).id));
    return static_cast<std::size_t>(found - cables.begin());
  }

  const std::string& item_;
  std::string_view text_;
  const SwitchGraph& graph_;
};

}  // namespace

std::vector<ListedRoute> listed_routes(const std::vector<std::string>& items, const SwitchGraph& graph) {
  std::vector<ListedRoute> routes;
  for (const std::string& item : items) {
    ListedRoute route = RouteItem(item, graph).read();
    const auto before = std::ranges::find_if(routes, [&](const ListedRoute& one) {
      return one.to == route.to && one.number == route.number && one.at == route.at;
    });
    if (before != routes.end())
      throw Error(fmt::format("\"{}\" says otherwise than \"{}\", or the same: keep one of them", item,
                              before->text));
    routes.push_back(std::move(route));
  }
  return routes;
}

}  // namespace morgana
