#include <algorithm>
#include <set>

#include "tests/integration/support/morgana_test.h"
#include "tests/integration/support/sample_traces.h"

namespace morgana::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

/// Reports of what links have carried, and pictures of them.
class Links : public MorganaTest {
 protected:
  /// Rank 0 on one host sends messages to rank 1 on another.
  nlohmann::json one_way(const std::string& platform, int from, int to, int count, int bytes,
                         const std::vector<std::string>& further = {}) {
    write("hosts.txt", std::to_string(from) + "\n" + std::to_string(to) + "\n");
    std::vector<std::string> words{"run",  "-n",    "2",         "--platform", platform, "--compute",
                                   "none", "--map", "hosts.txt", "--quiet",    "--json", "run.json"};
    words.insert(words.end(), further.begin(), further.end());
    words.insert(words.end(), {"--", program("one_way"), std::to_string(count), std::to_string(bytes)});
    succeed(words);
    return read_json("run.json");
  }

  static std::int64_t sum(const nlohmann::json& report, const std::string& unit) {
    std::int64_t sum = 0;
    for (const auto& link : report.at("links")) sum += link.at(unit).get<std::int64_t>();
    return sum;
  }
  /// Of the only direction of a link that leads from or to something.
  static std::int64_t carried(const nlohmann::json& report, const std::string& unit, const std::string& end,
                              const std::string& name) {
    std::int64_t sum = 0;
    for (const auto& link : report.at("links"))
      if (link.at(end) == name) sum += link.at(unit).get<std::int64_t>();
    return sum;
  }
  std::string refusal(const std::vector<std::string>& words) {
    const FinishedProcess refused = morgana(words);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
    return refused.err;
  }
};

// Hosts 0 and 8 hang on neighbouring switches. A packet is its route (a byte for each of two switches), type,
// envelope of 16 bytes, data and CRC; each switch takes its byte off.
TEST_F(Links, CarryTheFlitsOfEagerMessagesOnTheirWay) {
  for (const char* platform : {"myrinet-ud", "myrinet-itb"}) {
    const nlohmann::json report = one_way(platform, 0, 8, 3, 1000);
    const int packet = 1 + 16 + 1000 + 1;
    EXPECT_EQ(report.at("links").size(), 2u * (512 + 128));
    EXPECT_EQ(carried(report, "flits", "from", "host 0"), 3 * (packet + 2));
    EXPECT_EQ(carried(report, "flits", "from", "switch 0"), 3 * (packet + 1));
    EXPECT_EQ(carried(report, "flits", "to", "host 8"), 3 * packet);
    EXPECT_EQ(sum(report, "flits"), 3 * (3 * packet + 3)) << platform;
    // A flit lasts 6.25 ns. Each packet takes 150 ns longer at the switch, for its routing, than on the
    // cable: the third finds what was to pass in 300 ns before it, 48 flits, and the buffer is above its 56
    // soon.
    const double time = report.at("simulated_time_ps").get<double>();
    for (const auto& link : report.at("links")) {
      EXPECT_NEAR(link.at("utilisation"), link.at("flits").get<double>() * 6250 / time, 1e-9);
      EXPECT_EQ(link.at("stopped") > 0, link.at("from") == "host 0") << link;
    }
  }
}

