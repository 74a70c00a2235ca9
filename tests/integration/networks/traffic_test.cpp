#include <algorithm>
#include <fstream>

#include "tests/integration/support/morgana_test.h"

namespace morgana::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Traffic : public MorganaTest {};

TEST_F(Traffic, MeasuresALoadAndTellsHow) {
  const FinishedProcess run = succeed({"traffic", "--load", "0.01", "--messages", "4000", "--json", "t.json",
                                       "--csv", "t.csv", "--plot", "t.svg"});
  EXPECT_THAT(run.out, AllOf(HasSubstr("512 hosts at 64 switches"), HasSubstr("1000 of warm-up")));
  const nlohmann::json report = read_json("t.json");
  const auto& load = report.at("loads").at(0);
  EXPECT_NEAR(load.at("accepted"), 0.01, 0.0005);
  // At least 150 (h + 1) + 49.2 (h + 2) + 6.25 x 514 ns, for hosts at the same switch.
  EXPECT_GT(load.at("percentiles_ns").at("1"), 3460);
  EXPECT_EQ(load.at("delivered"), 4000);
  EXPECT_EQ(load.at("lost"), 0);
  // Both directions of 512 hosts' cables and of 128 between switches.
  EXPECT_EQ(load.at("links").size(), 1280u);
  EXPECT_THAT(read("t.csv"), HasSubstr("load,load %,accepted,accepted %,"));
  EXPECT_THAT(read("t.svg"), HasSubstr("torus, up-down routes"));
}

TEST_F(Traffic, TheSameSeedGivesTheSame) {
  const std::vector<std::string> words{"traffic", "--network", "irregular:16", "--routes", "in-transit",
                                       "--load",  "0.02,0.04", "--messages",   "2000",     "--json",
                                       "-",       "-q"};
  const std::string first = succeed(words).out;
  EXPECT_EQ(succeed(words).out, first);
  std::vector<std::string> other = words;
  other.insert(other.end(), {"--seed", "2"});
  EXPECT_NE(succeed(other).out, first);
}

TEST_F(Traffic, FindsSaturationAndInTransitBuffersRaiseIt) {
  double peaks[2];
  const char* const routes[] = {"up-down", "in-transit"};
  for (int i = 0; i < 2; ++i) {
    succeed({"traffic", "--saturation", "--routes", routes[i], "--messages", "5000", "--json", "s.json",
             "--plot", "s.svg"});
    const nlohmann::json saturation = read_json("s.json").at("saturation");
    peaks[i] = saturation.at("peak");
    EXPECT_LT(saturation.at("knee"), 1.1 * peaks[i]);
    EXPECT_THAT(read("s.svg"), HasSubstr(routes[i]));
  }
  // The paper: doubled on the torus; no more than the busiest cable carries without (0.039 to 0.040).
  EXPECT_LT(peaks[0], 0.04);
  EXPECT_GT(peaks[1] / peaks[0], 1.6);
  EXPECT_LT(peaks[1] / peaks[0], 2.4);
}

TEST_F(Traffic, OnAPlatformIsOnItsNetworkItsRoutesAndItsTimes) {
  const auto load = [this](const std::vector<std::string>& network) {
    std::vector<std::string> words{"traffic", "--load", "0.015", "--messages", "2000", "-q", "--json", "-"};
    words.insert(words.end(), network.begin(), network.end());
    return nlohmann::json::parse(succeed(words).out);
  };
  const nlohmann::json named = load({"--network", "torus", "--routes", "in-transit"});
  const nlohmann::json platform = load({"--platform", "myrinet-itb"});
  EXPECT_EQ(platform.at("loads"), named.at("loads"));
  EXPECT_EQ(platform.at("routes"), "in-transit");
  EXPECT_EQ(platform.at("platform"), "myrinet-itb");
  EXPECT_FALSE(named.contains("platform"));

  const nlohmann::json changed =
      load({"--platform", "myrinet-itb", "--set", "network.rows=4", "--set",
            "network.routing-unit=each-switch", "--set", "network.cable=1 us", "--set", "network.slack=300"});
  EXPECT_EQ(changed.at("switches"), 32);
  EXPECT_EQ(changed.at("routing_unit"), "each-switch");
  EXPECT_EQ(changed.at("set").size(), 4u);
  // Two cables, one routing and 514 flits at least.
  EXPECT_GE(changed.at("loads").at(0).at("percentiles_ns").at("1"), 2000 + 150 + 514 * 6.25);
}

