#include "experiments/link_layout.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace morgana {
namespace {

MapPoint place_of(SwitchId id, std::size_t switches, unsigned columns) {
  if (columns > 0) return {static_cast<double>(id % columns), -static_cast<double>(id / columns)};
  // A unit from one to the next.
  const double angle = 2 * std::numbers::pi * id / static_cast<double>(switches);
  const double radius = static_cast<double>(switches) / (2 * std::numbers::pi);
  return {radius * std::sin(angle), radius * std::cos(angle)};
}

/// A flat arc to the right of the way from one point to another.
std::vector<MapPoint> arc(MapPoint from, MapPoint to, double least_bulge) {
  constexpr int pieces = 12;
  constexpr double growth = 0.14;
  const double x = to.x - from.x, y = to.y - from.y, length = std::hypot(x, y);
  if (length == 0) return {from, to};
  const double bulge = least_bulge + growth * std::max(0.0, std::min(length, 3.0) - 1);
  std::vector<MapPoint> points;
  for (int i = 0; i <= pieces; ++i) {
    const double t = static_cast<double>(i) / pieces, aside = 4 * bulge * t * (1 - t);
    points.push_back({from.x + t * x + aside * y / length, from.y + t * y - aside * x / length});
  }
  return points;
}

}  // namespace

LinkMap link_map(const SwitchGraph& graph, unsigned columns, const std::vector<double>& utilisation) {
  // In steps of the grid of switches, the bulge in lengths of the cable.
  constexpr double bulge = 0.09, longest = 2.5, overhang = 0.6;
  LinkMap map;
  for (SwitchId id = 0; id < graph.switches(); ++id)
    map.places.push_back({place_of(id, graph.switches(), columns), fmt::format("{}", id)});
  for (CableChannel channel = 0; channel < graph.channels(); ++channel) {
    if (graph.sent_by_host(channel)) continue;
    const SwitchPort sender = graph.sending_port(channel);
    const Neighbour receiver = graph.neighbour(sender);
    if (!receiver.is_switch()) continue;
    const MapPoint from = map.places[sender.at].at, to = map.places[receiver.id].at;
    const double x = to.x - from.x, y = to.y - from.y, length = std::hypot(x, y);
    if (columns > 0 && length > longest) {
      // Round the edge: the end that leaves, and the end that comes in again.
      const MapPoint away{-overhang * x / length, -overhang * y / length};
      map.lines.push_back({arc(from, {from.x + away.x, from.y + away.y}, bulge), utilisation[channel]});
      map.lines.push_back({arc({to.x - away.x, to.y - away.y}, to, bulge), utilisation[channel]});
    } else {
      map.lines.push_back({arc(from, to, bulge), utilisation[channel]});
    }
  }
  return map;
}

}  // namespace morgana