// Beyond 16 KiB a message is a request and a clearance of 16 bytes, and then its data.
TEST_F(Links, CarryRequestsAndClearancesOfLongMessages) {
  const nlohmann::json report = one_way("myrinet-ud", 0, 8, 2, 100'000);
  const int control = 1 + 16 + 1, data = 1 + 16 + 100'000 + 1;
  EXPECT_EQ(carried(report, "flits", "to", "host 8"), 2 * (control + data));
  EXPECT_EQ(carried(report, "flits", "to", "host 0"), 2 * control);
  EXPECT_EQ(sum(report, "flits"), 2 * (2 * (3 * control + 3) + 3 * data + 3));
}

// From switch 27 (3, 3) to 37 (5, 4) every minimal way goes down and up again, seen from the root (0, 0):
// once in transit. The route has a byte for each of four switches, one more for that of the in-transit host,
// and a mark: 6 flits on the first of seven channels, one fewer on each of the next.
TEST_F(Links, CarryPacketsThroughAnInTransitHost) {
  const nlohmann::json report = one_way("myrinet-itb", 27 * 8, 37 * 8, 5, 1000, {"--counters"});
  const int packet = 1 + 16 + 1000 + 1;
  EXPECT_EQ(carried(report, "flits", "from", "host 216"), 5 * (packet + 6));
  EXPECT_EQ(carried(report, "flits", "to", "host 296"), 5 * packet);
  EXPECT_EQ(sum(report, "flits"), 5 * (7 * packet + 6 + 5 + 4 + 3 + 2 + 1));
  for (const auto& row : report.at("counters").at("Myrinet_packets"))
    EXPECT_EQ(row.at("packets"), row.at("what_became_of_them") == "found no room in transit" ? 0 : 5) << row;
}

// 1000 bytes and AAL5's trailer of 8 are 21 cells of 48. Host 1 hangs on the other end of three switches.
TEST_F(Links, CarryTheCellsOfAtm) {
  const nlohmann::json report =
      one_way("atm-ideal", 0, 1, 3, 1000, {"--set", "network.switches=3", "--counters"});
  const std::set<std::pair<std::string, std::string>> way{
      {"host 0", "switch 0"}, {"switch 0", "switch 1"}, {"switch 1", "switch 2"}, {"switch 2", "host 1"}};
  EXPECT_EQ(report.at("links").size(), 2u * (2 + 2));
  const double time = report.at("simulated_time_ps").get<double>();
  for (const auto& link : report.at("links")) {
    const bool used = way.contains({link.at("from"), link.at("to")});
    EXPECT_EQ(link.at("cells"), used ? 3 * 21 : 0) << link;
    EXPECT_NEAR(link.at("utilisation"), used ? 3 * 21 * 2'726'337 / time : 0, 1e-9) << link;
    EXPECT_FALSE(link.contains("stopped"));
  }
  const auto& counters = report.at("counters");
  EXPECT_EQ(counters.at("ATM_connections").at(0).at("cells_out"), 3 * 21);
  EXPECT_EQ(counters.at("AAL_packets").at(0).at("packets"), 3);
}

// Host 8 hangs on the second leaf. go-back-n acknowledges two of the frames at once, and the third 40 ms
// later, when the last rank has ended: that is no part of the account.
TEST_F(Links, CarryTheFramesOfSwitchedEthernet) {
  const nlohmann::json report = one_way("fast-ethernet-tree", 0, 8, 3, 1000, {"--counters"});
  const std::set<std::pair<std::string, std::string>> there{
      {"host 0", "switch 1"}, {"switch 1", "switch 0"}, {"switch 0", "switch 2"}, {"switch 2", "host 8"}};
  EXPECT_EQ(report.at("links").size(), 2u * (64 + 8));
  double used = 0;
  for (const auto& link : report.at("links")) {
    const bool on_the_way = there.contains({link.at("from"), link.at("to")});
    const bool on_the_way_back = there.contains({link.at("to"), link.at("from")});
    EXPECT_EQ(link.at("frames"), on_the_way ? 3 : on_the_way_back ? 1 : 0) << link;
    if (!on_the_way) continue;
    if (used > 0) {
      EXPECT_DOUBLE_EQ(link.at("utilisation"), used) << link;
    }
    used = link.at("utilisation");
    EXPECT_GT(used, 0) << link;
  }
  EXPECT_EQ(report.at("counters").at("Ethernet_outputs").size(), 8u + 8 * 9);
}

TEST_F(Links, AreReportedAlikeOfARunAndItsReplay) {
  const nlohmann::json run = one_way("myrinet-itb", 216, 296, 5, 20'000, {"--trace", "run.otf2"});
  succeed({"replay", "run.otf2", "--platform", "myrinet-itb", "--map", "hosts.txt", "--quiet", "--json",
           "replay.json"});
  EXPECT_EQ(read_json("replay.json").at("links"), run.at("links"));
  EXPECT_FALSE(run.contains("counters"));
}

// All messages are eager, and all four ranks hang on one switch: a route of one byte, which comes to no host.
TEST_F(Links, OfASampleCarryItsBytesAndEachMessagesFrame) {
  succeed({"stats", pde1_sample, "--quiet", "--json", "stats.json"});
  const auto messages = read_json("stats.json").at("messages").get<std::int64_t>();
  const auto bytes = read_json("stats.json").at("bytes").get<std::int64_t>();
  for (const char* platform : {"myrinet-ud", "myrinet-itb"}) {
    succeed({"replay", pde1_sample, "--platform", platform, "--quiet", "--json", "replay.json"});
    const nlohmann::json report = read_json("replay.json");
    std::int64_t sent = 0, received = 0;
    for (int host = 0; host < 4; ++host) {
      sent += carried(report, "flits", "from", "host " + std::to_string(host));
      received += carried(report, "flits", "to", "host " + std::to_string(host));
    }
    EXPECT_EQ(received, bytes + messages * (1 + 16 + 1)) << platform;
    EXPECT_EQ(sent, received + messages) << platform;
    EXPECT_EQ(sum(report, "flits"), sent + received) << platform;
  }
}

TEST_F(Links, TellInAComparisonWhichIsTheBusiest) {
  succeed(
      {"compare", pde1_sample, "--platforms", "myrinet-ud,ethernet-10", "--quiet", "--json", "compare.json"});
  succeed({"replay", pde1_sample, "--platform", "myrinet-ud", "--quiet", "--json", "replay.json"});
  double most = 0;
  const nlohmann::json replay = read_json("replay.json");
  for (const auto& link : replay.at("links")) most = std::max(most, link.at("utilisation").get<double>());
  const nlohmann::json platforms = read_json("compare.json").at("platforms");
  EXPECT_EQ(platforms.at(0).at("busiest_link").at("utilisation"), most);
  EXPECT_THAT(platforms.at(0).at("busiest_link").at("link").get<std::string>(), HasSubstr("switch 0 port "));
  EXPECT_FALSE(platforms.at(1).contains("busiest_link"));
}

TEST_F(Links, OfNetworksThatHaveNoneAreLeftOut) {
  const nlohmann::json report = one_way("ethernet-10", 0, 1, 1, 10);
  EXPECT_FALSE(report.contains("links"));
}

TEST_F(Links, AndCountersAreTablesBelowTheSummary) {
  const FinishedProcess plain = succeed({"replay", pde1_sample, "--platform", "myrinet-ud"});
  EXPECT_THAT(plain.out, AllOf(HasSubstr("latency"), Not(HasSubstr("Myrinet packets"))));
  const FinishedProcess counted = succeed({"replay", pde1_sample, "--platform", "myrinet-ud", "--counters"});
  EXPECT_THAT(counted.out, AllOf(HasSubstr("Myrinet packets\n"), ContainsRegex("delivered +5603"),
                                 HasSubstr("links, the 8 of 1280 that something went along\n")));
  const FinishedProcess atm = succeed({"replay", pde1_sample, "--platform", "atm-ideal", "--counters"});
  EXPECT_THAT(atm.out, AllOf(HasSubstr("ATM outputs\n"), HasSubstr("ATM connections\n"),
                             HasSubstr("AAL packets\n"), HasSubstr("links, the 8 of 8")));
}

TEST_F(Links, OfAPlatformAreDrawn) {
  succeed({"platforms", "myrinet-ud", "--plot", "torus.svg"});
  EXPECT_THAT(read("torus.svg"), AllOf(HasSubstr("myrinet-ud: 64 switches, 512 hosts, 128 cables"),
                                       Not(HasSubstr("utilisation"))));
  succeed({"platforms", "atm-oc3", "--set", "network.switches=5", "--set", "network.topology=star", "--plot",
           "star.png"});
  EXPECT_EQ(read("star.png").substr(1, 3), "PNG");
  succeed({"platforms", "fast-ethernet-tree", "--plot", "tree.svg"});
  EXPECT_THAT(read("tree.svg"), HasSubstr("fast-ethernet-tree: 9 switches, 64 hosts, 8 cables"));
}

TEST_F(Links, AreColouredAfterARunThatWasOnThem) {
  one_way("myrinet-ud", 0, 8, 3, 1000);
  succeed({"platforms", "myrinet-ud", "--plot", "run.svg", "--after", "run.json"});
  EXPECT_THAT(read("run.svg"), AllOf(HasSubstr("one_way 3 1000; busiest: host 0 to switch 0 port 0"),
                                     HasSubstr("utilisation (%)")));
  // myrinet-itb has the cables of myrinet-ud, with other routes.
  succeed({"platforms", "myrinet-itb", "--plot", "itb.svg", "--after", "run.json"});

  EXPECT_THAT(refusal({"platforms", "myrinet-ud", "--set", "network.columns=4", "--plot", "x.svg", "--after",
                       "run.json"}),
              HasSubstr("the links in run.json are not those of myrinet-ud with network.columns=4"));
  EXPECT_THAT(refusal({"platforms", "atm-oc3", "--plot", "x.svg", "--after", "run.json"}),
              HasSubstr("not those of atm-oc3"));
}

TEST_F(Links, AreColouredAfterGeneratedTrafficAndOnAtmWithItsHosts) {
  succeed({"traffic", "--platform", "myrinet-itb", "--set", "network.topology=now", "--load", "0.001,0.002",
           "--messages", "500", "--quiet", "--json", "traffic.json"});
  succeed({"platforms", "myrinet-ud", "--set", "network.topology=now", "--plot", "now.svg", "--after",
           "traffic.json"});
  EXPECT_THAT(read("now.svg"), HasSubstr("uniform, 512 B at 0.002"));

  succeed({"replay", pde1_sample, "--platform", "atm-loaded", "--set", "network.switches=3", "--quiet",
           "--json", "atm.json"});
  succeed(
      {"platforms", "atm-loaded", "--set", "network.switches=3", "--plot", "atm.svg", "--after", "atm.json"});
  EXPECT_THAT(read("atm.svg"), AllOf(HasSubstr("3 switches"), HasSubstr("pde1.mpi.otf2; busiest: switch")));
}

TEST_F(Links, CannotBeDrawnWhereThereAreNone) {
  EXPECT_THAT(refusal({"platforms", "loggp-example", "--plot", "x.svg"}),
              AllOf(HasSubstr("no graph"), HasSubstr("LogGP")));
  EXPECT_THAT(refusal({"platforms", "--plot", "x.svg"}), HasSubstr("name it"));
  EXPECT_THAT(refusal({"platforms", "myrinet-ud", "--plot", "x.pdf"}), HasSubstr(".svg or .png"));
  EXPECT_THAT(refusal({"platforms", "myrinet-ud", "--after", "x.json"}), HasSubstr("--plot"));
  EXPECT_THAT(refusal({"platforms", "myrinet-ud", "--plot", "x.svg", "--after", "x.json"}),
              HasSubstr("x.json can't be read"));
  write("other.json", R"({"simulated_time_ps": 3})");
  EXPECT_THAT(refusal({"platforms", "myrinet-ud", "--plot", "x.svg", "--after", "other.json"}),
              HasSubstr("other.json reports of no links"));
}

}  // namespace
}  // namespace morgana::test
