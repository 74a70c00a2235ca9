// network.virtual-lanes: how many virtual channels dfsssp and lash may use.
#include "emulator/platform/platform.h"
#include "tests/platform/support.h"

namespace morgana {
namespace {

using ::testing::HasSubstr;

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
    EXPECT_THAT(refusal_of(keys + "1\n"),
                HasSubstr("my.toml:6:17: network.virtual-lanes: " + routes +
                          " needs 2 virtual channels here, and may use 1: set 2, or choose other routes"));
    EXPECT_NO_THROW(Platform::parse(fabric_with(keys + "2\n"), "my.toml"));
  }
  EXPECT_THAT(refusal_of("routes = \"lash\"\nvirtual-lanes = 17\n"),
              HasSubstr("my.toml:4:17: network.virtual-lanes: 17 is out of range"));
}

TEST(VirtualLanes, WithoutThemSsspIsRefusedWithTheCycle) {
  const std::string refusal = refusal_of(ring_of_five + "routes = \"sssp\"\n");
  EXPECT_THAT(refusal, HasSubstr("can deadlock: packets can wait for each other in a cycle"));
  EXPECT_THAT(refusal, HasSubstr("\nnetwork.routes = \"dfsssp\" cannot deadlock here: set it"));
}

/// Five switches that are all joined need one channel. Without the chords they are a ring.
TEST(VirtualLanes, CountThoseOfWaysRoundFaults) {
  const std::string joined =
      "topology = \"hyperx\"\nsides = \"5\"\nhosts-per-switch = 1\nroutes = \"dfsssp\"\nvirtual-lanes = 1\n";
  EXPECT_NO_THROW(Platform::parse(fabric_with(joined), "my.toml"));
  EXPECT_THAT(
      refusal_of(joined + "faults = [\"cable 0-2 at 1 s\", \"cable 1-3 at 1 s\", \"cable 2-4 at 1 s\", "
                          "\"cable 0-3 at 1 s\", \"cable 1-4 at 1 s\"]\n"),
      HasSubstr("dfsssp needs 2 virtual channels here, ways round the faults included, and may use 1: "
                "set 2"));
}

const std::string irregular =
    "topology = \"irregular\"\nswitches = 64\nhosts-per-switch = 4\nroutes = \"lash\"\n";

/// It needs more than the two that a link has for each of eight classes, but no more than for each of two.
TEST(VirtualLanes, AreNoMoreThanALinkHasForEachTrafficClass) {
  const std::string begin = "lash needs ", refusal = refusal_of(irregular + "virtual-lanes = 1\n");
  ASSERT_THAT(refusal, HasSubstr(begin));
  const unsigned needed =
      static_cast<unsigned>(std::stoul(refusal.substr(refusal.find(begin) + begin.size())));
  ASSERT_GT(needed, 2U);
  ASSERT_LE(needed, 8U);
  const std::string fewer = std::to_string(needed - 1), number = std::to_string(needed);
  EXPECT_NO_THROW(
      Platform::parse(fabric_with(irregular + "classes = 2\nvirtual-lanes = " + number), "my.toml"));
  EXPECT_THAT(refusal_of(irregular + "classes = 2\nvirtual-lanes = " + fewer),
              HasSubstr("my.toml:8:17: network.virtual-lanes: lash needs " + number +
                        " virtual channels here, and may use " + fewer + ": set " + number +
                        ", or choose other routes"));
  EXPECT_THAT(
      refusal_of(irregular + "classes = 8\nvirtual-lanes = " + fewer),
      HasSubstr("my.toml:8:17: network.virtual-lanes: lash needs more than " + fewer +
                " virtual channels here, and a link has at most 16 for network.classes (8) times "
                "network.lanes (1) times these: choose other routes\nnetwork.routes = \"spanning-tree\" "
                "cannot deadlock here: set it"));
  EXPECT_THAT(
      refusal_of(irregular + "classes = 8\n"),
      HasSubstr("my.toml:7:11: network.classes: traffic classes (8) times the routing's virtual channels (" +
                number + ") times lanes (1) are more than 16"));
}

/// A refusal of other routes names only what can be set.
TEST(VirtualLanes, AreNotSuggestedWhereALinkHasTooFew) {
  const std::string network = "topology = \"irregular\"\nswitches = 64\nhosts-per-switch = 4\n";
  EXPECT_THAT(refusal_of(network), HasSubstr("\nnetwork.routes = \"dfsssp\" cannot deadlock here: set it"));
  EXPECT_THAT(refusal_of(network + "routes = \"dfsssp\"\nclasses = 8\n"), HasSubstr("are more than 16"));
  EXPECT_THAT(refusal_of(network + "classes = 8\n"),
              HasSubstr("\nnetwork.routes = \"spanning-tree\" cannot deadlock here: set it"));
}

TEST(VirtualLanes, AreRefusedOnNetworksThatAreTooLargeWithTheKey) {
  EXPECT_THAT(refusal_of("topology = \"ring\"\nswitches = 1100\nroutes = \"lash\"\n"),
              HasSubstr("my.toml:5:10: network.routes: lash looks at which cables follow each other"));
}

TEST(VirtualLanes, OfATrafficClassAreItsOwn) {
  EXPECT_THAT(
      refusal_of(ring_of_five + "routes = \"lash\"\nclasses = 8\nlanes = 2\n"),
      HasSubstr("traffic classes (8) times the routing's virtual channels (2) times lanes (2) are more "
                "than 16"));
}

}  // namespace
}  // namespace morgana