TEST_F(Traffic, OnAPlatformBearsItsName) {
  const FinishedProcess run = succeed({"traffic", "--platform", "myrinet-ud", "--set", "network.columns=4",
                                       "--load", "0.01,0.02", "--messages", "1000", "--plot", "p.svg"});
  EXPECT_THAT(run.out, HasSubstr("256 hosts at 32 switches (platform myrinet-ud with network.columns=4)"));
  EXPECT_THAT(read("p.svg"), HasSubstr("myrinet-ud with network.columns=4, up-down routes, uniform, 512 B"));
}

TEST_F(Traffic, LoadsEthernetAndAtmAlike) {
  const auto load = [this](const std::vector<std::string>& network) {
    std::vector<std::string> words{"traffic", "--messages", "1000", "--json", "t.json", "--platform"};
    words.insert(words.end(), network.begin(), network.end());
    return succeed(words).out;
  };
  const std::string tree = load({"fast-ethernet-tree", "--length", "1500", "--load", "0.002,0.004"});
  EXPECT_THAT(tree, AllOf(HasSubstr("64 hosts at 9 switches (platform fast-ethernet-tree), spanning-tree"),
                          HasSubstr("payload B/ns/switch"), Not(HasSubstr("in transit"))));
  const nlohmann::json ethernet = read_json("t.json");
  EXPECT_EQ(ethernet.at("load_unit"), "B/ns/switch");
  EXPECT_FALSE(ethernet.contains("routing_unit"));
  EXPECT_EQ(ethernet.at("loads").at(1).at("links").size(), 144u);
  EXPECT_TRUE(ethernet.at("loads").at(1).at("links").at(0).contains("frames"));
  EXPECT_NEAR(ethernet.at("loads").at(0).at("accepted"), 0.002, 0.0002);
  EXPECT_EQ(ethernet.at("loads").at(0).at("lost"), 0);
  succeed({"platforms", "fast-ethernet-tree", "--plot", "t.svg", "--after", "t.json"});
  EXPECT_THAT(read("t.svg"), HasSubstr("1500 B at 0.004 B/ns/switch"));

  const std::string chain = load({"atm-oc3", "--set", "hosts.count=8", "--set", "network.switches=4",
                                  "--pattern", "local:3", "--load", "0.005"});
  EXPECT_THAT(chain, HasSubstr("8 hosts at 4 switches (platform atm-oc3 with hosts.count=8"));
  const nlohmann::json atm = read_json("t.json");
  EXPECT_NEAR(atm.at("loads").at(0).at("accepted"), 0.005, 0.0005);
  EXPECT_TRUE(atm.at("loads").at(0).at("links").at(0).contains("cells"));
}

TEST_F(Traffic, SaysDeadlockWhereRoutesThatAllowOneStandStill) {
  const FinishedProcess run = succeed({"traffic", "--network", "torus:4x4", "--routes", "minimal", "--load",
                                       "0.2", "--messages", "2000", "--json", "stuck.json"});
  EXPECT_THAT(run.out, AllOf(HasSubstr("At 0.2 it is a deadlock"), HasSubstr("is held while"),
                             HasSubstr(" - "), Not(HasSubstr("inf"))));
  const nlohmann::json load = read_json("stuck.json").at("loads").at(0);
  EXPECT_TRUE(load.at("deadlock"));
  const FinishedProcess legal = succeed(
      {"traffic", "--network", "torus:4x4", "--load", "0.2", "--messages", "2000", "--json", "legal.json"});
  EXPECT_THAT(legal.out, Not(HasSubstr("deadlock")));
  EXPECT_FALSE(read_json("legal.json").at("loads").at(0).at("deadlock"));
}

