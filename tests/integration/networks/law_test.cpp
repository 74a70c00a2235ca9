#include "tests/integration/support/morgana_test.h"

#include <algorithm>

namespace morgana::test {
namespace {

/// The trace of an emulated run, replayed on the same platform, takes the same time to the picosecond.
class Law : public MorganaTest, public testing::WithParamInterface<std::string> {};

/// Platforms on which something random happens hold the law as well: same seed, same chances.
const std::vector<std::string> modelled{"atm-active-messages",
                                        "atm-api-aal34",
                                        "atm-api-aal5",
                                        "atm-fore",
                                        "atm-ideal",
                                        "atm-loaded",
                                        "atm-oc3",
                                        "atm-oc3-abr",
                                        "atm-oc3-abt",
                                        "atm-oc3-ece",
                                        "atm-oc3-ece-duplicating",
                                        "atm-oc3-loaded",
                                        "atm-oc3-pcaal",
                                        "atm-oc3-pcaal-single",
                                        "atm-oc3-push-pull",
                                        "atm-oc3-sscop",
                                        "atm-oc3-streamed",
                                        "atm-overlay-ring",
                                        "atm-overlay-tree",
                                        "atm-pvm",
                                        "atm-pvm-aal34",
                                        "atm-pvm-aal5",
                                        "atm-pvm-ip",
                                        "atm-rpc",
                                        "atm-rpc-140",
                                        "atm-slow-hosts",
                                        "atm-sockets",
                                        "atm-sunatm",
                                        "atm-taxi-140",
                                        "atm-tcpip",
                                        "cray-aries",
                                        "dgx-a100",
                                        "dgx-h100",
                                        "dgx-h100-pod",
                                        "dragonfly-1056",
                                        "edr-fat-tree-2to1",
                                        "ethernet-10",
                                        "ethernet-10-loaded",
                                        "fast-ethernet",
                                        "fast-ethernet-smp",
                                        "fast-ethernet-tree",
                                        "fddi-100",
                                        "hdr-fat-tree",
                                        "hyperx-672",
                                        "ibm-sp2",
                                        "ideal",
                                        "infiniband-hdr",
                                        "loggopsim",
                                        "loggp-example",
                                        "myrinet-am2",
                                        "myrinet-am2-92",
                                        "myrinet-gam",
                                        "myrinet-gm",
                                        "myrinet-itb",
                                        "myrinet-push-pull",
                                        "myrinet-ud",
                                        "ndr-fat-tree",
                                        "qlogic-infinipath",
                                        "roce-100g",
                                        "roce-100g-loggp",
                                        "roce-400g",
                                        "uec-800g",
                                        "cloud-efa-like",
                                        "ethernet-25g-tcp",
                                        "sgi-powerchallenge",
                                        "slingshot-dragonfly",
                                        "smp-push-all",
                                        "smp-push-pull",
                                        "smp-push-zero",
                                        "torus-3d"};

TEST_P(Law, HoldsForNonblockingCallsWildcardsCollectivesAndSubCommunicators) {
  // Cyclic, so that ranks meet over the network also where a host has many processors.
  const std::vector<std::string> where{"--platform", GetParam(), "--map", "cyclic", "--quiet", "--seed", "7"};
  std::vector<std::string> run{"run", "-n", "5", "--json", "run.json", "--trace", "run.otf2"};
  run.insert(run.end(), where.begin(), where.end());
  run.insert(run.end(), {"--", program("ring"), "6", "3000"});
  succeed(run);
  std::vector<std::string> replay{"replay", "run.otf2", "--json", "replay.json"};
  replay.insert(replay.end(), where.begin(), where.end());
  succeed(replay);
  EXPECT_EQ(simulated_ps("run.json"), simulated_ps("replay.json"));
  EXPECT_EQ(read_json("run.json").at("per_rank"), read_json("replay.json").at("per_rank"));
  EXPECT_EQ(read_json("run.json").at("latency"), read_json("replay.json").at("latency"));
}

TEST_P(Law, HoldsForRanksOfOneHost) {
  std::vector<std::string> where{"--platform", GetParam(), "--set", "hosts.processors=5", "--quiet"};
  std::vector<std::string> run{"run", "-n", "5", "--json", "run.json", "--trace", "run.otf2"};
  run.insert(run.end(), where.begin(), where.end());
  run.insert(run.end(), {"--", program("ring"), "3", "100"});
  succeed(run);
  std::vector<std::string> replay{"replay", "run.otf2", "--json", "replay.json"};
  replay.insert(replay.end(), where.begin(), where.end());
  succeed(replay);
  EXPECT_EQ(simulated_ps("run.json"), simulated_ps("replay.json"));
}

// Two ranks a host, eager messages round-robin by two NICs, and long ones by both.
TEST_F(MorganaTest, TheLawHoldsOnRails) {
  for (const char* rails : {"hosts.rails=separate", "hosts.rails=joined"}) {
    const std::vector<std::string> where{"--platform", "infiniband-hdr",
                                         "--map",      "cyclic",
                                         "--set",      "hosts.count=3",
                                         "--set",      "hosts.nics=2",
                                         "--set",      rails,
                                         "--set",      "messages.nic=round-robin",
                                         "--set",      "messages.stripe-from=16 KiB",
                                         "--quiet"};
    for (const char* bytes : {"3000", "60000"}) {
      std::vector<std::string> run{"run", "-n", "6", "--json", "run.json", "--trace", "run.otf2"};
      run.insert(run.end(), where.begin(), where.end());
      run.insert(run.end(), {"--", program("ring"), "4", bytes});
      succeed(run);
      std::vector<std::string> replay{"replay", "run.otf2", "--json", "replay.json"};
      replay.insert(replay.end(), where.begin(), where.end());
      succeed(replay);
      EXPECT_EQ(simulated_ps("run.json"), simulated_ps("replay.json")) << rails << ", " << bytes;
      EXPECT_EQ(read_json("run.json").at("per_rank"), read_json("replay.json").at("per_rank"));
    }
  }
}

std::string name_of_platform_test(const testing::TestParamInfo<std::string>& platform) {
  std::string name = platform.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(On, Law, testing::ValuesIn(modelled), name_of_platform_test);

/// So that a new platform can't be forgotten above.
TEST_F(MorganaTest, TheLawIsTriedOnEveryModelledPlatform) {
  std::vector<std::string> named = modelled;
  named.push_back("native");
  std::string expected;
  std::sort(named.begin(), named.end());
  for (const std::string& name : named) expected += name + '\n';
  EXPECT_EQ(succeed({"platforms", "--names"}).out, expected);
}

class LawOfPrograms : public MorganaTest, public testing::WithParamInterface<std::string> {};

TEST_P(LawOfPrograms, HoldsOnFastEthernet) {
  succeed({"run", "-n", "4", "--platform", "fast-ethernet", "--quiet", "--json", "run.json", "--trace",
           "run.otf2", "--", program(GetParam())});
  succeed({"replay", "run.otf2", "--platform", "fast-ethernet", "--quiet", "--json", "replay.json"});
  EXPECT_EQ(simulated_ps("run.json"), simulated_ps("replay.json"));
  EXPECT_EQ(read_json("run.json").at("per_rank"), read_json("replay.json").at("per_rank"));
}

INSTANTIATE_TEST_SUITE_P(With, LawOfPrograms,
                         testing::Values("nonblocking", "overlap", "collectives", "reductions", "alltoalls",
                                         "datatypes", "communicators", "probes", "pollers", "statuses",
                                         "clocks", "fortran_f08"));

class LawOfRanksThatTakeTurns : public MorganaTest, public testing::WithParamInterface<std::string> {};

TEST_P(LawOfRanksThatTakeTurns, HoldsOnTwoHostsThatInterruptsHit) {
  const std::vector<std::string> where{"--platform",
                                       "fast-ethernet",
                                       "--quiet",
                                       "--set",
                                       "hosts.count=2",
                                       "--set",
                                       "hosts.quantum=20 us",
                                       "--set",
                                       "hosts.interrupts.handling=fixed",
                                       "--set",
                                       "hosts.interrupts.cost=3 us"};
  std::vector<std::string> run{"run", "-n", "4", "--json", "run.json", "--trace", "run.otf2"};
  run.insert(run.end(), where.begin(), where.end());
  run.insert(run.end(), {"--", program(GetParam())});
  succeed(run);
  std::vector<std::string> replay{"replay", "run.otf2", "--json", "replay.json"};
  replay.insert(replay.end(), where.begin(), where.end());
  succeed(replay);
  EXPECT_EQ(simulated_ps("run.json"), simulated_ps("replay.json"));
  EXPECT_EQ(read_json("run.json").at("per_rank"), read_json("replay.json").at("per_rank"));
  EXPECT_GT(read_json("run.json").at("per_rank").at(0).at("interrupted_ps"), 0);
}

INSTANTIATE_TEST_SUITE_P(With, LawOfRanksThatTakeTurns,
                         testing::Values("nonblocking", "overlap", "collectives", "probes", "clocks"));

/// Of a program, with a library's collectives.
class LawOfSharedMemory : public MorganaTest,
                          public testing::WithParamInterface<std::pair<std::string, std::string>> {};

// Every copy is slowed, short ones, too.
TEST_P(LawOfSharedMemory, HoldsForRanksOfTwoHosts) {
  const auto& [name, library] = GetParam();
  const std::vector<std::string> where{"--platform",
                                       "hdr-fat-tree",
                                       "--quiet",
                                       "--set",
                                       "hosts.processors=2",
                                       "--set",
                                       "hosts.memory-bandwidth=1 GB/s",
                                       "--set",
                                       "hosts.memory-cache=0 B",
                                       "--set",
                                       "collectives.library=" + library};
  std::vector<std::string> run{"run", "-n", "4", "--json", "run.json", "--trace", "run.otf2"};
  run.insert(run.end(), where.begin(), where.end());
  run.insert(run.end(), {"--", program(name)});
  succeed(run);
  std::vector<std::string> replay{"replay", "run.otf2", "--json", "replay.json"};
  replay.insert(replay.end(), where.begin(), where.end());
  succeed(replay);
  EXPECT_EQ(simulated_ps("run.json"), simulated_ps("replay.json"));
  EXPECT_EQ(read_json("run.json").at("per_rank"), read_json("replay.json").at("per_rank"));
  EXPECT_GT(read_json("run.json").at("hosts").at("memory_wait_ps"), 0);
}

std::vector<std::pair<std::string, std::string>> programs_and_libraries() {
  std::vector<std::pair<std::string, std::string>> all;
  for (const char* name : {"nonblocking", "overlap", "collectives", "reductions", "alltoalls", "datatypes",
                           "communicators", "probes", "pollers", "statuses", "clocks"})
    all.emplace_back(name, "auto");
  if (HAS_PVM) all.emplace_back("pvm_farm", "auto");
  for (const char* name : {"collectives", "nonblocking", "overlap"}) all.emplace_back(name, "openmpi");
  return all;
}

INSTANTIATE_TEST_SUITE_P(With, LawOfSharedMemory, testing::ValuesIn(programs_and_libraries()),
                         [](const auto& with) { return with.param.first + "_" + with.param.second; });

TEST_F(MorganaTest, TheLawHoldsWithWindowsOfRdma) {
  for (const auto& [control, routes] : {std::pair{"hpcc", "ecmp"}, std::pair{"swift", "spray"},
                                        std::pair{"timely", "ecmp"}, std::pair{"dctcp", "ecmp"}}) {
    SCOPED_TRACE(control);
    const std::vector<std::string> where{"--platform", "roce-100g",
                                         "--set",      "network.mtu=4202 B",
                                         "--set",      std::string("network.routes=") + routes,
                                         "--set",      std::string("transport.congestion-control=") + control,
                                         "--set",      "network.hosts-per-switch=2",
                                         "--map",      "cyclic",
                                         "--quiet"};
    std::vector<std::string> run{"run", "-n", "5", "--json", "run.json", "--trace", "run.otf2"};
    run.insert(run.end(), where.begin(), where.end());
    run.insert(run.end(), {"--", program("ring"), "2", "60000"});
    succeed(run);
    std::vector<std::string> replay{"replay", "run.otf2", "--json", "replay.json"};
    replay.insert(replay.end(), where.begin(), where.end());
    succeed(replay);
    EXPECT_EQ(simulated_ps("run.json"), simulated_ps("replay.json"));
    EXPECT_EQ(read_json("run.json").at("per_rank"), read_json("replay.json").at("per_rank"));
  }
}

TEST_F(MorganaTest, TheLawHoldsBesideBackgroundTraffic) {
  for (const std::string platform :
       {"roce-100g", "uec-800g", "ethernet-25g-tcp", "fast-ethernet-tree", "myrinet-itb"}) {
    SCOPED_TRACE(platform);
    const std::vector<std::string> where{
        "--platform", platform, "--set",  "background.load=0.5", "--set", "background.hosts=0..4",
        "--map",      "cyclic", "--quiet"};
    std::vector<std::string> run{"run", "-n", "5", "--json", "run.json", "--trace", "run.otf2"};
    run.insert(run.end(), where.begin(), where.end());
    run.insert(run.end(), {"--", program("ring"), "3", "60000"});
    succeed(run);
    std::vector<std::string> replay{"replay", "run.otf2", "--json", "replay.json"};
    replay.insert(replay.end(), where.begin(), where.end());
    succeed(replay);
    EXPECT_EQ(simulated_ps("run.json"), simulated_ps("replay.json"));
    EXPECT_EQ(read_json("run.json").at("per_rank"), read_json("replay.json").at("per_rank"));
    EXPECT_EQ(read_json("run.json").at("background"), read_json("replay.json").at("background"));
    EXPECT_GT(read_json("run.json").at("background").at("messages_delivered"), 0);
  }
}

TEST_F(MorganaTest, TheLawHoldsBehindIoBuses) {
  for (const std::string platform : {"fast-ethernet", "loggp-example", "smp-push-pull", "myrinet-itb"}) {
    SCOPED_TRACE(platform);
    const std::vector<std::string> where{"--platform", platform, "--set",  "interface.model=dma",
                                         "--map",      "cyclic", "--quiet"};
    std::vector<std::string> run{"run", "-n", "2", "--json", "run.json", "--trace", "run.otf2"};
    run.insert(run.end(), where.begin(), where.end());
    run.insert(run.end(), {"--", program("ring"), "3", "3000"});
    succeed(run);
    std::vector<std::string> replay{"replay", "run.otf2", "--json", "replay.json"};
    replay.insert(replay.end(), where.begin(), where.end());
    succeed(replay);
    EXPECT_EQ(simulated_ps("run.json"), simulated_ps("replay.json"));
    EXPECT_EQ(read_json("run.json").at("per_rank"), read_json("replay.json").at("per_rank"));
  }
}

}  // namespace
}  // namespace morgana::test
