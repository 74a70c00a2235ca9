#include "emulator/report/pictures/graphviz.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <sstream>

#include "emulator/report/pictures/drawing_program.h"

namespace morgana {

namespace {

using Edges = std::set<std::pair<std::uint32_t, std::uint32_t>>;

std::vector<MapPoint> places_of(std::size_t nodes, const std::string& plain_text) {
  std::vector<MapPoint> points(nodes);
  std::istringstream lines(plain_text);
  std::size_t found = 0;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    std::size_t node = 0;
    MapPoint at;
    if (!(words >> word) || word != "node") continue;
    if (!(words >> node >> at.x >> at.y) || node >= nodes) break;
    points[node] = at;
    ++found;
  }
  if (found != nodes) throw Error("neato's places for the switches can't be read: is it Graphviz's?");
  return points;
}

void scale(std::vector<MapPoint>& points, const Edges& edges) {
  constexpr double least = 0.85;
  const auto distance = [&](std::size_t a, std::size_t b) {
    return std::hypot(points[a].x - points[b].x, points[a].y - points[b].y);
  };
  double nearest = std::numeric_limits<double>::max();
  for (std::size_t a = 0; a < points.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) nearest = std::min(nearest, distance(a, b));
  std::vector<double> lengths;
  for (const auto& [a, b] : edges)
    if (a != b) lengths.push_back(distance(a, b));
  std::sort(lengths.begin(), lengths.end());
  const double factor = std::max(lengths.empty() ? 0 : 1 / lengths[lengths.size() / 2], least / nearest);
  for (MapPoint& point : points) point = {factor * point.x, factor * point.y};
}

}  // namespace

std::vector<MapPoint> pulled_places(std::size_t nodes,
                                    const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges) {
  // In inches: an edge's length, and the circle around a node that is kept free.
  constexpr double length = 1.2, circle = 0.6;
  std::string script = fmt::format(
      "graph g {{ overlap=false; node [shape=circle, fixedsize=true, width={}, label=\"\"]; "
      "edge [len={}];\n",
      circle, length);
  for (std::size_t node = 0; node < nodes; ++node) script += fmt::format("{};\n", node);
  Edges drawn;
  for (const auto& [a, b] : edges)
    if (drawn.insert(std::minmax(a, b)).second) script += fmt::format("{} -- {};\n", a, b);
  script += "}\n";

  const TemporaryFile graph(script), places("");
  run_drawing_program("neato", {"-Tplain", "-o", places.name(), graph.name()}, "graphviz");
  std::vector<MapPoint> points = places_of(nodes, places.read());
  scale(points, drawn);
  return points;
}

}  // namespace morgana
