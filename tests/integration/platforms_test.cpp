#include "tests/integration/morgana_test.h"

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

}  // namespace
}  // namespace morgana::test
