#include "emulator/network/myrinet/mapping/map_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/topology/listed/listed.h"

namespace morgana {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const char* const three_switches =
    "switch 4\nswitch 4\nswitch 4\nhost 0.0\nhost 1.0\nhost 2.0\ncable 0.1 1.2\ncable 1.3 2.3\ncable 2.1 "
    "0.2\n";

/// A map as host 1 of the network makes it: its switch is the first one.
NetworkMap map_from_host_1(const char* list) {
  NetworkMap map;
  map.graph = topology::listed(list, "map");
  map.names = {10, 11, 12};
  map.mapper = 1;
  return map;
}
const char* const as_found =
    "switch 4\nswitch 4\nswitch 4\nhost 1.0\nhost 0.0\nhost 2.0\ncable 0.2 1.1\ncable 0.3 2.3\ncable 1.2 "
    "2.1\n";

std::string difference_of(const char* found, const std::vector<HostName>& names = {10, 11, 12},
                          const std::vector<SwitchPort>& dead_cables = {}) {
  const SwitchGraph network = topology::listed(three_switches, "network");
  DeadPorts dead(network);
  for (const SwitchPort end : dead_cables) dead.kill_cable(end);
  return difference(map_from_host_1(found), network, names, dead).value_or("none");
}

TEST(Difference, SwitchesMayHaveOtherNumbers) {
  EXPECT_EQ(difference_of(as_found), "none");
}

TEST(Difference, ACableThatIsNotOnTheMapIsOne) {
  const char* const missing =
      "switch 4\nswitch 4\nswitch 4\nhost 1.0\nhost 0.0\nhost 2.0\ncable 0.2 1.1\ncable 0.3 2.3\n";
  EXPECT_THAT(difference_of(missing),
              AllOf(HasSubstr("leads to a switch"), HasSubstr("on the map to nothing")));
  // But for one that is dead.
  EXPECT_EQ(difference_of(missing, {10, 11, 12}, {{2, 1}}), "none");
}

TEST(Difference, ACableThatIsNoMoreIsOne) {
  EXPECT_THAT(difference_of(as_found, {10, 11, 12}, {{0, 2}}),
              HasSubstr("leads to nothing, on the map to a"));
}

TEST(Difference, AHostThatIsElsewhereIsOne) {
  EXPECT_THAT(difference_of(as_found, {12, 11, 10}), AllOf(HasSubstr("host 12 is at"), HasSubstr("host 10")));
}

TEST(Difference, ACableToAnotherPortIsOne) {
  EXPECT_THAT(difference_of("switch 4\nswitch 4\nswitch 4\nhost 1.0\nhost 0.0\nhost 2.0\ncable 0.2 1.1\n"
                            "cable 0.3 2.2\ncable 1.2 2.1\n"),
              HasSubstr("comes in at port 2 on the map"));
}

TEST(Difference, ASwitchThatStandsTwiceOnTheMapIsOne) {
  EXPECT_THAT(
      difference_of("switch 4\nswitch 4\nswitch 4\nswitch 4\nhost 1.0\nhost 0.0\nhost 2.0\ncable 0.2 1.1\n"
                    "cable 0.3 2.3\ncable 1.2 3.1\n"),
      HasSubstr("leads to another one on the map"));
}

TEST(DeadPorts, OfASwitchAreItsPortsAndThoseAcross) {
  const SwitchGraph network = topology::listed(three_switches, "network");
  DeadPorts dead(network);
  dead.kill_switch(1);
  EXPECT_TRUE(dead.contains({0, 1}) && dead.contains({2, 3}) && dead.contains({1, 0}));
  EXPECT_FALSE(dead.contains({0, 2}) || dead.contains({0, 0}));
}

}  // namespace
}  // namespace morgana