TEST_F(Traffic, SaysWhatIsMeasuredOnTooFewMessages) {
  EXPECT_THAT(succeed({"traffic", "--load", "0.01", "--messages", "30", "--batches", "20"}).out,
              HasSubstr("30 messages are too few for 20 batches"));
  EXPECT_THAT(
      succeed({"traffic", "--load", "0.01", "--messages", "2000"}).out,
      HasSubstr("--messages 2000 are too few for a steady state of 512 hosts that send: 4.9 of each"));
  EXPECT_THAT(succeed({"traffic", "--load", "0.01", "--messages", "10000"}).out, Not(HasSubstr("too few")));
  EXPECT_THAT(
      succeed({"traffic", "--load", "0.01"}).out,
      AllOf(HasSubstr("as many messages at each load as it takes to settle"), Not(HasSubstr("too few"))));
}

TEST_F(Traffic, AsksForNoMoreThanHostsCanSend) {
  // Two leaves of four hosts with two uplinks each.
  const FinishedProcess run =
      succeed({"traffic", "--platform", "hdr-fat-tree", "--set", "network.arity=2", "--set",
               "network.hosts-per-switch=4", "--saturation", "--json", "s.json"});
  const nlohmann::json report = read_json("s.json");
  const double limit = report.at("injection_limit");
  for (const auto& load : report.at("loads")) EXPECT_LE(load.at("load_share").get<double>(), 1.0001);
  EXPECT_LE(report.at("saturation").at("peak").get<double>(), limit);
  const auto& knee = report.at("saturation").at("knee");
  EXPECT_TRUE(knee.is_null() || knee.get<double>() < limit) << knee;
  EXPECT_THAT(run.out, HasSubstr("that the hosts can send"));
  const FinishedProcess beyond = succeed({"traffic", "--platform", "hdr-fat-tree", "--set", "network.arity=2",
                                          "--set", "network.hosts-per-switch=4", "--load", "60"});
  // Eight hosts at four switches: 512 B in 522 B at 25 B/ns each.
  EXPECT_THAT(beyond.out, HasSubstr("At 60: more than the hosts can send, 49.04;"));
}

// Reference: --messages 60000 --warm-up 40000, a window after which longer ones say the same.
TEST_F(Traffic, FillsANetworkBeforeItIsMeasured) {
  const auto load = [this](std::vector<std::string> words) {
    words.insert(words.begin(), "traffic");
    words.insert(words.end(), {"-q", "--json", "-"});
    return nlohmann::json::parse(succeed(words).out).at("loads").at(0);
  };
  const nlohmann::json pod = load({"-p", "dgx-h100-pod", "--load", "200"});
  EXPECT_NEAR(pod.at("accepted"), 200, 6);
  EXPECT_TRUE(pod.at("settled"));
  for (const char* seed : {"1", "2", "4"}) {
    EXPECT_NEAR(load({"-p", "hdr-fat-tree", "--set", "network.arity=4", "--process", "exponential", "--load",
                      "230", "--seed", seed})
                    .at("accepted"),
                61, 2.4)
        << seed;
  }
  // One host takes a twentieth of all; its ceiling reaches the others only when all have a message for it.
  const nlohmann::json hot = load({"-p", "hdr-fat-tree", "--pattern", "hotspot:5%", "--load", "200"});
  EXPECT_TRUE(hot.at("accepted") < 100 || !hot.at("settled").get<bool>()) << hot.at("accepted");
}

TEST_F(Traffic, LoadsANetworkWhoseFirstHostIsCutOff) {
  const FinishedProcess run =
      succeed({"traffic", "-p", "hdr-fat-tree", "--set", "network.faults=cable 0.0 at 0 s", "--load", "10",
               "--messages", "4000"});
  EXPECT_THAT(run.out, AllOf(Not(HasSubstr("inf")), Not(HasSubstr("nan")),
                             HasSubstr("in % of the 245.2 that the hosts can send")));
}

