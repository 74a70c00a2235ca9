#include "emulator/report/pictures/network_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "emulator/report/pictures/graphviz.h"

namespace morgana {
namespace {

using Pair = std::pair<std::uint32_t, std::uint32_t>;
constexpr double turn = 2 * std::numbers::pi;

/// The corner of a polygon whose sides are one long; the first at the top, then clockwise.
MapPoint corner(std::size_t number, std::size_t corners) {
  if (corners < 2) return {};
  const double angle = turn * static_cast<double>(number) / static_cast<double>(corners);
  const double radius = 0.5 / std::sin(turn / 2 / static_cast<double>(corners));
  return {radius * std::sin(angle), radius * std::cos(angle)};
}

MapPoint in_a_group(std::size_t id, std::size_t switches, std::size_t width) {
  // Groups stand so far apart that there is a switch's distance between them.
  const std::size_t groups = (switches + width - 1) / width;
  const double apart = 2 * std::hypot(corner(0, width).x, corner(0, width).y) + 1.5;
  const MapPoint centre = corner(id / width, groups), member = corner(id % width, width);
  return {apart * centre.x + member.x, apart * centre.y + member.y};
}

/// Between levels lies the more room, the more cables cross in it.
double level_height(unsigned width) {
  return std::clamp(width / 4.0, 1.5, 6.0);
}

/// The last level stands in a row, each other switch above the middle of those below it.
std::vector<MapPoint> tree_places(std::size_t switches, std::size_t arity) {
  std::vector<std::size_t> level(switches);
  for (std::size_t id = 1; id < switches; ++id) level[id] = level[(id - 1) / arity] + 1;
  const std::size_t lowest = level.back();
  const std::size_t in_last_row = static_cast<std::size_t>(std::count(level.begin(), level.end(), lowest));
  const double height = std::min(3.0, level_height(static_cast<unsigned>(in_last_row)));
  std::vector<MapPoint> places(switches);
  for (std::size_t id = switches; id-- > 0;) {
    MapPoint& place = places[id];
    place.y = height * static_cast<double>(lowest - level[id]);
    const std::size_t first = arity * id + 1, last = std::min(arity * id + arity, switches - 1);
    place.x = first < switches ? (places[first].x + places[last].x) / 2
                               : static_cast<double>(id + in_last_row) - static_cast<double>(switches);
  }
  return places;
}

/// Dimensions go to the right and downwards alternately, with blocks of the lower ones apart.
MapPoint in_lattice(std::size_t id, const std::vector<unsigned>& sides) {
  constexpr double gap = 0.8;
  MapPoint place{};
  double step[2] = {1, 1};
  for (std::size_t dimension = 0; dimension < sides.size(); ++dimension) {
    const std::size_t axis = dimension % 2, side = sides[dimension];
    const double along = step[axis] * static_cast<double>(id % side);
    (axis == 0 ? place.x : place.y) += axis == 0 ? along : -along;
    step[axis] = step[axis] * static_cast<double>(side) + gap;
    id /= side;
  }
  return place;
}

/// Rows of different lengths, each spread over the width of the widest.
std::vector<MapPoint> rows_of(std::size_t switches, const std::vector<unsigned>& rows) {
  const unsigned widest = *std::max_element(rows.begin(), rows.end());
  std::vector<MapPoint> places;
  double y = 0;
  for (const unsigned row : rows) {
    const double apart = static_cast<double>(widest) / row;
    for (unsigned column = 0; column < row && places.size() < switches; ++column)
      places.push_back({(column + 0.5) * apart, y});
    y += level_height(widest);
  }
  return places;
}

std::vector<MapPoint> places_of(std::size_t switches, const std::vector<Pair>& cables,
                                const NetworkShape& shape) {
  using Kind = NetworkShape::Kind;
  if (shape.kind == Kind::free) {
    if (switches > 1) return pulled_places(switches, cables);
    return std::vector<MapPoint>(switches);
  }
  if (shape.kind == Kind::tree) return tree_places(switches, shape.width);
  if (shape.kind == Kind::levels && !shape.rows.empty()) return rows_of(switches, shape.rows);
  std::vector<MapPoint> places;
  for (std::size_t id = 0; id < switches; ++id) {
    const auto width = shape.width;
    const auto whole_rows = id / width;
    const auto column = static_cast<double>(id % width), row = static_cast<double>(whole_rows);
    if (shape.kind == Kind::lattice && !shape.rows.empty())
      places.push_back(in_lattice(id, shape.rows));
    else if (shape.kind == Kind::grid || shape.kind == Kind::lattice)
      places.push_back({column, -row});
    else if (shape.kind == Kind::levels)
      places.push_back({column, row * level_height(shape.width)});
    else if (shape.kind == Kind::groups)
      places.push_back(in_a_group(id, switches, shape.width));
    else
      places.push_back(corner(id, switches));
  }
  return places;
}

/// A flat arc to the right of the way from one point to another.
std::vector<MapPoint> arc(MapPoint from, MapPoint to, double bulge) {
  constexpr int pieces = 12;
  const double x = to.x - from.x, y = to.y - from.y, length = std::hypot(x, y);
  if (length == 0) return {from, to};
  std::vector<MapPoint> points;
  for (int i = 0; i <= pieces; ++i) {
    const double t = static_cast<double>(i) / pieces, aside = 4 * bulge * t * (1 - t);
    points.push_back({from.x + t * x + aside * y / length, from.y + t * y - aside * x / length});
  }
  return points;
}

/// A straight line beside the way from one point to another, on its right.
std::vector<MapPoint> beside(MapPoint from, MapPoint to, double distance) {
  const double x = to.x - from.x, y = to.y - from.y, length = std::hypot(x, y);
  if (length == 0) return {from, to};
  const MapPoint aside{distance * y / length, -distance * x / length};
  return {{from.x + aside.x, from.y + aside.y}, {to.x + aside.x, to.y + aside.y}};
}

/// Directions for `count` hosts of a switch, as far from its cables as there is room, in their order.
std::vector<double> free_directions(std::vector<double> cables, std::size_t count) {
  if (cables.empty()) cables.push_back(turn / 4);
  std::sort(cables.begin(), cables.end());
  std::vector<std::size_t> in_gap(cables.size());
  const auto gap = [&](std::size_t i) {
    return i + 1 < cables.size() ? cables[i + 1] - cables[i] : cables.front() + turn - cables.back();
  };
  for (std::size_t host = 0; host < count; ++host) {
    std::size_t widest = 0;
    const auto room = [&](std::size_t i) { return gap(i) / static_cast<double>(in_gap[i] + 1); };
    for (std::size_t i = 1; i < cables.size(); ++i)
      if (room(i) > room(widest) + 1e-9) widest = i;
    ++in_gap[widest];
  }
  std::vector<double> directions;
  for (std::size_t i = 0; i < cables.size(); ++i)
    for (std::size_t k = 1; k <= in_gap[i]; ++k)
      directions.push_back(cables[i] + gap(i) * static_cast<double>(k) / static_cast<double>(in_gap[i] + 1));
  return directions;
}

class Drawing {
 public:
  Drawing(const NetworkLinks& links, NetworkShape shape) : links_(links), shape_(shape) {
    std::size_t switches = 0;
    for (const LinkLoad& link : links.loads) {
      for (const LinkEnd& end : {link.from, link.to})
        if (!end.is_host()) switches = std::max(switches, std::size_t{end.number} + 1);
      if (!link.from.is_host() && !link.to.is_host()) cables_.push_back({link.from.number, link.to.number});
    }
    places_ = places_of(switches, cables_, shape);
  }

