#include "emulator/routing/up_down_ways.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "emulator/routing/nonminimal.h"

namespace morgana {

namespace {

/// Switches by levels, and of one level by numbers.
std::vector<SwitchId> by_levels(const Arcs& arcs) {
  const TrunkSearch search(arcs);
  std::vector<std::uint32_t> level(arcs.size(), unreachable_trunks);
  for (SwitchId root = 0; root < arcs.size(); ++root) {
    if (level[root] != unreachable_trunks) continue;
    const std::vector<std::uint32_t> distance = search.to_nearest({root});
    for (SwitchId at = 0; at < arcs.size(); ++at) level[at] = std::min(level[at], distance[at]);
  }
  std::vector<SwitchId> order(arcs.size());
  std::iota(order.begin(), order.end(), SwitchId{0});
  std::ranges::stable_sort(order, {}, [&](SwitchId at) { return level[at]; });
  return order;
}

/// Moves each switch that has lost its cables up, and is not the first of its part, behind the first of its
/// neighbours. @return whether that one has another cable up, for all of them; if not, the order is of no use
bool moved_below_neighbours(const Arcs& arcs, std::vector<SwitchId>& order) {
  std::vector<bool> met(arcs.size());  // in the parts of switches looked at
  std::vector<std::size_t> place(arcs.size());
  const auto set_places = [&] {
    for (std::size_t n = 0; n < order.size(); ++n) place[order[n]] = n;
  };
  set_places();
  for (const SwitchId top : std::vector(order)) {
    if (!met[top]) {  // the first of its part
      met[top] = true;
      std::vector<SwitchId> part{top};
      for (std::size_t next = 0; next < part.size(); ++next) {
        for (const Arc& arc : arcs[part[next]]) {
          if (met[arc.other.at]) continue;
          met[arc.other.at] = true;
          part.push_back(arc.other.at);
        }
      }
      continue;
    }
    const auto place_of = [&](const Arc& arc) { return place[arc.other.at]; };
    const SwitchId first = std::ranges::min_element(arcs[top], {}, place_of)->other.at;
    if (place[first] < place[top]) continue;
    const auto leads_up = [&](const Arc& arc) { return arc.other.at != top && place_of(arc) < place[first]; };
    if (std::ranges::none_of(arcs[first], leads_up)) return false;
    const auto begin = order.begin();
    std::rotate(begin + static_cast<std::ptrdiff_t>(place[top]),
                begin + static_cast<std::ptrdiff_t>(place[top]) + 1,
                begin + static_cast<std::ptrdiff_t>(place[first]) + 1);
    set_places();
  }
  return true;
}

}  // namespace

UpDownOrder::UpDownOrder(const SwitchGraph& graph, const ChannelFilter& usable)
    : arcs_(usable_arcs(graph, [](CableChannel) { return true; })),
      switches_(by_levels(arcs_)),
      place_(arcs_.size()) {
  if (usable) {
    arcs_ = usable_arcs(graph, usable);
    if (!moved_below_neighbours(arcs_, switches_)) switches_ = by_levels(arcs_);
  }
  for (std::uint32_t place = 0; place < switches_.size(); ++place) place_[switches_[place]] = place;
}

UpDownWays::UpDownWays(const SwitchGraph& graph, std::shared_ptr<const UpDownOrder> whole,
                       const ChannelFilter& usable)
    : order_(std::move(whole)), on_(graph.channels()) {
  for (const std::vector<Arc>& from : order_->arcs())
    for (const Arc& arc : from)
      on_[arc.channel] = usable(arc.channel) && usable(graph.channel_from(arc.other));
  keep_order_ = order_joins_all();
  if (!keep_order_) order_ = std::make_shared<UpDownOrder>(graph, usable);
}

template <typename Visit>
void UpDownWays::for_arcs(SwitchId at, bool up, Visit visit) const {
  for (const Arc& arc : order_->arcs()[at])
    if (on_[arc.channel] && order_->leads_up(at, arc) == up) visit(arc);
}

/// Whether each part has one switch with no cable up: from all others ways lead up to it, and down again.
/// Of two such switches no way leads from the one to the other: it would go down first, and end going up.
bool UpDownWays::order_joins_all() const {
  std::vector<bool> met(order_->arcs().size());
  std::vector<SwitchId> part;
  for (SwitchId first = 0; first < met.size(); ++first) {
    if (met[first]) continue;
    met[first] = true;
    part.assign(1, first);
    unsigned tops = 0;
    for (std::size_t next = 0; next < part.size(); ++next) {
      bool top = true;
      for (const bool up : {true, false}) {
        for_arcs(part[next], up, [&](const Arc& arc) {
          if (up) top = false;
          if (met[arc.other.at]) return;
          met[arc.other.at] = true;
          part.push_back(arc.other.at);
        });
      }
      if (top && ++tops > 1) return false;
    }
  }
  return true;
}

std::optional<PortNumber> UpDownWays::towards(SwitchId at, SwitchId to) const {
  auto found = ways_.find(to);
  if (found == ways_.end()) found = ways_.emplace(to, ports_to(to)).first;
  return found->second[at];
}

UpDownWays::Ports UpDownWays::ports_to(SwitchId to) const {
  const std::size_t switches = order_->arcs().size();
  std::vector<std::uint32_t> hops(switches, unreachable_trunks);
  std::vector<bool> above(switches);  // the destination: cables lead down to it
  std::vector<SwitchId> reached{to};
  hops[to] = 0;
  above[to] = true;
  for (std::size_t next = 0; next < reached.size(); ++next) {
    const SwitchId here = reached[next];
    for_arcs(here, true, [&](const Arc& arc) {
      if (above[arc.other.at]) return;
      above[arc.other.at] = true;
      hops[arc.other.at] = hops[here] + 1;
      reached.push_back(arc.other.at);
    });
  }
  Ports ports(switches);
  choose_ports(to, above, hops, ports);
  return ports;
}

/// From the top on, so that the hops of all switches above one are known.
void UpDownWays::choose_ports(SwitchId to, const std::vector<bool>& above, std::vector<std::uint32_t>& hops,
                              Ports& ports) const {
  std::vector<PortNumber> equal;
  for (const SwitchId at : order_->switches()) {
    if (at == to) continue;
    const bool up = !above[at];  // of those below only the ones above `to` have hops yet
    if (up) {
      for_arcs(at, true, [&](const Arc& arc) {
        if (hops[arc.other.at] != unreachable_trunks) hops[at] = std::min(hops[at], hops[arc.other.at] + 1);
      });
    }
    if (hops[at] == unreachable_trunks) continue;
    equal.clear();
    for_arcs(at, up, [&](const Arc& arc) {
      if (hops[arc.other.at] + 1 == hops[at]) equal.push_back(arc.port);
    });
    ports[at] = equal[mixed_bits(std::uint64_t{at} << 32 | to) % equal.size()];
  }
}

}  // namespace morgana
