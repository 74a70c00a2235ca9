#include "tests/integration/support/morgana_test.h"

namespace morgana::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Platforms : public MorganaTest {};

TEST_F(Platforms, WriteTheirNetworkInNumbers) {
  const nlohmann::json report =
      nlohmann::json::parse(succeed({"platforms", "fast-ethernet-tree", "--set", "network.topology=pod-tree",
                                     "--set", "network.hosts-per-switch=2", "--json", "-"})
                                .out);
  const nlohmann::json& network = report.at("network");
  // Al-Fares, k = 4: 20 switches of 4 ports, 16 hosts, 32 trunks.
  EXPECT_EQ(network.at("switches"), 20);
  EXPECT_EQ(network.at("hosts"), 16);
  EXPECT_EQ(network.at("trunks"), 32);
  EXPECT_EQ(network.at("cables"), 48);
  EXPECT_EQ(network.at("ports_in_use"), 80);
  EXPECT_EQ(network.at("diameter"), 4);
  EXPECT_EQ(network.at("bisection"), 8);
  EXPECT_EQ(network.at("bisection_bits_per_second"), 800'000'000);
  EXPECT_TRUE(network.at("grown").is_null());
  const nlohmann::json grown = nlohmann::json::parse(
      succeed({"platforms", "hdr-fat-tree", "--set", "hosts.count=401", "--json", "-"}).out);
  EXPECT_THAT(grown.at("network").at("grown").get<std::string>(), HasSubstr("children = \"21\""));
  const nlohmann::json none = nlohmann::json::parse(succeed({"platforms", "ethernet-10", "--json", "-"}).out);
  EXPECT_TRUE(none.at("network").is_null());
  EXPECT_THAT(morgana({"platforms", "--json", "-"}).err, HasSubstr("name it"));
}

TEST_F(Platforms, TakeTheNetworkOfAFile) {
  write("ours.txt",
        "leaf1 spine at 400 Gb/s over 50 ns\nleaf2 spine at 400 Gb/s over 50 ns\nleaf1 h0\nleaf1 h1\nleaf2 "
        "h2\n");
  const FinishedProcess made = succeed({"platforms", "hdr-fat-tree", "--network-of", "ours.txt"});
  EXPECT_EQ(made.err, "");
  EXPECT_THAT(made.out, AllOf(HasSubstr("extends = \"hdr-fat-tree\""), HasSubstr("# switch 1: spine"),
                              HasSubstr("# host 2: h2")));
  write("ours.toml", made.out);
  const nlohmann::json network =
      nlohmann::json::parse(succeed({"platforms", "ours.toml", "--json", "-"}).out).at("network");
  EXPECT_EQ(network.at("switches"), 3);
  EXPECT_EQ(network.at("hosts"), 3);
  EXPECT_EQ(network.at("trunks"), 2);
  EXPECT_EQ(network.at("mean_distance"), 2);
  EXPECT_TRUE(network.at("bisection").is_null());
  // On a Myrinet all cables are alike.
  write("ours-on-myrinet.toml", succeed({"platforms", "myrinet-ud", "--network-of", "ours.txt"}).out);
  EXPECT_THAT(succeed({"platforms", "ours-on-myrinet.toml"}).out,
              HasSubstr("# Its network: 3 switches, 3 hosts"));
  EXPECT_THAT(morgana({"platforms", "ethernet-10", "--network-of", "ours.txt"}).err,
              HasSubstr("no network of switches"));
  write("ours.txt", "leaf1\n");
  EXPECT_THAT(morgana({"platforms", "hdr-fat-tree", "--network-of", "ours.txt"}).err,
              HasSubstr("ours.txt:1:"));
}