  LinkMap map() {
    for (std::size_t id = 0; id < places_.size(); ++id)
      map_.places.push_back({places_[id], fmt::format("{}", id)});
    place_hosts();
    for (const LinkLoad& link : links_.loads) draw(link);
    return std::move(map_);
  }

 private:
  bool cut(MapPoint from, MapPoint to) const {
    constexpr double longest = 2.5;
    return shape_.kind == NetworkShape::Kind::grid && std::hypot(to.x - from.x, to.y - from.y) > longest;
  }

  double direction(std::uint32_t from, std::uint32_t to) const {
    const MapPoint a = places_[from], b = places_[to];
    const double angle = std::atan2(b.y - a.y, b.x - a.x);
    return cut(a, b) ? angle + turn / 2 : angle;
  }

  void place_hosts() {
    std::vector<std::vector<std::uint32_t>> hosts(places_.size());
    for (const LinkLoad& link : links_.loads)
      if (link.from.is_host()) hosts[link.to.number].push_back(link.from.number);
    std::vector<std::vector<double>> taken(places_.size());
    for (const auto& [from, to] : cables_)
      if (from != to) taken[from].push_back(std::remainder(direction(from, to), turn));
    for (std::size_t at = 0; at < places_.size(); ++at) {
      constexpr double least = 0.3, a_host = 0.025, for_a_name = 0.1;
      const auto count = static_cast<double>(hosts[at].size());
      const double radius =
          places_.size() == 1 ? std::max(0.5, 0.06 * count) : least + a_host * std::max(0.0, count - 12);
      const std::vector<double> directions = free_directions(taken[at], hosts[at].size());
      const auto towards = [&](double direction, double distance) {
        return MapPoint{places_[at].x + distance * std::cos(direction),
                        places_[at].y + distance * std::sin(direction)};
      };
      for (std::size_t i = 0; i < hosts[at].size(); ++i) {
        const std::uint32_t host = hosts[at][i];
        host_places_[host] = towards(directions[i], radius);
        map_.hosts.push_back(
            {host_places_[host], towards(directions[i], radius + for_a_name), fmt::format("{}", host)});
      }
    }
  }

