// Entries of switches' tables as network.route-table lists them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/core/error.h"
#include "emulator/topology/listed/listed_items.h"
#include "emulator/topology/switch_plan.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {

using To = ListedRoute::To;

/// A host at each; hosts have port 0. Cables: 0-1, 1-2, 2-3, 3-0.
SwitchGraph ring_of_four() {
  return topology::graph_of(topology::ring(4), {0, 1, 2, 3});
}

std::string refusal(const std::vector<std::string>& items) {
  try {
    listed_routes(items, ring_of_four());
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(ListedRoutes, NameADestinationAndTheCableThatLeavesTheSwitch) {
  const auto routes = listed_routes({"switch 3 over 0-1", "host 2 over 1-0", "any over 2.1"}, ring_of_four());
  ASSERT_EQ(routes.size(), 3u);
  EXPECT_EQ(routes[0].to, To::a_switch);
  EXPECT_EQ(routes[0].number, 3u);
  EXPECT_EQ(routes[0].at, 0u);
  EXPECT_EQ(routes[0].cable, 0u);
  EXPECT_EQ(routes[1].to, To::a_host);
  EXPECT_EQ(routes[1].number, 2u);
  EXPECT_EQ(routes[1].at, 1u);  // the switch named first holds the entry
  EXPECT_EQ(routes[1].cable, 0u);
  EXPECT_EQ(routes[2].to, To::any);
  EXPECT_EQ(routes[2].at, 2u);
  EXPECT_EQ(routes[2].cable, 1u);
}

TEST(ListedRoutes, AreRefusedWithTheItem) {
  expect_message(refusal({"0-1"}), {"\"0-1\"", "\"switch 3 over 0-1\""});
  expect_message(refusal({"switch 3.1 over 0-1"}), {"\"switch 3.1 over 0-1\"", "\"switch 3 over 0-1\""});
  expect_message(refusal({"switch 3 over 0-1 twice"}),
                 {"\"switch 3 over 0-1 twice\"", "\"switch 3 over 0-1\""});
  expect_message(refusal({"any over 0"}), {"\"any over 0\"", "\"switch 3 over 0-1\""});
  expect_message(refusal({"any over 0.1-1"}), {"\"any over 0.1-1\"", "\"switch 3 over 0-1\""});
  expect_message(refusal({"switch 4 over 0-1"}), "\"switch 4 over 0-1\"");
  expect_message(refusal({"host 4 over 0-1"}), "\"host 4 over 0-1\"");
  expect_message(refusal({"any over 0-2"}), "\"any over 0-2\"");
  expect_message(refusal({"any over 0.3"}), {"\"any over 0.3\"", "switch 0", "port 3"});
  expect_message(refusal({"any over 1.0"}), {"\"any over 1.0\"", "port 0", "switch 1", "host 1"});
  expect_message(refusal({"switch 0 over 0-1"}), "\"switch 0 over 0-1\"");
  expect_message(refusal({"host 1 over 1-2"}), {"\"host 1 over 1-2\"", "switch 1"});
  expect_message(refusal({"any over 0-1", "any over 0-3"}), {"\"any over 0-3\"", "\"any over 0-1\""});
}

TEST(ListedRoutes, NameOneOfSeveralCablesByItsPort) {
  const SwitchGraph graph = topology::graph_of({2, {{0, 1}, {0, 1}}, {}}, {0, 1});
  EXPECT_EQ(listed_routes({"any over 0.2"}, graph).front().cable, 1u);
  try {
    listed_routes({"any over 0-1"}, graph);
    ADD_FAILURE() << "an ambiguous cable was taken";
  } catch (const Error& error) {
    expect_message(error.what(), {"\"any over 0-1\"", "2 cables", "0.1, 0.2"});
  }
}

}  // namespace
}  // namespace morgana