TEST_F(Platforms, TakeAClusterOfSimgrid) {
  const auto network = [&](const std::string& cluster) {
    write("cluster.xml",
          "<platform version=\"4.1\"><cluster id=\"c\" prefix=\"\" suffix=\"\" speed=\"1Gf\" "
          "bw=\"1.25GBps\" lat=\"1us\" " +
              cluster + "/></platform>\n");
    const FinishedProcess made = succeed({"platforms", "hdr-fat-tree", "--network-of", "cluster.xml"});
    EXPECT_EQ(made.err, "");
    write("ours.toml", made.out);
    return nlohmann::json::parse(succeed({"platforms", "ours.toml", "--json", "-"}).out).at("network");
  };
  const nlohmann::json tree =
      network("radical=\"0-15\" topology=\"FAT_TREE\" topo_parameters=\"2;4,4;1,2;1,2\"");
  EXPECT_EQ(tree.at("switches"), 6);
  EXPECT_EQ(tree.at("hosts"), 16);
  EXPECT_EQ(tree.at("trunks"), 16);
  const nlohmann::json torus = network("radical=\"0-63\" topology=\"TORUS\" topo_parameters=\"4,4,4\"");
  EXPECT_EQ(torus.at("hosts"), 64);
  EXPECT_EQ(torus.at("trunks"), 192);
  const nlohmann::json dragonfly =
      network("radical=\"0-53\" topology=\"DRAGONFLY\" topo_parameters=\"3,4;3,2;3,1;2\"");
  EXPECT_EQ(dragonfly.at("switches"), 27);
  EXPECT_EQ(dragonfly.at("trunks"), 57);
  EXPECT_EQ(network("radical=\"0-9\"").at("hosts"), 10);
  EXPECT_THAT(morgana({"platforms", "myrinet-ud", "--network-of", "cluster.xml"}).err,
              HasSubstr("are for platforms with network.kind = \"fabric\""));
  write("cluster.xml", "<platform version=\"4.1\">\n<router id=\"r\"/></platform>\n");
  EXPECT_THAT(morgana({"platforms", "hdr-fat-tree", "--network-of", "cluster.xml"}).err,
              HasSubstr("cluster.xml:2: <router> is not understood"));
}

TEST_F(Platforms, TakeTheForwardingTablesOfInfinibandsSwitches) {
  write("found.txt",
        "vendid=0x2c9\nSwitch\t36 \"S-51\"\n[1]\t\"H-a1\"[1](a2)\t# \"n1\" lid 10 4xEDR\n"
        "[20]\t\"S-52\"[20]\t# \"b\" lid 4 4xEDR\n[21]\t\"S-52\"[21]\t# \"b\" lid 4 4xEDR\n\n"
        "vendid=0x2c9\nSwitch\t36 \"S-52\"\n[1]\t\"H-a3\"[1](a4)\t# \"n2\" lid 12 4xEDR\n"
        "[20]\t\"S-51\"[20]\t# \"a\" lid 3 4xEDR\n[21]\t\"S-51\"[21]\t# \"a\" lid 3 4xEDR\n");
  write(
      "lfts.txt",
      "Unicast lids [0x0-0xc] of switch Lid 3 guid 0x51 (a):\n0x000a 001\n0x000c 021\n2 valid lids dumped\n"
      "Unicast lids [0x0-0xc] of switch Lid 4 guid 0x52 (b):\n0x000a 020\n0x000c 001\n2 valid lids dumped\n");
  const FinishedProcess made =
      succeed({"platforms", "hdr-fat-tree", "--network-of", "found.txt", "--routes-of", "lfts.txt"});
  EXPECT_EQ(made.err, "");
  EXPECT_THAT(made.out, AllOf(HasSubstr("routes = \"listed\""), HasSubstr("\"host 1 over 0.2\""),
                              HasSubstr("\"host 0 over 1.1\"")));
  write("ours.toml", made.out);
  // From switch 1 over the first of two cables, and over no other.
  const std::string told =
      succeed({"traffic", "--platform", "ours.toml", "--pattern", "uniform", "--load", "10"}).out;
  EXPECT_THAT(told, HasSubstr("switch 1 port 1 to switch 0 port 1"));
  EXPECT_THAT(told, Not(HasSubstr("switch 1 port 2")));
  EXPECT_NE(morgana({"platforms", "hdr-fat-tree", "--routes-of", "lfts.txt"}).exit_code, 0);
}

}  // namespace
}  // namespace morgana::test