TEST_F(Traffic, RefusesWhatCannotBeMeasured) {
  const auto refusal = [this](std::vector<std::string> words) {
    words.insert(words.begin(), "traffic");
    const FinishedProcess refused = morgana(words);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
    return refused.err;
  };
  EXPECT_THAT(refusal({}), HasSubstr("--saturation"));
  EXPECT_THAT(refusal({"--load", "0"}), HasSubstr("above 0"));
  EXPECT_THAT(refusal({"--load", "0.01,1e9"}), AllOf(HasSubstr("1e9"), HasSubstr("below 100000")));
  EXPECT_THAT(refusal({"--load", "abc"}),
              AllOf(HasSubstr("--load: \"abc\" is not a number"), HasSubstr("above 0")));
  EXPECT_THAT(refusal({"--load", "0.01", "--network", "tors"}), HasSubstr("not one of torus"));
  EXPECT_THAT(refusal({"--load", "0.01", "--routes", "best"}), HasSubstr("up-down"));
  EXPECT_THAT(refusal({"--load", "0.01", "--pattern", "hot"}), HasSubstr("bit-reversal"));
  EXPECT_THAT(refusal({"--load", "0.01", "--pattern", "bit-reversal", "--network", "cplant"}),
              HasSubstr("power of two"));
  EXPECT_THAT(refusal({"--load", "0.01", "--messages", "10"}), HasSubstr("--batches"));
  EXPECT_THAT(refusal({"--load", "0.01", "--plot", "x.pdf"}), HasSubstr(".svg"));
  EXPECT_THAT(refusal({"--load", "0.01", "--plot", "no/such/x.svg"}),
              HasSubstr("cannot draw no/such/x.svg: No such"));
  EXPECT_THAT(refusal({"--load", "0.01", "--platform", "atm-oc3"}),
              AllOf(HasSubstr("atm-oc3 has as many hosts as are needed"), HasSubstr("--set hosts.count=16")));
  EXPECT_THAT(refusal({"--load", "0.01", "--platform", "ethernet-10"}),
              HasSubstr("ethernet-10 has no graph of switches and cables"));
  EXPECT_THAT(refusal({"--load", "0.01", "--platform", "fast-ethernet-tree", "--length", "1501"}),
              HasSubstr("the network carries 1500 in one piece"));
  EXPECT_THAT(
      refusal({"--load", "1", "--platform", "hdr-fat-tree", "--set", "network.ejection-rate=0.0000000001 %"}),
      AllOf(HasSubstr("network.ejection-rate"), HasSubstr("at least 1 kb/s")));
  EXPECT_THAT(refusal({"--load", "1", "--platform", "hdr-fat-tree", "--set", "background.load=30 %"}),
              AllOf(HasSubstr("background.load"), HasSubstr("--set background.load=0")));
  EXPECT_THAT(refusal({"--load", "0.01", "--set", "network.rows=4"}), HasSubstr("with --platform"));
  EXPECT_THAT(refusal({"--load", "0.01", "--platform", "myrinet-ud", "--set", "network.rwos=4"}),
              HasSubstr("did you mean network.rows?"));
  EXPECT_THAT(refusal({"--sizes", "hadoop", "--load", "1", "--network", "torus"}),
              HasSubstr("a Myrinet carries each in one piece"));
  EXPECT_THAT(
      refusal({"--sizes", "hadop", "--load", "1", "-p", "hdr-fat-tree"}),
      HasSubstr(
          "there is no file \"hadop\" that can be read; write web-search, data-mining, hadoop or a file"));
  EXPECT_THAT(refusal({"--sizes", "hadoop", "--length", "64", "--load", "1", "-p", "hdr-fat-tree"}),
              HasSubstr("--length and --sizes exclude each other"));
  EXPECT_THAT(refusal({"--outstanding", "1", "--load", "1", "-p", "hdr-fat-tree"}),
              HasSubstr("--load and --outstanding exclude each other"));
  EXPECT_THAT(refusal({"--outstanding", "1", "--process", "exponential", "-p", "hdr-fat-tree"}),
              HasSubstr("--process and --outstanding exclude each other"));
  EXPECT_THAT(refusal({"--sizes", "hadoop", "--batches", "7", "--load", "1", "-p", "hdr-fat-tree"}),
              HasSubstr("--batches is not for messages in many packets"));
  EXPECT_THAT(refusal({"--sizes", "hadoop", "--length", "512", "--load", "1", "-p", "hdr-fat-tree"}),
              HasSubstr("--length and --sizes exclude each other"));
  EXPECT_THAT(refusal({"--sizes", "hadoop", "-p", "hdr-fat-tree"}), HasSubstr("or --outstanding 1"));
  EXPECT_THAT(refusal({"--sizes", "/tmp", "--load", "1", "-p", "hdr-fat-tree"}),
              HasSubstr("that can be read"));
  EXPECT_THAT(refusal({"--reply", "64", "--saturation", "-p", "hdr-fat-tree"}),
              HasSubstr("--saturation is not for messages in many packets"));
  EXPECT_THAT(refusal({"--reply", "0", "--load", "1", "-p", "hdr-fat-tree"}), HasSubstr("--reply"));
  const std::pair<const char*, const char*> other[] = {
      {"--network", "torus"}, {"--routes", "up-down"}, {"--routing-unit", "each-output"}};
  for (const auto& [option, value] : other) {
    EXPECT_THAT(refusal({"--load", "0.01", "--platform", "myrinet-ud", option, value}),
                AllOf(HasSubstr(option), HasSubstr("--platform exclude each other")));
  }
}

