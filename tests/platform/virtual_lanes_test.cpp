// network.virtual-lanes: how many virtual channels dfsssp and lash may use.
#include "emulator/platform/platform.h"
#include "tests/platform/support.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {

std::string fabric_with(const std::string& keys) {
  return "[network]\nkind = \"fabric\"\n" + keys;
}

std::string refusal_of(const std::string& keys) {
  return error_of([&] { Platform::parse(fabric_with(keys), "my.toml"); });
}

/// Its two cycles take a second channel each way (LanedRouting's tests have it by hand).
const std::string ring_of_five = "topology = \"ring\"\nswitches = 5\n";

TEST(VirtualLanes, AreRefusedWithTheNumberThatWouldDo) {
  for (const std::string routes : {"dfsssp", "lash"}) {
    const std::string keys = ring_of_five + "routes = \"" + routes + "\"\nvirtual-lanes = ";
    expect_message(refusal_of(keys + "1\n"),
                   {"my.toml:6:17", "network.virtual-lanes", routes, "2 virtual channels", "set 2"});
    EXPECT_NO_THROW(Platform::parse(fabric_with(keys + "2\n"), "my.toml"));
  }
  expect_message(refusal_of("routes = \"lash\"\nvirtual-lanes = 17\n"),
                 {"my.toml:4:17", "network.virtual-lanes: 17"});
}

TEST(VirtualLanes, WithoutThemSsspIsRefusedWithTheCycle) {
  const std::string refusal = refusal_of(ring_of_five + "routes = \"sssp\"\n");
  expect_message(refusal, {"my.toml:5:10", "network.routes", "switch 0 port 1 -> switch 1 port 1",
                           "network.routes = \"dfsssp\""});
}

/// Five switches that are all joined need one channel. Without the chords they are a ring.
TEST(VirtualLanes, CountThoseOfWaysRoundFaults) {
  const std::string joined =
      "topology = \"hyperx\"\nsides = \"5\"\nhosts-per-switch = 1\nroutes = \"dfsssp\"\nvirtual-lanes = 1\n";
  EXPECT_NO_THROW(Platform::parse(fabric_with(joined), "my.toml"));
  expect_message(
      refusal_of(joined + "faults = [\"cable 0-2 at 1 s\", \"cable 1-3 at 1 s\", \"cable 2-4 at 1 s\", "
                          "\"cable 0-3 at 1 s\", \"cable 1-4 at 1 s\"]\n"),
      {"my.toml:7:17", "network.virtual-lanes", "dfsssp", "2 virtual channels", "set 2"});
}

const std::string irregular =
    "topology = \"irregular\"\nswitches = 64\nhosts-per-switch = 4\nroutes = \"lash\"\n";

/// It needs more than the two that a link has for each of eight classes, but no more than for each of two.
TEST(VirtualLanes, AreNoMoreThanALinkHasForEachTrafficClass) {
  const std::string begin = "lash needs ", refusal = refusal_of(irregular + "virtual-lanes = 1\n");
  expect_message(refusal, {"my.toml:7:17", "network.virtual-lanes"});
  ASSERT_NE(refusal.find(begin), std::string::npos) << refusal;
  const unsigned needed =
      static_cast<unsigned>(std::stoul(refusal.substr(refusal.find(begin) + begin.size())));
  ASSERT_GT(needed, 2U);
  ASSERT_LE(needed, 8U);
  const std::string fewer = std::to_string(needed - 1), number = std::to_string(needed);
  EXPECT_NO_THROW(
      Platform::parse(fabric_with(irregular + "classes = 2\nvirtual-lanes = " + number), "my.toml"));
  expect_message(refusal_of(irregular + "classes = 2\nvirtual-lanes = " + fewer),
                 {"my.toml:8:17", "network.virtual-lanes", number + " virtual channels", "use " + fewer,
                  "set " + number});
  expect_message(refusal_of(irregular + "classes = 8\nvirtual-lanes = " + fewer),
                 {"my.toml:8:17", "network.virtual-lanes", "more than " + fewer, "16", "network.classes (8)",
                  "network.lanes (1)", "network.routes = \"spanning-tree\""});
  expect_message(refusal_of(irregular + "classes = 8\n"),
                 {"my.toml:7:11", "network.classes", "classes (8)", "(" + number + ")", "lanes (1)",
                  "16 virtual channels"});
}

/// A refusal of other routes names only what can be set.
TEST(VirtualLanes, AreNotSuggestedWhereALinkHasTooFew) {
  const std::string network = "topology = \"irregular\"\nswitches = 64\nhosts-per-switch = 4\n";
  expect_message(refusal_of(network), "network.routes = \"dfsssp\"");
  expect_message(refusal_of(network + "routes = \"dfsssp\"\nclasses = 8\n"),
                 {"my.toml:7:11", "network.classes", "16 virtual channels"});
  expect_message(refusal_of(network + "classes = 8\n"), "network.routes = \"spanning-tree\"");
}

TEST(VirtualLanes, AreRefusedOnNetworksThatAreTooLargeWithTheKey) {
  expect_message(refusal_of("topology = \"ring\"\nswitches = 1100\nroutes = \"lash\"\n"),
                 {"my.toml:5:10", "network.routes"});
}

TEST(VirtualLanes, OfATrafficClassAreItsOwn) {
  expect_message(refusal_of(ring_of_five + "routes = \"lash\"\nclasses = 8\nlanes = 2\n"),
                 {"my.toml:7:9", "network.lanes", "classes (8)", "(2)", "16 virtual channels"});
}

}  // namespace
}  // namespace morgana