  void draw(const LinkLoad& link) {
    // Lengths in those of a cable between neighbours.
    constexpr double aside = 0.04, of_a_host = 0.02, next_cable = 0.09, overhang = 0.6;
    const MapPoint from = place(link.from), to = place(link.to);
    if (link.from.is_host() || link.to.is_host()) {
      map_.lines.push_back({beside(from, to, of_a_host), link.utilisation, true});
      return;
    }
    const double x = to.x - from.x, y = to.y - from.y, length = std::hypot(x, y);
    const double distance = aside + next_cable * parallel_[{link.from.number, link.to.number}]++;
    if (cut(from, to)) {
      // Round the edge: the end that leaves, and the end that comes in again.
      const MapPoint away{-overhang * x / length, -overhang * y / length};
      map_.lines.push_back({beside(from, {from.x + away.x, from.y + away.y}, distance), link.utilisation});
      map_.lines.push_back({beside({to.x - away.x, to.y - away.y}, to, distance), link.utilisation});
    } else if (passes_others(length)) {
      constexpr double bulge = 0.09, growth = 0.14;
      map_.lines.push_back({arc(from, to, bulge + growth * (length - 1)), link.utilisation});
    } else {
      map_.lines.push_back({beside(from, to, distance), link.utilisation});
    }
  }

  /// In a grid or lattice a long cable passes the switches between its ends.
  bool passes_others(double length) const {
    return (shape_.kind == NetworkShape::Kind::grid || shape_.kind == NetworkShape::Kind::lattice) &&
           length > 1.1;
  }

  MapPoint place(const LinkEnd& end) const {
    return end.is_host() ? host_places_.at(end.number) : places_[end.number];
  }

  const NetworkLinks& links_;
  NetworkShape shape_;
  std::vector<Pair> cables_;  // in each direction
  std::vector<MapPoint> places_;
  std::map<std::uint32_t, MapPoint> host_places_;
  std::map<Pair, int> parallel_;  // drawn so far between the same two
  LinkMap map_;
};

}  // namespace

LinkMap map_of(const NetworkLinks& links, NetworkShape shape, bool coloured) {
  LinkMap map = Drawing(links, shape).map();
  map.coloured = coloured;
  return map;
}

}  // namespace morgana
