#include "emulator/network/myrinet/routes/route.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/core/error.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {

using ::testing::ElementsAre;
using Ports = std::vector<RouteByte>;

/// Three switches of 4 ports in a line (ports 2 up the line, 3 down), hosts 2s and 2s+1 at switch s, ports
/// 0, 1.
SwitchGraph line_of_three() {
  SwitchGraph graph;
  for (int n = 0; n < 3; ++n) graph.add_switch(4);
  for (SwitchId at = 0; at < 3; ++at) {
    graph.add_host(at);
    graph.add_host(at);
  }
  graph.connect({0, 2}, {1, 3});
  graph.connect({1, 2}, {2, 3});
  return graph;
}

std::string error_of_following(const Ports& header) {
  const SwitchGraph graph = line_of_three();
  try {
    follow(graph, 0, header);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Route, AHeaderIsFollowedToItsHost) {
  const SwitchGraph graph = line_of_three();
  const Ports header{2, 2, 1};
  EXPECT_EQ(follow(graph, 0, header), (Route{{5, {2, 2, 1}}}));
  EXPECT_EQ(header_of(follow(graph, 0, header)), header);
  EXPECT_EQ(describe_route(graph, 0, header),
            "host 0 -> switch 0 port 2 -> switch 1 port 2 -> switch 2 port 1 -> host 5");
}

TEST(Route, AMarkSendsThePacketOnFromTheInTransitHost) {
  const SwitchGraph graph = line_of_three();
  const Ports header{2, 0, in_transit_mark, 3, 1};
  EXPECT_EQ(follow(graph, 0, header), (Route{{2, {2, 0}}, {1, {3, 1}}}));
  EXPECT_EQ(header_of(follow(graph, 0, header)), header);
  EXPECT_EQ(describe_route(graph, 0, header),
            "host 0 -> switch 0 port 2 -> switch 1 port 0 -> host 2, in transit -> switch 1 port 3 -> "
            "switch 0 port 1 -> host 1");
  const auto channels = channels_of(graph, 0, header);
  ASSERT_EQ(channels.size(), 2u);
  EXPECT_THAT(channels[0], ElementsAre(12, 2, 4));  // host 0, switch 0 port 2, switch 1 port 0
  EXPECT_THAT(channels[1], ElementsAre(14, 7, 1));  // host 2, switch 1 port 3, switch 0 port 1
}

TEST(Route, ATurnCountsFromThePortThatThePacketCameInBy) {
  const SwitchGraph graph = line_of_three();
  // Host 0 comes in by port 0; switch 1 is entered by port 3, and left by port 3 after turning round.
  EXPECT_EQ(follow(graph, 0, Ports{turn_byte(2), turn_byte(-1), turn_byte(-2)}), (Route{{5, {2, 2, 1}}}));
  EXPECT_EQ(follow(graph, 0, Ports{turn_byte(2), turn_byte(0), turn_byte(-2)}), (Route{{0, {2, 3, 0}}}));
  expect_message(error_of_following({turn_byte(-1)}), "port -1 of switch 0");
  expect_message(error_of_following({turn_byte(63)}), "port 63 of switch 0");
}

TEST(Route, NamesWhereAHeaderGoesWrong) {
  expect_message(error_of_following({2, 2}), {"host 0", "byte 2", "switch 2"});
  expect_message(error_of_following({}), {"host 0", "byte 0", "switch 0"});
  expect_message(error_of_following({3}), {"host 0", "byte 0", "port 3 of switch 0"});
  expect_message(error_of_following({2, 9}), {"host 0", "byte 1", "port 9 of switch 1"});
  expect_message(error_of_following({1, 1}), {"host 0", "byte 1", "host 1"});
  expect_message(error_of_following({1, in_transit_mark}), {"host 0", "byte 2", "switch 0"});
  expect_message(error_of_following({2, in_transit_mark}), {"host 0", "byte 1", "in-transit", "switch 1"});
}

TEST(RouteTable, HostsOfASwitchShareTheirRoutes) {
  RouteTable table = RouteTable::row_per_switch(line_of_three());
  EXPECT_EQ(table.rows(), 3u);
  EXPECT_TRUE(table.header(0, 5).empty());
  table.set(0, 5, Ports{2, 2, 1});
  EXPECT_THAT(table.header(0, 5), ElementsAre(2, 2, 1));
  EXPECT_THAT(table.header(1, 5), ElementsAre(2, 2, 1));
  EXPECT_TRUE(table.header(2, 5).empty());
}

TEST(RouteTable, ARowPerHostKeepsThemApart) {
  RouteTable table = RouteTable::row_per_host(line_of_three());
  EXPECT_EQ(table.rows(), 6u);
  table.set(0, 5, Ports{2, 2, 1});
  EXPECT_TRUE(table.header(1, 5).empty());
}

TEST(RouteTable, ARouteCanBeReplacedByAShorterOrLongerOneOrNone) {
  RouteTable table = RouteTable::row_per_host(line_of_three());
  table.set(0, 3, Ports{2, 1});
  table.set(0, 5, Ports{2, 2, 1});
  table.set(0, 3, Ports{7});
  EXPECT_THAT(table.header(0, 3), ElementsAre(7));
  table.set(0, 3, Ports{1, 2, 3, 4});
  EXPECT_THAT(table.header(0, 3), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(table.header(0, 5), ElementsAre(2, 2, 1));
  table.set(0, 5, {});
  EXPECT_TRUE(table.header(0, 5).empty());
}

TEST(RouteTable, HoldsHeadersUpToTheLongestAndRefusesMore) {
  RouteTable table = RouteTable::row_per_host(line_of_three());
  table.set(0, 5, Ports(RouteTable::longest_header, 1));
  EXPECT_EQ(table.header(0, 5).size(), 255u);
  EXPECT_THROW(table.set(0, 5, Ports(RouteTable::longest_header + 1, 1)), Error);
}

}  // namespace
}  // namespace morgana
