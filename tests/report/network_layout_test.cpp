#include "emulator/report/pictures/network_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "emulator/report/pictures/graphviz.h"

namespace morgana {
namespace {

using Kind = NetworkShape::Kind;

double distance(MapPoint a, MapPoint b) {
  return std::hypot(a.x - b.x, a.y - b.y);
}

LinkEnd port(std::uint32_t number) {
  return {LinkEnd::Kind::switch_port, number, 0};
}
LinkEnd host(std::uint32_t number) {
  return {LinkEnd::Kind::host, number, 0};
}

/// Both directions of a cable; the second has carried more.
void connect(NetworkLinks& links, LinkEnd a, LinkEnd b) {
  links.loads.push_back({a, b, 1, 0.25});
  links.loads.push_back({b, a, 2, 0.5});
}

/// Switches in a ring.
NetworkLinks ring(std::uint32_t switches) {
  NetworkLinks links{"flits", {}};
  for (std::uint32_t i = 0; i < switches; ++i) connect(links, port(i), port((i + 1) % switches));
  return links;
}

TEST(NetworkLayout, PutsAGridsSwitchesInRows) {
  const LinkMap map = map_of(ring(6), {Kind::grid, 3}, true);
  ASSERT_EQ(map.places.size(), 6U);
  EXPECT_EQ(map.places[4].at.x, 1);
  EXPECT_EQ(map.places[4].at.y, -1);
  EXPECT_EQ(map.places[4].name, "4");
}

TEST(NetworkLayout, PutsLevelsAboveEachOther) {
  const LinkMap map = map_of(ring(6), {Kind::levels, 3}, true);
  EXPECT_EQ(map.places[5].at.x, 2);
  EXPECT_GT(map.places[5].at.y, map.places[2].at.y);
}

TEST(NetworkLayout, SpreadsLevelsOfDifferentSizesOverTheWidest) {
  const LinkMap map = map_of(ring(7), {Kind::levels, 4, {4, 2, 1}}, true);
  ASSERT_EQ(map.places.size(), 7U);
  const auto x = [&](std::size_t id) { return map.places[id].at.x; };
  const double middle = (x(0) + x(3)) / 2;
  EXPECT_EQ(x(1) - x(0), 1);
  EXPECT_EQ(x(5) - x(4), 2);
  EXPECT_EQ((x(4) + x(5)) / 2, middle);
  EXPECT_EQ(x(6), middle);
  EXPECT_GT(map.places[6].at.y, map.places[5].at.y);
  EXPECT_EQ(map.places[4].at.y, map.places[5].at.y);
}

TEST(NetworkLayout, PutsThePlanesOfALatticeApart) {
  const LinkMap map = map_of(ring(12), {Kind::lattice, 2, {2, 2, 3}}, true);
  ASSERT_EQ(map.places.size(), 12U);
  EXPECT_EQ(map.places[1].at.x, 1);
  EXPECT_EQ(map.places[2].at.y, -1);
  EXPECT_GT(map.places[4].at.x, 2) << "the next plane is to the right, with a gap";
  EXPECT_EQ(map.places[4].at.y, 0);
  EXPECT_EQ(map.places[8].at.x, 2 * map.places[4].at.x);
}

TEST(NetworkLayout, BendsLongCablesOfALatticePastTheSwitchesBetween) {
  const LinkMap map = map_of(ring(5), {Kind::lattice, 5}, true);
  ASSERT_EQ(map.lines.size(), 10U) << "none is cut in two";
  // From the last to the first, straight over the row, and back on the other side.
  const auto height = [](const LinkMap::Line& line) { return line.points[line.points.size() / 2].y; };
  EXPECT_GT(std::abs(height(map.lines[8])), 0.3);
  EXPECT_EQ(height(map.lines[8]) > 0, height(map.lines[9]) < 0);
}

TEST(NetworkLayout, PutsGroupsApart) {
  const LinkMap map = map_of(ring(16), {Kind::groups, 4}, true);
  double widest_group = 0, least_gap = 1e9;
  for (std::size_t a = 0; a < 16; ++a) {
    for (std::size_t b = a + 1; b < 16; ++b) {
      const double apart = distance(map.places[a].at, map.places[b].at);
      if (a / 4 == b / 4) {
        widest_group = std::max(widest_group, apart);
        EXPECT_GT(apart, 0.99);
      } else {
        least_gap = std::min(least_gap, apart);
      }
    }
  }
  EXPECT_GT(least_gap, widest_group);
}

TEST(NetworkLayout, DrawsEachDirectionOnTheRightOfItsSender) {
  NetworkLinks links{"flits", {}};
  connect(links, port(0), port(1));
  const LinkMap map = map_of(links, {Kind::grid, 2}, true);
  ASSERT_EQ(map.lines.size(), 2U);
  // From left to right the right side is below.
  EXPECT_LT(map.lines[0].points.front().y, 0);
  EXPECT_LT(map.lines[0].points.front().x, map.lines[0].points.back().x);
  EXPECT_EQ(map.lines[0].share, 0.25);
  EXPECT_GT(map.lines[1].points.front().y, 0);
  EXPECT_GT(map.lines[1].points.front().x, map.lines[1].points.back().x);
  EXPECT_EQ(map.lines[1].share, 0.5);
}

TEST(NetworkLayout, DrawsCablesBetweenTheSameSwitchesBesideEachOther) {
  NetworkLinks links{"cells", {}};
  connect(links, port(0), port(1));
  connect(links, port(0), port(1));
  const LinkMap map = map_of(links, {Kind::grid, 2}, true);
  ASSERT_EQ(map.lines.size(), 4U);
  EXPECT_LT(map.lines[2].points.front().y, map.lines[0].points.front().y);
  EXPECT_GT(map.lines[3].points.front().y, map.lines[1].points.front().y);
}

TEST(NetworkLayout, CutsCablesThatGoRoundTheEdgeInTwo) {
  // A row of five: four cables, and one from the last to the first, which is two pieces in either direction.
  const LinkMap map = map_of(ring(5), {Kind::grid, 5}, true);
  EXPECT_EQ(map.lines.size(), 4U * 2 + 2 * 2);
  for (const LinkMap::Line& line : map.lines)
    EXPECT_LT(distance(line.points.front(), line.points.back()), 1.01);
  // The pieces stick out at both ends.
  const auto leftmost = [](const LinkMap::Line& a, const LinkMap::Line& b) {
    return std::min(a.points.front().x, a.points.back().x) < std::min(b.points.front().x, b.points.back().x);
  };
  const LinkMap::Line& first = *std::min_element(map.lines.begin(), map.lines.end(), leftmost);
  EXPECT_LT(std::min(first.points.front().x, first.points.back().x), -0.5);
}

TEST(NetworkLayout, PutsHostsAroundTheirSwitchAwayFromItsCables) {
  NetworkLinks links = ring(3);
  for (std::uint32_t number : {0U, 1U, 2U}) connect(links, host(number), port(1));
  const LinkMap map = map_of(links, {Kind::circle}, false);
  EXPECT_FALSE(map.coloured);
  ASSERT_EQ(map.hosts.size(), 3U);
  for (const LinkMap::Host& one : map.hosts) {
    EXPECT_NEAR(distance(one.at, map.places[1].at), 0.3, 1e-9);
    EXPECT_GT(distance(one.at, map.places[0].at), 0.8);
    EXPECT_GT(distance(one.at, map.places[2].at), 0.8);
    EXPECT_GT(distance(one.name_at, map.places[1].at), 0.3);
  }
  EXPECT_GT(distance(map.hosts[0].at, map.hosts[1].at), 0.2);
  EXPECT_EQ(std::count_if(map.lines.begin(), map.lines.end(), [](const auto& line) { return line.thin; }), 6);
}

TEST(NetworkLayout, OfOneSwitchNeedsNoCables) {
  NetworkLinks links{"cells", {}};
  for (std::uint32_t number = 0; number < 20; ++number) connect(links, host(number), port(0));
  const LinkMap map = map_of(links, {Kind::free}, true);
  EXPECT_EQ(map.places.size(), 1U);
  for (std::size_t a = 0; a < 20; ++a)
    for (std::size_t b = 0; b < a; ++b) EXPECT_GT(distance(map.hosts[a].at, map.hosts[b].at), 0.1);
}

TEST(PulledPlaces, KeepNodesApartAndTheSameEveryTime) {
  constexpr std::uint32_t nodes = 32, cables = 64;
  const unsigned seed = 7;
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (std::uint32_t i = 0; i < nodes; ++i) edges.push_back({i, (i + 1) % nodes});
  while (edges.size() < cables)
    edges.push_back(
        {static_cast<std::uint32_t>(random() % nodes), static_cast<std::uint32_t>(random() % nodes)});
  const std::vector<MapPoint> places = pulled_places(nodes, edges);
  ASSERT_EQ(places.size(), nodes);
  // A switch is drawn with a radius of 0.13.
  for (std::size_t a = 0; a < nodes; ++a)
    for (std::size_t b = 0; b < a; ++b) EXPECT_GT(distance(places[a], places[b]), 0.849) << a << ' ' << b;
  const std::vector<MapPoint> again = pulled_places(nodes, edges);
  for (std::size_t a = 0; a < nodes; ++a) EXPECT_EQ(distance(places[a], again[a]), 0);
}

TEST(PulledPlaces, LieCloserTheFewerEdgesAreBetween) {
  const std::vector<MapPoint> places = pulled_places(4, {{0, 1}, {1, 2}, {2, 3}});
  EXPECT_LT(distance(places[0], places[1]), distance(places[0], places[2]));
  EXPECT_LT(distance(places[0], places[2]), distance(places[0], places[3]));
  EXPECT_NEAR(distance(places[0], places[1]), 1, 0.2);
}

}  // namespace
}  // namespace morgana
