#include "emulator/topology/listed/network_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/core/error.h"
#include "tests/support/messages.h"

namespace morgana::topology {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string end_of(const NetworkFile::End& end) {
  return std::to_string(end.at) + (end.port ? "." + std::to_string(*end.port) : "");
}

std::vector<std::string> cables_of(const NetworkFile& file) {
  std::vector<std::string> cables;
  for (const NetworkFile::Cable& cable : file.cables)
    cables.push_back(end_of(cable.a) + "-" + end_of(cable.b) + (cable.link.empty() ? "" : " " + cable.link));
  return cables;
}

std::vector<std::string> hosts_of(const NetworkFile& file) {
  std::vector<std::string> hosts;
  for (const NetworkFile::Host& host : file.hosts)
    hosts.push_back(host.name + " " + end_of(host.at) + (host.link.empty() ? "" : " " + host.link));
  return hosts;
}

std::string refusal(std::string_view text) {
  try {
    read_network_file(text, "file");
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(EdgeList, NumbersSwitchesAndHostsAsTheyCome) {
  const NetworkFile file = read_network_file(
      "# ours\nleaf1 spine  at 400 Gb/s over 50 ns\nh7 leaf1\n\n"
      "leaf2\tspine # another\nleaf2 host3 at 10 Gb/s\nleaf1 leaf2\r\n",
      "file");
  EXPECT_THAT(file.switches, ElementsAre("leaf1", "spine", "leaf2"));
  EXPECT_THAT(cables_of(file), ElementsAre("0-1 at 400 Gb/s over 50 ns", "2-1", "0-2"));
  EXPECT_THAT(hosts_of(file), ElementsAre("h7 0", "host3 2 at 10 Gb/s"));
}

TEST(EdgeList, OfNumbersKeepsTheirOrder) {
  const NetworkFile file = read_network_file("10 2\n2 0\n0 10", "file");
  EXPECT_THAT(file.switches, ElementsAre("0", "2", "10"));
  EXPECT_THAT(cables_of(file), ElementsAre("2-1", "1-0", "0-2"));
  EXPECT_TRUE(file.hosts.empty());
}

TEST(EdgeList, RefusesWhatItCantRead) {
  expect_message(refusal("a b\na\n"), "file:2");
  expect_message(refusal("a a"), "file:1");
  expect_message(refusal("a b 3"), "file:1");
  expect_message(refusal("a h1\nb h1\n"), {"file:2", "line 1"});
  expect_message(refusal("a h1\nh2 h3\n"), "file:2");
  expect_message(refusal("# nothing\n"), {"file:", "\"s0 h3\""});
}

/// Three switches, two cables between the first two, four adapters of which one has two ports in use.
constexpr const char* discovered = R"(#
# Topology file: generated on Mon Jan  5 10:00:00 2026
#
# Initiated from node 0000000000000a01 port 0000000000000a02

vendid=0x2c9
devid=0xcb20
sysimgguid=0x51
switchguid=0x51(51)
Switch	36 "S-0000000000000051"		# "leaf 1" enhanced port 0 lid 3 lmc 0
[20]	"S-0000000000000053"[1]		# "spine" lid 5 4xEDR
[2]	"H-0000000000000a02"[1](a03) 		# "node2 4xQDR" lid 11 4xEDR
[1]	"H-0000000000000a01"[1](a02) 		# "node1 HCA-1" lid 10 2xHDR
[21]	"S-0000000000000053"[2]		# "spine" lid 5 4xEDR

vendid=0x2c9
switchguid=0x52(52)
Switch	36 "S-0000000000000052"		# "leaf 2" base port 0 lid 4 lmc 0
[1]	"H-0000000000000a04"[1](a05) 		# "node3 HCA-1" lid 12 4xEDR
[2]	"H-0000000000000a04"[2](a06) 		# "node3 HCA-1" lid 13 4xEDR
[36]	"S-0000000000000053"[9]		# "spine" lid 5 4xHDR

vendid=0x2c9
switchguid=0x53(53)
Switch	36 "S-0000000000000053"		# "spine" base port 0 lid 5 lmc 0
[1]	"S-0000000000000051"[20]		# "leaf 1" lid 3 4xEDR
[2]	"S-0000000000000051"[21]		# "leaf 1" lid 3 4xEDR
[9]	"S-0000000000000052"[36]		# "leaf 2" lid 4 4xHDR

vendid=0x2c9
caguid=0xa01
Ca	1 "H-0000000000000a01"		# "node1 HCA-1"
[1](a02) 	"S-0000000000000051"[1]		# lid 10 lmc 0 "leaf 1" lid 3 2xHDR
)";

TEST(IbNetDiscover, EachCableIsThereOnceWithItsRate) {
  const NetworkFile file = read_network_file(discovered, "file");
  EXPECT_THAT(file.switches, ElementsAre("S-0000000000000051", "S-0000000000000052", "S-0000000000000053"));
  EXPECT_THAT(cables_of(file),
              ElementsAre("0.20-2.1 at 100 Gb/s", "0.21-2.2 at 100 Gb/s", "1.36-2.9 at 200 Gb/s"));
  EXPECT_THAT(hosts_of(file),
              ElementsAre("H-0000000000000a01[1] 0.1 at 100 Gb/s", "H-0000000000000a02[1] 0.2 at 100 Gb/s",
                          "H-0000000000000a04[1] 1.1 at 100 Gb/s", "H-0000000000000a04[2] 1.2 at 100 Gb/s"));
}

TEST(IbNetDiscover, KnowsTheRatesOfAllSpeeds) {
  const auto rate = [](const char* speed) {
    return read_network_file(
               std::string("vendid=0\nSwitch\t8 \"S-1\"\n[1]\t\"H-2\"[1](2)\t# \"n\" lid 1 ") + speed + "\n",
               "file")
        .hosts.at(0)
        .link;
  };
  EXPECT_EQ(rate("4xSDR"), "at 8 Gb/s");
  EXPECT_EQ(rate("4xQDR s=4 w=2 v=4"), "at 32 Gb/s");
  EXPECT_EQ(rate("4xFDR10"), "at 40 Gb/s");
  EXPECT_EQ(rate("4xFDR"), "at 54.56 Gb/s");
  EXPECT_EQ(rate("4xNDR"), "at 400 Gb/s");
  EXPECT_EQ(rate("12xDDR"), "at 48 Gb/s");
  EXPECT_EQ(rate(""), "");
}

TEST(IbNetDiscover, RefusesWhatIsNotComplete) {
  const auto without = [](std::string_view part) {
    std::string text = discovered;
    const std::size_t at = text.find(part);
    EXPECT_NE(at, std::string::npos);
    text.erase(at, part.size());
    return refusal(text);
  };
  EXPECT_THAT(without("[9]	\"S-0000000000000052\"[36]		# \"leaf 2\" lid 4 4xHDR\n"),
              HasSubstr("leads to port 9 of S-0000000000000053, which does not lead back"));
  EXPECT_THAT(without("[21]	\"S-0000000000000053\"[2]		# \"spine\" lid 5 4xEDR\n"),
              HasSubstr("port 21 of S-0000000000000051 does not lead back"));
  EXPECT_THAT(
      without("Switch	36 \"S-0000000000000053\"		# \"spine\" base port 0 lid 5 lmc 0\n"),
      HasSubstr("file:11: the switch S-0000000000000053 has no section of its own"));
  expect_message(refusal("vendid=0\nSwitch\t8 \"S-1\"\n[1]\tS-2[1]\n"), "file:3:");
  expect_message(refusal("vendid=0\nSwitch\t8 \"S-1\"\n[1]\t\"R-2\"[1]\n"), {"file:3", "R-2"});
  expect_message(refusal("vendid=0\nSwitch\t8 \"S-1\"\nSwitch\t8 \"S-1\"\n"), "S-1");
  expect_message(refusal("vendid=0\n"), "file: ");
}

/// Of the network above; ports 20 and 21 of leaf 1 lead to the spine, each for one host of leaf 2.
constexpr const char* dumped = R"(ibwarn: [77] sim_connect: attached as client 1 at node "leaf 1"
Unicast lids [0x0-0xd] of switch Lid 3 guid 0x0000000000000051 (leaf 1):
  Lid  Out   Destination
       Port     Info
0x0003 000 : (Switch portguid 0x0000000000000051: 'leaf 1')
0x0005 020 : (Switch portguid 0x0000000000000053: 'spine')
0x000a 001 : (Channel Adapter portguid 0x0000000000000a02: 'node1 HCA-1')
0x000b 002 : (Channel Adapter portguid 0x0000000000000a03: 'node2 HCA-1')
0x000c 020 : (Channel Adapter portguid 0x0000000000000a05: 'node3 HCA-1')
0x000d 021 : (Channel Adapter portguid 0x0000000000000a06: 'node3 HCA-1')
6 valid lids dumped
Unicast lids [0x0-0xd] of switch DR path slid 0; dlid 0; 0,20,9 guid 0x0000000000000052 (leaf 2):
0x000a 036
0x000b 036
0x000c 001
0x000d 002
4 valid lids dumped
Unicast lids [0x0-0xd] of switch Lid 5 guid 0x0000000000000053 (spine):
0x000a 001 #
0x000b 002 #
0x000c 009 #
0x000d 009 #
)";

std::string dump_refusal(const std::string& text, std::string_view network = discovered) {
  try {
    read_forwarding_tables(text, "lfts", read_network_file(network, "file"), false);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

/// Leaf 1 has its two hosts on ports 0 and 1 and its cables on 2 and 3; the spine has cables only.
TEST(ForwardingTables, BecomeRoutesToHostsByThePortsOfThePlatform) {
  const NetworkFile file = read_network_file(discovered, "file");
  EXPECT_THAT(read_forwarding_tables(dumped, "lfts", file, false),
              ElementsAre("host 2 over 0.2", "host 3 over 0.3", "host 0 over 1.2", "host 1 over 1.2",
                          "host 0 over 2.0", "host 1 over 2.1", "host 2 over 2.2", "host 3 over 2.2"));
  EXPECT_THAT(read_forwarding_tables(dumped, "lfts", file, true),
              ElementsAre("host 2 over 0.20", "host 3 over 0.21", "host 0 over 1.36", "host 1 over 1.36",
                          "host 0 over 2.1", "host 1 over 2.2", "host 2 over 2.9", "host 3 over 2.9"));
}

TEST(ForwardingTables, AreRefusedWithTheLine) {
  const std::string leaf = "Unicast lids [0x0-0xd] of switch Lid 3 guid 0x51 (leaf 1):\n";
  expect_message(dump_refusal(leaf + "0x000c 007\n"),
                 {"lfts:2", "\"0x000c 007\"", "port 7 of S-0000000000000051"});
  expect_message(dump_refusal(leaf + "0x000a 002\n"), {"lfts:2", "\"0x000a 002\"", "H-0000000000000a01[1]"});
  expect_message(dump_refusal(leaf + "0x000c up\n"), {"lfts:2", "\"0x000c up\""});
  expect_message(dump_refusal("0x000c 020\n"), {"lfts:1", "\"0x000c 020\""});
  expect_message(dump_refusal("Unicast lids [0x0-0xd] of switch Lid 9 guid 0x99 (x):\n"),
                 {"lfts:1", "guid 0x99"});
  expect_message(dump_refusal("Unicast lids [0x0-0xd] of switch Lid 9\n"),
                 {"lfts:1", "switch Lid 9\"", "guid"});
  expect_message(dump_refusal("Multicast mlids [0xc000-0xc3ff] of switch\n"),
                 {"lfts:1", "\"Multicast mlids [0xc000-0xc3ff] of switch\""});
  expect_message(dump_refusal(leaf + "Portable nonsense\n"), {"lfts:2", "\"Portable nonsense\""});
  expect_message(dump_refusal(leaf + "Lid and more\n"), {"lfts:2", "\"Lid and more\""});
  expect_message(dump_refusal(leaf + "0x000c 0021abc\n"), {"lfts:2", "\"0x000c 0021abc\""});
  expect_message(dump_refusal(leaf + "0x000c021\n"), {"lfts:2", "\"0x000c021\""});
  expect_message(dump_refusal(leaf + "0x1000c 021\n"), {"lfts:2", "\"0x1000c 021\"", "0x0001 to 0xBFFF"});
  expect_message(dump_refusal(""), {"lfts", "ibroute"});
  expect_message(dump_refusal(dumped, "a b\nb h0\n"), {"lfts", "--network-of"});
}

/// Without a word the hosts of another network would have no ways at all.
TEST(ForwardingTables, AreRefusedForLidsThatAreNobodys) {
  const std::string leaf = "Unicast lids [0x0-0xd] of switch Lid 3 guid 0x51 (leaf 1):\n";
  expect_message(dump_refusal(leaf + "0x001c 021\n"), {"lfts:2", "\"0x001c 021\""});
  const std::string_view with_lid = " lid 12 4xEDR";
  std::string network = discovered;
  network.replace(network.find(with_lid), with_lid.size(), " 4xEDR");
  expect_message(dump_refusal(dumped, network), {"--network-of", "H-0000000000000a04[1]"});
  network = discovered;
  network.replace(network.find(with_lid), with_lid.size(), " lid 13 4xEDR");
  expect_message(dump_refusal(dumped, network),
                 {"--network-of", "0x000d", "H-0000000000000a04[1]", "H-0000000000000a04[2]"});
}

/// An adapter's port with an lmc of 2 has four lids; ways are those to the first.
TEST(ForwardingTables, LeaveOutFurtherLidsOfAHost) {
  std::string network = discovered;
  const std::string_view lid = "lid 10";
  for (std::size_t at = network.find(lid); at != network.npos; at = network.find(lid, at + 1))
    network.replace(at, lid.size(), "lid 16");
  std::string tables = dumped;
  for (std::size_t at = tables.find("0x000a"); at != tables.npos; at = tables.find("0x000a", at + 1))
    tables.replace(at, 6, "0x0010");
  tables.insert(tables.find("0x0003"), "0x0012 001\n");
  expect_message(dump_refusal(tables, network), {"lfts:5", "\"0x0012 001\""});
  network.replace(network.find("lmc 0 \"leaf 1\""), 5, "lmc 2");
  EXPECT_EQ(dump_refusal(tables, network), "no error");
}

TEST(ForwardingTables, LeadFromAllHostsToAllHosts) {
  const auto with = [](std::string_view part, std::string_view other) {
    std::string text = dumped;
    const std::size_t at = text.find(part);
    EXPECT_NE(at, std::string::npos);
    return dump_refusal(text.replace(at, part.size(), other));
  };
  EXPECT_THAT(
      with("0x000c 020 :", "0x0004 020 :"),
      HasSubstr("lfts:2: the table of S-0000000000000051 has no way to lid 0x000c (H-0000000000000a04[1]), "
                "and packets from H-0000000000000a01[1] need one"));
  EXPECT_THAT(with("0x000c 020 :", "0x000c 255 :"), HasSubstr("has no way to lid 0x000c"));
  EXPECT_THAT(with("0x000c 009 #", "0x000c 001 #"),
              HasSubstr("(H-0000000000000a04[1]) come to S-0000000000000051 again"));
  EXPECT_THAT(with("0x000c 020 :", "0x000d 020 :"), HasSubstr("lfts:10: \"0x000d 021"));
  const std::string_view leaf = std::string_view(dumped).substr(0, std::string_view(dumped).find("6 valid"));
  expect_message(dump_refusal(std::string(leaf)),
                 {"S-0000000000000052", "H-0000000000000a04[1]", "H-0000000000000a01[1]"});
  expect_message(dump_refusal(std::string(dumped) + std::string(leaf)),
                 {"lfts:24", "S-0000000000000051", "line 2"});
}

TEST(NetworkFiles, MayBeginWithAByteOrderMark) {
  EXPECT_THAT(cables_of(read_network_file("\xEF\xBB\xBF"
                                          "a b\n",
                                          "file")),
              ElementsAre("0-1"));
  EXPECT_EQ(read_network_file("\xEF\xBB\xBF"
                              "a b\n",
                              "file")
                .switches.at(0),
            "a");
  expect_message(refusal("\xEF\xBB\xBF<platform version='3'/>"), "versions 4 and 4.1");
  expect_message(refusal(std::string_view("\xFF\xFE<\0p\0", 6)), "UTF-8");
  expect_message(refusal(std::string_view("<\0p\0", 4)), "UTF-8");
}

}  // namespace
}  // namespace morgana::topology
