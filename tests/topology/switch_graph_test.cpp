#include "emulator/topology/switch_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/core/error.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {

using ::testing::ElementsAre;

/// What the error of an action says.
template <typename Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

/// Switch 0 (4 ports) and switch 1 (3 ports) with two cables between; hosts 0 and 1 at switch 0, host 2 at 1.
SwitchGraph pair_of_switches() {
  SwitchGraph graph;
  graph.add_switch(4);
  graph.add_switch(3);
  graph.add_host({0, 3});
  graph.add_host({0, 0});
  graph.add_host(1);
  graph.connect({0, 1}, {1, 2});
  graph.connect({0, 2}, {1, 1});
  return graph;
}

TEST(SwitchGraph, KnowsWhatIsPluggedInAtBothEnds) {
  const SwitchGraph graph = pair_of_switches();
  EXPECT_EQ(graph.switches(), 2u);
  EXPECT_EQ(graph.hosts(), 3u);
  EXPECT_EQ(graph.ports(0), 4u);
  EXPECT_EQ(graph.ports(1), 3u);
  EXPECT_EQ(graph.port_of(0), (SwitchPort{0, 3}));
  EXPECT_EQ(graph.port_of(2), (SwitchPort{1, 0}));
  EXPECT_TRUE(graph.neighbour({0, 3}).is_host());
  EXPECT_EQ(graph.neighbour({0, 3}).id, 0u);
  EXPECT_EQ(graph.neighbour({0, 2}).switch_port(), (SwitchPort{1, 1}));
  EXPECT_EQ(graph.neighbour({1, 1}).switch_port(), (SwitchPort{0, 2}));
  EXPECT_EQ(graph.cables().size(), 2u);
  EXPECT_TRUE(graph.adjacent(0, 1));
  EXPECT_FALSE(graph.adjacent(0, 0));
}

TEST(SwitchGraph, ListsTheHostsOfASwitchByPort) {
  EXPECT_THAT(pair_of_switches().hosts_at(0), ElementsAre(1, 0));
  EXPECT_THAT(pair_of_switches().hosts_at(1), ElementsAre(2));
}

TEST(SwitchGraph, NumbersChannelsBySwitchPortThenHost) {
  const SwitchGraph graph = pair_of_switches();
  EXPECT_EQ(graph.channels(), 10u);
  EXPECT_EQ(graph.channel_from(SwitchPort{1, 0}), 4u);
  EXPECT_EQ(graph.channel_from(HostNumber{2}), 9u);
  EXPECT_EQ(graph.describe(2), "switch 0 port 2 -> switch 1 port 1");
  EXPECT_EQ(graph.describe(3), "switch 0 port 3 -> host 0");
  EXPECT_EQ(graph.describe(9), "host 2 -> switch 1 port 0");
  EXPECT_TRUE(graph.sent_by_host(7));
  EXPECT_FALSE(graph.sent_by_host(6));
  EXPECT_EQ(graph.sending_port(6), (SwitchPort{1, 2}));
  EXPECT_EQ(graph.receiver(7).switch_port(), (SwitchPort{0, 3}));
}

TEST(SwitchGraph, PlugsIntoTheLowestFreePorts) {
  SwitchGraph graph;
  graph.add_switch(3);
  graph.add_switch(3);
  graph.add_host({0, 0});
  graph.connect(0, 1);
  EXPECT_EQ(graph.neighbour({0, 1}).switch_port(), (SwitchPort{1, 0}));
  EXPECT_EQ(graph.port_of(graph.add_host(0)), (SwitchPort{0, 2}));
}

TEST(SwitchGraph, ACableMayLoopBackToItsSwitch) {
  SwitchGraph graph;
  graph.add_switch(4);
  graph.connect({0, 1}, {0, 3});
  EXPECT_EQ(graph.neighbour({0, 1}).switch_port(), (SwitchPort{0, 3}));
  EXPECT_EQ(graph.neighbour({0, 3}).switch_port(), (SwitchPort{0, 1}));
}

TEST(SwitchGraph, NamesWhatCantBePluggedIn) {
  SwitchGraph graph = pair_of_switches();
  expect_message(error_of([&] { graph.add_switch(0); }), {"switch 2", "0 ports"});
  expect_message(error_of([&] { graph.add_switch(65'537); }), {"switch 2", "65537 ports", "1 to 65536"});
  expect_message(error_of([&] { graph.add_host({7, 0}); }), {"host 3", "switch 7"});
  expect_message(error_of([&] { graph.add_host({1, 3}); }), {"host 3", "switch 1", "port 3"});
  expect_message(error_of([&] { graph.add_host({0, 3}); }), {"host 3", "port 3 of switch 0", "host 0"});
  expect_message(error_of([&] { graph.add_host(0); }), {"host 3", "4 ports", "switch 0"});
  graph.add_switch(2);
  expect_message(error_of([&] {
                   graph.connect({2, 1}, {0, 1});
                 }),
                 {"switch 2 port 1", "switch 0 port 1", "port 1 of switch 0", "switch 1 port 2"});
  expect_message(error_of([&] { graph.connect({2, 1}, {2, 1}); }), "switch 2 port 1 to switch 2 port 1");
  expect_message(error_of([&] { graph.connect(2, 0); }), {"switch 2", "switch 0", "4 ports"});
  EXPECT_TRUE(graph.neighbour({2, 0}).is_nothing()) << "a refused cable must leave nothing behind";
}

TEST(SwitchGraph, HasAMostOfSwitches) {
  SwitchGraph graph;
  for (std::size_t n = 0; n < SwitchGraph::most_switches; ++n) graph.add_switch(1);
  expect_message(error_of([&] { graph.add_switch(1); }), "16384 switches");
}

TEST(SwitchGraph, NamesASwitchThatNothingLeadsTo) {
  SwitchGraph graph = pair_of_switches();
  EXPECT_NO_THROW(graph.check_connected());
  graph.add_switch(2);
  expect_message(error_of([&] { graph.check_connected(); }), {"switch 0", "switch 2"});
  expect_message(error_of([] { SwitchGraph().check_connected(); }));
}

}  // namespace
}  // namespace morgana
