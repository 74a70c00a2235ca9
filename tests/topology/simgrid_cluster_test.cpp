// Clusters of SimGrid's platform files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "emulator/core/error.h"
#include "emulator/topology/listed/network_file.h"
#include "tests/support/messages.h"

namespace morgana::topology {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

/// A file with this cluster on its line 4.
std::string platform_file(const std::string& cluster) {
  return "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
         "<platform version=\"4.1\"><zone id=\"world\" routing=\"Full\">\n" +
         cluster + "\n</zone></platform>\n";
}
std::string cluster_with(const std::string& more) {
  return platform_file(
      "<cluster id=\"bob\" prefix=\"node-\" suffix=\".me\" speed=\"1Gf\" bw=\"125MBps\" lat=\"50us\" " +
      more + "/>");
}

std::string refused_xml(const std::string& text) {
  try {
    read_network_file(text, "file.xml");
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

/// The example of SimGrid's documentation: two levels, 16 hosts, two parallel cables above each leaf.
TEST(SimgridCluster, FatTreeIsAnXgft) {
  const NetworkFile file = read_network_file(
      cluster_with("radical=\"0-15\" topology=\"FAT_TREE\" topo_parameters=\"2 ; 4,4 ; 1,2 ; 1,2\""), "f");
  EXPECT_THAT(
      file.keys,
      UnorderedElementsAre(Pair("topology", "\"xgft\""), Pair("hosts-per-switch", "4"),
                           Pair("children", "\"4\""), Pair("parents", "\"2\""),
                           Pair("parallel-cables", "\"2\""), Pair("rate", "\"1000000000 b/s\""),
                           Pair("trunk-rate", "\"1000000000 b/s\""), Pair("propagation", "\"50000000 ps\"")));
  expect_messages(file.notes, {"\"1Gf\""});
  EXPECT_THAT(file.switches, IsEmpty());
  EXPECT_EQ(file.routes, "d-mod-k");
}

TEST(SimgridCluster, TorusHasItsSidesAndHostsThatItsCablesBound) {
  const NetworkFile file = read_network_file(
      cluster_with("radical=\"0-11\" topology=\"TORUS\" topo_parameters=\"3,2,2\" loopback_bw=\"100MBps\" "
                   "loopback_lat=\"0\" core=\"8\""),
      "f");
  EXPECT_THAT(file.keys, Contains(Pair("topology", "\"torus\"")));
  EXPECT_THAT(file.keys, Contains(Pair("sides", "\"3, 2, 2\"")));
  // Two cables along the side of three, one along each side of two: four at 1 Gb/s.
  EXPECT_THAT(file.keys, Contains(Pair("rate", "\"4000000000 b/s\"")));
  EXPECT_THAT(file.keys, Contains(Pair("propagation", "\"1 ps\"")));
  EXPECT_THAT(file.keys, Contains(Pair("tiers",
                                       "[\"dimension 1 at 1000000000 b/s over 50000000 ps\", "
                                       "\"dimension 2 at 1000000000 b/s over 50000000 ps\", "
                                       "\"dimension 3 at 1000000000 b/s over 50000000 ps\"]")));
  EXPECT_EQ(file.processors, 8U);
  EXPECT_THAT(file.notes, Contains(HasSubstr("loopback_bw=\"100MBps\" is not taken over")));
  EXPECT_EQ(file.routes, "dimension-order");
}

/// The example of SimGrid's documentation: 3 groups of 3 chassis of 3 routers with 2 hosts each. Cables: of
/// each of 9 chassis 3, of each group 3 for each of 3 routers, and 3 between groups.
TEST(SimgridCluster, DragonflyHasChassisAndRouters) {
  const NetworkFile file = read_network_file(
      cluster_with("radical=\"0-53\" topology=\"DRAGONFLY\" topo_parameters=\"3,4 ; 3,2 ; 3,1 ; 2\""), "f");
  EXPECT_THAT(file.switches, SizeIs(27));
  EXPECT_EQ(file.switches[13], "group 1 chassis 1 router 1");
  EXPECT_THAT(file.hosts, SizeIs(54));
  EXPECT_EQ(file.hosts[27].at.at, 13U);
  EXPECT_EQ(file.hosts[27].link, "at 1000000000 b/s over 50000000 ps");
  ASSERT_THAT(file.cables, SizeIs(9 * 3 + 3 * 9 + 3));
  std::set<std::pair<SwitchId, SwitchId>> global, black;
  for (const NetworkFile::Cable& cable : file.cables) {
    const auto ends = std::minmax(cable.a.at, cable.b.at);
    if (cable.link.starts_with("at 4000000000 b/s")) global.insert(ends);
    if (cable.link.starts_with("at 2000000000 b/s")) black.insert(ends);
  }
  // Router n of the first chassis leads to group n.
  EXPECT_THAT(global, ElementsAre(Pair(1, 9), Pair(2, 18), Pair(11, 19)));
  EXPECT_THAT(black, SizeIs(27));
  EXPECT_THAT(black, Contains(Pair(0, 3)));
  EXPECT_EQ(file.routes, "dfsssp");
  EXPECT_THAT(file.notes, Contains(HasSubstr("dfsssp takes the fewest cables")));
}

TEST(SimgridCluster, FlatIsASwitch) {
  const NetworkFile file = read_network_file(cluster_with("radical=\"0-2,5,7-8\""), "f");
  EXPECT_THAT(file.keys, Contains(Pair("switches", "1")));
  EXPECT_THAT(file.keys, Contains(Pair("hosts-per-switch", "6")));
  EXPECT_THAT(
      read_network_file(cluster_with("radical=\"0-2\" limiter_link=\"1Gbps\" topology=\"FLAT\""), "f").notes,
      Contains(HasSubstr("limiter_link is the rate")));
}

TEST(SimgridCluster, ReadsUnits) {
  const auto rate = [](const std::string& bw, const std::string& lat) {
    const NetworkFile file =
        read_network_file(platform_file("<cluster id='c' prefix='' suffix='' radical='0-1' speed='1f' bw='" +
                                        bw + "' lat='" + lat + "'/>"),
                          "f");
    std::string found;
    for (const auto& [key, value] : file.keys)
      if (key == "rate" || key == "propagation") found += value;
    return found;
  };
  EXPECT_EQ(rate("1Gbps", "1ms"), "\"1000000000 b/s\"\"1000000000 ps\"");
  EXPECT_EQ(rate("1MiBps", "20ns"), "\"8388608 b/s\"\"20000 ps\"");
  EXPECT_EQ(rate("1.25e8", "5e-5"), "\"1000000000 b/s\"\"50000000 ps\"");
  EXPECT_EQ(rate("100kbps", "0"), "\"100000 b/s\"\"1 ps\"");
  EXPECT_EQ(rate("128KiBps", "1us"), "\"1048576 b/s\"\"1000000 ps\"");
  EXPECT_THAT(read_network_file(cluster_with("radical=\"0-1\" loopback_lat=\"0\""), "f").notes,
              Not(Contains(HasSubstr("1 ps"))));
  EXPECT_THAT(read_network_file(platform_file("<cluster id='c' prefix='' suffix='' radical='0-1' speed='1f' "
                                              "bw='1Gbps' lat='0'/>"),
                                "f")
                  .notes,
              Contains("lat=\"0\" is 1 ps here, the least that a cable takes"));
}

/// SimGrid knows none of them.
TEST(SimgridCluster, RefusesUnitsThatAreNone) {
  const auto refused = [](const std::string& bw, const std::string& lat) {
    return refused_xml(platform_file("<cluster id='c' prefix='' suffix='' radical='0-1' speed='1f' bw='" +
                                     bw + "' lat='" + lat + "'/>"));
  };
  for (const char* bw : {"125M", "125 MBps", "125kiBps", "125KBps", "125B", "125MB/s", "125miBps"})
    expect_message(refused(bw, "1us"), {"file.xml:4", "bw="});
  for (const char* lat : {"50 us", "50u", "50US"})
    expect_message(refused("1Gbps", lat), {"file.xml:4", "lat="});
}

/// All of a message's hosts, or routers, bound it there: no host's link does.
TEST(SimgridCluster, RefusesLimitersOfHostsThatMessagesPass) {
  const std::string limiter = " limiter_link=\"1Gbps\" topology=";
  for (const char* more : {"\"FAT_TREE\" radical=\"0-15\" topo_parameters=\"2;4,4;1,2;1,1\"",
                           "\"TORUS\" radical=\"0-15\" topo_parameters=\"4,4\"",
                           "\"DRAGONFLY\" radical=\"0-53\" topo_parameters=\"3,4 ; 3,2 ; 3,1 ; 2\""})
    expect_message(refused_xml(cluster_with(limiter + more)), {"file.xml:4", "limiter_link"});
}

/// Values come into a platform's comments.
TEST(SimgridCluster, RefusesValuesOfSeveralLines) {
  expect_message(refused_xml(cluster_with("radical=\"0-1\" loopback_lat=\"0&#10;[hosts]\"")),
                 {"file.xml:4", "\"0\\n[hosts]\""});
  expect_message(refused_xml(platform_file("<cluster id='c' prefix='' suffix='' radical='0-1' speed='1f' "
                                           "bw='1Gbps' lat='1us'><prop id='a&#13;b' value='1'/></cluster>")),
                 "\"a\\rb\"");
}

TEST(SimgridCluster, RefusesZonesInTooManyOthers) {
  std::string deep = "<platform version=\"4.1\">";
  for (unsigned n = 0; n < 100'000; ++n) deep += "\n<zone>";
  for (unsigned n = 0; n < 100'000; ++n) deep += "</zone>";
  expect_message(refused_xml(deep + "</platform>"), {"file.xml:66", "<zone>", "64 others"});
}

TEST(SimgridCluster, RefusesWhatItDoesNotUnderstandByElementAndLine) {
  const std::string torus = "radical=\"0-15\" topology=\"TORUS\" topo_parameters=\"4,4\" ";
  expect_message(refused_xml(cluster_with("radical=\"0-15\" topology=\"HYPERCUBE\"")),
                 {"file.xml:4", "\"HYPERCUBE\"", "FLAT", "FAT_TREE"});
  expect_message(refused_xml(cluster_with(torus + "sharing_policy=\"SHARED\"")),
                 {"file.xml:4: <cluster>: sharing_policy=\"SHARED\"", "SPLITDUPLEX"});
  expect_message(refused_xml(cluster_with("radical=\"0-9\" bb_bw=\"1Gbps\"")),
                 "file.xml:4: <cluster>: bb_bw");
  expect_message(refused_xml(cluster_with(torus + "colour=\"blue\"")), "file.xml:4: <cluster>: colour");
  expect_message(refused_xml(cluster_with("radical=\"0-14\" topology=\"TORUS\" topo_parameters=\"4,4\"")),
                 {"file.xml:4: <cluster>: topo_parameters=\"4,4\"", "16 hosts", "radical=\"0-14\"", "15"});
  expect_message(refused_xml(cluster_with("radical=\"0-15\" topology=\"TORUS\"")),
                 "file.xml:4: <cluster>: topo_parameters");
  expect_message(refused_xml(cluster_with("radical=\"0-15\" topology=\"TORUS\" topo_parameters=\"4,x\"")),
                 "\"x\"");
  expect_message(refused_xml(cluster_with("radical=\"9-3\"")), "file.xml:4: <cluster>: radical=\"9-3\"");
  expect_message(refused_xml(cluster_with("radical=\"0-3,2\"")), "radical=\"0-3,2\" names 2 twice");
  expect_message(refused_xml(cluster_with("radical=\"0-3\" bw=\"1Gbps\"")), "file.xml:4: <cluster>: bw");
  expect_message(
      refused_xml(cluster_with("radical=\"0-15\" topology=\"FAT_TREE\" topo_parameters=\"2;4,4;1,2\"")),
      {"file.xml:4: <cluster>: topo_parameters=\"2;4,4;1,2\"", "\"2;4,4;1,2;1,2\""});
  expect_message(
      refused_xml(cluster_with("radical=\"0-15\" topology=\"FAT_TREE\" topo_parameters=\"2;4,4;2,2;1,1\"")),
      {"file.xml:4: <cluster>: topo_parameters=\"2;4,4;2,2;1,1\"", "2 cables"});
  expect_message(
      refused_xml(cluster_with("radical=\"0-31\" topology=\"DRAGONFLY\" topo_parameters=\"4,1;2,1;2,1;2\"")),
      {"file.xml:4: <cluster>: topo_parameters=\"4,1;2,1;2,1;2\"", "2 routers", "4 groups"});
  expect_message(refused_xml(platform_file("<host id=\"h\" speed=\"1f\"/>")), "file.xml:4");
  const std::string one =
      "<cluster id='c' prefix='' suffix='' radical='0-1' speed='1f' bw='1Gbps' lat='1us'/>";
  expect_message(refused_xml(platform_file(one + "\n" + one)), "file.xml:5");
  expect_message(refused_xml("<platform version=\"3\"/>"), {"file.xml:1", "\"3\""});
  expect_message(refused_xml("<platform version=\"4\"></platform>"), {"file.xml: ", "<cluster>"});
  expect_message(refused_xml("<platform version=\"4\">\n<zone>\n</platform>"), "file.xml:3");
  expect_message(refused_xml(platform_file(
                     "<cluster id='c' prefix='' suffix='' radical='0-1' speed='1f' bw='fast' lat='1us'/>")),
                 "\"fast\"");
}

}  // namespace
}  // namespace morgana::topology