TEST_F(Traffic, OfManySizesReportsCompletionTimesAndSlowdowns) {
  const FinishedProcess run = succeed({"traffic", "-p", "edr-fat-tree-2to1", "--set", "hosts.count=16",
                                       "--sizes", "hadoop", "--load", "2,4", "--process", "exponential",
                                       "--messages", "2000", "--json", "t.json", "--csv", "t.csv"});
  EXPECT_THAT(run.out, AllOf(HasSubstr("messages of sizes hadoop"), HasSubstr("slowdown")));
  EXPECT_THAT(read("t.csv"),
              HasSubstr("load,size,messages,mean us,median,95 %,99 %,slowdown,median,95 %,99 %"));
  const nlohmann::json loads = read_json("t.json").at("loads");
  ASSERT_EQ(loads.size(), 2u);
  for (const nlohmann::json& load : loads) {
    EXPECT_EQ(load.at("all").at("messages"), 2000);
    EXPECT_EQ(load.at("lost"), 0);
    EXPECT_GE(load.at("sizes").size(), 3u);
    std::uint64_t sum = 0;
    for (const nlohmann::json& one : load.at("sizes")) {
      sum += one.at("messages").get<std::uint64_t>();
      EXPECT_GT(one.at("slowdown").at("percentiles").at("5"), 0.95);
    }
    EXPECT_EQ(sum, 2000u);
  }
  EXPECT_GT(loads[1].at("all").at("slowdown").at("mean"), loads[0].at("all").at("slowdown").at("mean"));
}

// One at a time without another host's: a reply takes as long as alone.
TEST_F(Traffic, InAClosedLoopWaitsForReplies) {
  succeed({"traffic", "-p", "hdr-fat-tree", "--set", "hosts.count=4", "--pattern", "neighbour", "--length",
           "64", "--reply", "65536", "--outstanding", "1", "--messages", "200", "--json", "t.json", "-q"});
  const nlohmann::json load = read_json("t.json").at("loads").at(0);
  EXPECT_EQ(load.at("unfinished"), 0);
  EXPECT_NEAR(load.at("all").at("slowdown").at("percentiles").at("50"), 1, 0.05);
}

