#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emulator/core/error.h"
#include "emulator/core/quantity.h"
#include "emulator/topology/listed_items.h"

namespace morgana {
namespace {

constexpr SimTime latest = SimTime::from_ps(1'000'000'000'000'000);  // as of every time of a platform

class FaultItem {
 public:
  FaultItem(const std::string& item, const SwitchGraph& graph) : item_(item), text_(item), graph_(graph) {}

  NetworkFault read() {
    NetworkFault fault;
    if (take("switch ")) {
      fault.part = NetworkFault::Part::a_switch;
      fault.at.at = end(false).at;
    } else if (take("cable ")) {
      const ListedEnd from = end(true);
      fault.at = take("-") ? cable_between(from, end(false)) : cable_at(from);
    } else {
      refuse();
    }
    if (!take(" at ")) refuse();
    try {
      fault.when = parse_time(text_);
    } catch (const Error& error) {
      throw Error(fmt::format("\"{}\": {}", item_, error.what()));
    }
    if (fault.when > latest)
      throw Error(fmt::format("\"{}\": a time must be at most {}", item_, to_text(latest)));
    return fault;
  }

 private:
  [[noreturn]] void refuse() const {
    throw Error(
        fmt::format("\"{}\" can't be read; write \"cable 0.4 at 10 ms\" (at port 4 of switch 0), "
                    "\"cable 0-1 at 10 ms\" (between two switches) or \"switch 7 at 2 s\"",
                    item_));
  }
  bool take(std::string_view word) {
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  ListedEnd end(bool port_may_stand) {
    const auto found = take_end(text_);
    if (!found || (found->port && !port_may_stand)) refuse();
    if (found->at >= graph_.switches()) {
      throw Error(fmt::format("\"{}\": there is no switch {}, only {} numbered from 0", item_, found->at,
                              graph_.switches()));
    }
    return *found;
  }
  SwitchPort cable_at(const ListedEnd& from) const {
    if (!from.port) refuse();
    if (*from.port >= graph_.ports(from.at)) {
      throw Error(fmt::format("\"{}\": switch {} has no port {}, only {} numbered from 0", item_, from.at,
                              *from.port, graph_.ports(from.at)));
    }
    const SwitchPort port{from.at, static_cast<PortNumber>(*from.port)};
    if (graph_.neighbour(port).is_nothing()) {
      throw Error(
          fmt::format("\"{}\": no cable is plugged into port {} of switch {}", item_, *from.port, from.at));
    }
    return port;
  }
  SwitchPort cable_between(const ListedEnd& a, const ListedEnd& b) const {
    if (a.port) refuse();
    std::vector<std::string> ports;
    SwitchPort found;
    for (const auto& [one, other] : graph_.cables()) {
      if ((one.at != a.at || other.at != b.at) && (one.at != b.at || other.at != a.at)) continue;
      found = one.at == a.at ? one : other;
      ports.push_back(fmt::format("{}.{}", found.at, found.port));
    }
    if (ports.empty())
      throw Error(fmt::format("\"{}\": no cable joins the switches {} and {}", item_, a.at, b.at));
    if (ports.size() > 1) {
      throw Error(fmt::format("\"{}\": {} cables join the switches {} and {}; name one by its port: {}",
                              item_, ports.size(), a.at, b.at, fmt::join(ports, ", ")));
    }
    return found;
  }

  const std::string& item_;
  std::string_view text_;
  const SwitchGraph& graph_;
};

}  // namespace

NetworkFaults listed_faults(const std::vector<std::string>& items, const SwitchGraph& graph) {
  NetworkFaults faults;
  for (const std::string& item : items) faults.push_back(FaultItem(item, graph).read());
  return faults;
}

}  // namespace morgana
