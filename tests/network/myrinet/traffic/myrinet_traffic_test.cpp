#include "emulator/network/myrinet/traffic/myrinet_traffic.h"

#include <gtest/gtest.h>

#include <numeric>

#include "emulator/core/error.h"
#include "emulator/network/myrinet/routes/route_statistics.h"
#include "emulator/network/myrinet/traffic/cabled.h"

namespace morgana {
namespace {

TEST(Cabled, NetworksByName) {
  EXPECT_EQ(named_network("torus", 1).hosts(), 512u);
  EXPECT_EQ(named_network("torus:4x4x4", 1).switches(), 64u);
  EXPECT_EQ(named_network("express-torus", 1).cables().size(), 256u);
  EXPECT_EQ(named_network("cplant", 1).hosts(), 400u);
  EXPECT_EQ(named_network("now", 1).hosts(), 100u);
  EXPECT_EQ(named_network("irregular:32", 1).hosts(), 128u);
  EXPECT_NE(named_network("irregular:32", 1).cables(), named_network("irregular:32", 2).cables());
  EXPECT_EQ(named_network("fat-tree:4x3", 1).hosts(), 64u);
  for (const char* text : {"", "tors", "torus:", "torus:8x", "torus:0", "torus:axb", "cplant:2", "irregular",
                           "irregular:8x8", "fat-tree:4", "nowhere/list"})
    EXPECT_THROW(named_network(text, 1), Error) << text;
}

TEST(Cabled, RoutesByName) {
  for (const char* text : {"up-down", "in-transit", "minimal", "shortest-up-down"})
    EXPECT_EQ(to_text(parse_route_kind(text)), text);
  EXPECT_THROW(parse_route_kind("updown"), Error);
}

TEST(MyrinetTraffic, OnAQuietNetworkIsTheFormula) {
  // Two switches, a host each: 150 (1 + 1) + 49.2 (1 + 2) ns and the flits of type, payload and CRC.
  SwitchGraph graph;
  graph.add_switch(2);
  graph.add_switch(2);
  graph.add_host(SwitchId{0});
  graph.add_host(SwitchId{1});
  graph.connect(0, 1);
  const RouteTable routes = routes_of(graph, RouteKind::up_down, 1);
  TrafficSettings settings;
  settings.length = Bytes(32);
  const Destinations destinations({}, graph, 1);
  const MyrinetTraffic traffic = measure_myrinet({graph, routes}, destinations, 0.01, settings);
  EXPECT_NEAR(traffic.result.latency.mean, 300 + 147.6 + 6.25 * 34, 1e-6);
  EXPECT_NEAR(traffic.accepted.mean, 0.01, 1e-5);
  EXPECT_EQ(traffic.in_transit, 0u);
}

TEST(MyrinetTraffic, InterfacesHoldWhatComesInTheTimeThatItStays) {
  const SwitchGraph graph = named_network("torus:4x4", 1);
  const RouteTable routes = routes_of(graph, RouteKind::in_transit, 1);
  constexpr double load = 0.005;
  const MyrinetTraffic traffic = measure_myrinet({graph, routes}, Destinations({}, graph, 1), load, {});
  double mean = 0;
  for (const InTransitUse& use : traffic.interfaces) mean += use.mean_packets;
  // Packets a nanosecond, and 475 ns and 512 flits and a few that each stays if it doesn't have to wait.
  const double come = load * 16 / 512 * route_statistics(graph, routes).in_transit_per_message;
  EXPECT_NEAR(mean / (come * (475 + 516 * 6.25)), 1, 0.05);
  EXPECT_EQ(traffic.interfaces.size(), graph.hosts());
}

TEST(MyrinetTraffic, UtilisationIsWhatTheRoutesAndTheLoadMakeOfIt) {
  const SwitchGraph graph = named_network("torus:4x4", 1);
  const RouteTable routes = routes_of(graph, RouteKind::up_down, 1);
  const RouteStatistics statistics = route_statistics(graph, routes);
  constexpr double load = 0.02;
  TrafficSettings settings;
  settings.messages = 40'000;
  const MyrinetTraffic traffic = measure_myrinet({graph, routes}, Destinations({}, graph, 1), load, settings);
  double expected = 0, found = 0;
  for (const CableChannel channel : switch_channels(graph)) {
    expected += static_cast<double>(statistics.pairs_through[channel]);
    found += traffic.utilisation[channel];
  }
  // Payload flits of a pair a nanosecond, and two for type and CRC, and the rest of the route: about one
  // more.
  const double per_pair = load * 16 / (128.0 * 127) * 515 / 512;
  EXPECT_NEAR(found / (expected * per_pair * 6.25), 1, 0.02);
}

TEST(MyrinetTraffic, InTransitBuffersAreUsedByMinimalRoutesOnly) {
  const SwitchGraph graph = named_network("irregular:16", 3);
  const Destinations destinations({}, graph, 1);
  const TrafficSettings settings{.messages = 10'000};
  const RouteTable minimal = routes_of(graph, RouteKind::in_transit, 1);
  const RouteTable legal = routes_of(graph, RouteKind::up_down, 1);
  const MyrinetTraffic with = measure_myrinet({graph, minimal}, destinations, 0.02, settings);
  const double per_message = static_cast<double>(with.in_transit) / 12'000;
  EXPECT_NEAR(per_message, route_statistics(graph, minimal).in_transit_per_message, 0.03);
  EXPECT_GE(with.most_in_transit_packets, 1);
  EXPECT_EQ(measure_myrinet({graph, legal}, destinations, 0.02, settings).in_transit, 0u);
}

TEST(MyrinetTraffic, SaturatesBelowWhatItsBusiestCableCarries) {
  const SwitchGraph graph = named_network("torus:4x4", 1);
  const RouteTable routes = routes_of(graph, RouteKind::up_down, 1);
  const auto busiest = static_cast<double>(route_statistics(graph, routes).most_pairs_through(graph));
  const double limit = 0.16 * 128 * 127 / 16 / busiest;
  const TrafficSettings settings{.warm_up = 1000, .messages = 4000};
  const Saturation saturation = saturate_myrinet({graph, routes}, Destinations({}, graph, 1), settings);
  EXPECT_LT(saturation.peak, limit);
  EXPECT_GT(saturation.peak, limit / 5);
  EXPECT_LT(saturation.knee.value(), saturation.peak_load * 1.3);
}

}  // namespace
}  // namespace morgana