// Padded frames, cells, credits that a long cable uses up, packets that take another way each, a cable that
// is down while the routes don't know it: what a message takes alone is a slowdown of 1, and none is faster.
TEST_F(Traffic, AMessageAloneHasASlowdownOfOneInEveryNetwork) {
  const std::vector<std::string> closed{"--outstanding", "1", "--pattern", "neighbour"};
  const std::vector<std::string> long_cables{"-p",         "edr-fat-tree-2to1",
                                             "--set",      "network.propagation=5 us",
                                             "--set",      "network.buffer=64 KiB",
                                             "--set",      "network.host-buffer=64 KiB",
                                             "--length",   "1000000",
                                             "--messages", "400"};
  const std::vector<std::string> padded{"-p", "fast-ethernet-tree", "--sizes", "hadoop", "--messages", "400"};
  const std::vector<std::string> in_cells{"-p",      "atm-oc3", "--set",      "hosts.count=4",
                                          "--sizes", "hadoop",  "--messages", "200"};
  for (std::vector<std::string> words : {long_cables, padded, in_cells}) {
    words.insert(words.begin(), "traffic");
    words.insert(words.end(), closed.begin(), closed.end());
    words.insert(words.end(), {"--json", "t.json", "-q"});
    succeed(words);
    const nlohmann::json all = read_json("t.json").at("loads").at(0).at("all");
    EXPECT_EQ(all.at("with_slowdown"), all.at("messages"));
    EXPECT_NEAR(all.at("slowdown").at("mean"), 1, 0.005) << words[2];
    EXPECT_GE(all.at("slowdown").at("percentiles").at("5"), 0.9999) << words[2];
  }
}

TEST_F(Traffic, NoMessageOfDetoursIsFasterThanAlone) {
  for (const std::string routes : {"valiant", "ugal-l"}) {
    succeed({"traffic",
             "-p",
             "dragonfly-1056",
             "--set",
             "network.groups=9",
             "--set",
             "network.switches-per-group=4",
             "--set",
             "network.global-cables=2",
             "--set",
             "network.hosts-per-switch=2",
             "--set",
             "network.routes=" + routes,
             "--sizes",
             "hadoop",
             "--outstanding",
             "1",
             "--pattern",
             "next-group:8",
             "--messages",
             "300",
             "--json",
             "t.json",
             "-q"});
    const nlohmann::json load = read_json("t.json").at("loads").at(0);
    EXPECT_GE(load.at("all").at("slowdown").at("percentiles").at("5"), 0.9999) << routes;
    EXPECT_EQ(load.at("unfinished"), 0) << "nothing of a closed loop is given up while packets come";
  }
}

TEST_F(Traffic, SlowdownsAreKnownWhereACableIsDown) {
  std::ofstream(path("sizes")) << "100000 100\n";
  succeed({"traffic",
           "-p",
           "hdr-fat-tree",
           "--set",
           "network.topology=chain",
           "--set",
           "network.switches=4",
           "--set",
           "network.hosts-per-switch=2",
           "--set",
           "network.routes=spanning-tree",
           "--set",
           "network.faults=cable 0.0 at 10 us for 10 us",
           "--sizes",
           "sizes",
           "--outstanding",
           "1",
           "--pattern",
           "neighbour",
           "--messages",
           "1000",
           "--warm-up",
           "10",
           "--json",
           "t.json",
           "-q"});
  const nlohmann::json load = read_json("t.json").at("loads").at(0);
  EXPECT_GT(load.at("lost"), 0);
  EXPECT_LT(load.at("lost"), 20) << "an outage of 10 us, in which a message takes 4 us";
  EXPECT_EQ(load.at("lost_hosts"), 2) << "the one behind the cable and the one that sends to it";
  EXPECT_EQ(load.at("all").at("with_slowdown"), load.at("all").at("messages"));
}

TEST_F(Traffic, LoadsOfRequestsCountTheirReplies) {
  const FinishedProcess run = succeed({"traffic", "-p", "edr-fat-tree-2to1", "--length", "64", "--reply",
                                       "65536", "--load", "0.05", "--messages", "1000"});
  EXPECT_THAT(run.out, HasSubstr("At 0.05 of requests, 51.25 with replies (34.2 % of the"));
}

TEST_F(Traffic, WithoutTheCheckOfRoutesReportsWhichPacketsHoldWhichBuffers) {
  const FinishedProcess run = succeed({"traffic", "-p", "hdr-fat-tree", "--set", "network.topology=ring",
                                       "--set", "network.switches=5", "--set", "network.hosts-per-switch=1",
                                       "--set", "network.routes=ecmp", "--set", "network.routes-check=off",
                                       "--pattern", "tornado", "--sizes", "web-search", "--load", "20"});
  EXPECT_THAT(run.out,
              AllOf(HasSubstr("wait for each other's buffers in a cycle"), HasSubstr(" holds switch ")));
}

}  // namespace
}  // namespace morgana::test
