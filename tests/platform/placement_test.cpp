#include "emulator/platform/placement.h"
#include "emulator/platform/placement_checks.h"
#include "tests/platform/support.h"

namespace morgana {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::size_t> hosts_of(const PlacedRanks& placed) {
  std::vector<std::size_t> hosts;
  for (const HostId host : placed.host_of) hosts.push_back(index(host));
  return hosts;
}

HostParameters hosts(std::int64_t count, std::int64_t processors) {
  return {count, processors, 1};
}

const Placement block{};
const Placement cyclic{Placement::Kind::cyclic, {}, {}};
const Placement spread{Placement::Kind::spread, {}, {}};

Placement listed(std::vector<std::uint32_t> hosts) {
  return {Placement::Kind::listed, std::move(hosts), "hosts.txt"};
}

TEST(Placement, BlockFillsOneHostAfterTheOther) {
  EXPECT_THAT(hosts_of(place(5, block, hosts(3, 2), "p")), ElementsAre(0, 0, 1, 1, 2));
}

TEST(Placement, CyclicDealsRanksOut) {
  EXPECT_THAT(hosts_of(place(5, cyclic, hosts(3, 2), "p")), ElementsAre(0, 1, 2, 0, 1));
}

TEST(Placement, CountsHostsAsNeeded) {
  EXPECT_EQ(place(5, block, hosts(0, 2), "p").hosts, 3U);
  EXPECT_EQ(place(1, block, hosts(0, 2), "p").hosts, 1U);
  EXPECT_EQ(place(2, block, hosts(7, 2), "p").hosts, 7U);
  EXPECT_EQ(place(3, listed({4, 0, 2}), hosts(0, 1), "p").hosts, 5U);
}

TEST(Placement, CyclicGivesEachRankAHostOfItsOwnWhereTheirNumberIsOpen) {
  EXPECT_THAT(hosts_of(place(4, cyclic, hosts(0, 2), "p")), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(place(4, cyclic, hosts(0, 2), "p").hosts, 4U);
}

TEST(Placement, SpreadPutsRanksAtEqualDistancesOverAllHosts) {
  EXPECT_THAT(hosts_of(place(4, spread, hosts(512, 1), "p")), ElementsAre(0, 128, 256, 384));
  EXPECT_THAT(hosts_of(place(3, spread, hosts(8, 1), "p")), ElementsAre(0, 2, 5));
  EXPECT_THAT(hosts_of(place(5, spread, hosts(3, 2), "p")), ElementsAre(0, 0, 1, 1, 2));
}

TEST(Placement, SpreadTakesTheNetworksPortsOrAHostARankWhereTheNumberOfHostsIsOpen) {
  EXPECT_THAT(hosts_of(place(2, spread, hosts(0, 2), "p", 64)), ElementsAre(0, 32));
  EXPECT_EQ(place(2, spread, hosts(0, 2), "p", 64).hosts, 64U);
  EXPECT_THAT(hosts_of(place(2, spread, hosts(0, 2), "p")), ElementsAre(0, 1));
  EXPECT_THAT(hosts_of(place(2, spread, hosts(4, 2), "p", 64)), ElementsAre(0, 2));
}

TEST(Placement, CyclicUsesSecondProcessorsOnceTheNetworkHasNoMorePorts) {
  EXPECT_THAT(hosts_of(place(5, cyclic, hosts(0, 2), "p", 3)), ElementsAre(0, 1, 2, 0, 1));
  EXPECT_THAT(error_of([] { place(7, cyclic, hosts(0, 2), "p", 3); }), HasSubstr("too few for 7 ranks"));
}

TEST(Placement, TakesANumberOfRanksOnEachHostAndAsManyHostsAsThatTakes) {
  const Placement four = read_placement("block:4");
  EXPECT_THAT(hosts_of(place(10, four, hosts(0, 16), "p")), ElementsAre(0, 0, 0, 0, 1, 1, 1, 1, 2, 2));
  EXPECT_EQ(place(10, four, hosts(0, 16), "p").hosts, 3U);
  EXPECT_EQ(place(10, four, hosts(100, 16), "p").hosts, 100U);
  EXPECT_THAT(hosts_of(place(6, read_placement("cyclic:2"), hosts(0, 4), "p")),
              ElementsAre(0, 1, 2, 0, 1, 2));
  EXPECT_THAT(hosts_of(place(6, read_placement("spread:2"), hosts(0, 4), "p", 9)),
              ElementsAre(0, 0, 3, 3, 6, 6));
}

TEST(Placement, RefusesMoreRanksAHostThanItHasProcessorsFor) {
  EXPECT_THAT(error_of([] { place(8, read_placement("block:4"), hosts(0, 2), "p"); }),
              HasSubstr("--ranks-per-host 4: a host of p has 2 processors"));
  HostParameters sharing = hosts(0, 2);
  sharing.quantum = SimTime::from_ps(1);
  EXPECT_EQ(place(8, read_placement("block:4"), sharing, "p").hosts, 2U);
  EXPECT_THAT(error_of([] { place(9, read_placement("block:4"), hosts(2, 4), "p"); }),
              HasSubstr("9 ranks take 3 hosts, and p has 2"));
  for (const char* wrong : {"block:0", "spread:", "cyclic:x", "block:-1", "block:2.5"})
    EXPECT_THAT(error_of([&] { read_placement(wrong); }), HasSubstr("behind the colon")) << wrong;
}

TEST(Placement, NeverPutsMoreRanksOnAHostThanItHasProcessors) {
  for (std::size_t ranks = 1; ranks <= 40; ++ranks) {
    for (std::int64_t processors = 1; processors <= 5; ++processors) {
      for (const Placement& placement : {block, cyclic, spread}) {
        const PlacedRanks placed = place(ranks, placement, hosts(0, processors), "p");
        std::vector<std::int64_t> on_host(placed.hosts);
        for (const HostId host : placed.host_of) EXPECT_LE(++on_host.at(index(host)), processors);
      }
    }
  }
}

TEST(Placement, SaysWhichKeyToSetWhenProcessorsAreTooFew) {
  EXPECT_THAT(
      error_of([] { place(9, block, hosts(2, 4), "tiny"); }),
      HasSubstr("platform tiny has 2 hosts with 4 processors each, too few for 9 ranks; set hosts.count=3 or "
                "hosts.processors=5, or hosts.quantum (\"10 ms\") for ranks that share processors"));
  EXPECT_THAT(
      error_of([] { place(2, cyclic, hosts(1, 1), "tiny"); }),
      HasSubstr("platform tiny has 1 host with 1 processor, too few for 2 ranks; set hosts.count=2 or "
                "hosts.processors=2"));
  EXPECT_THAT(error_of([] { place(0, block, hosts(1, 1), "tiny"); }), HasSubstr("at least 1 rank"));
}

TEST(Placement, PutsMoreRanksOnAHostThanItHasProcessorsWhereTheyTakeTurns) {
  HostParameters shared = hosts(2, 2);
  shared.quantum = SimTime::from_ps(10'000'000);
  EXPECT_THAT(hosts_of(place(6, block, shared, "p")), ElementsAre(0, 0, 0, 1, 1, 1));
  EXPECT_THAT(hosts_of(place(3, block, shared, "p")), ElementsAre(0, 0, 1));
  EXPECT_THAT(hosts_of(place(6, cyclic, shared, "p")), ElementsAre(0, 1, 0, 1, 0, 1));
  EXPECT_THAT(hosts_of(place(3, listed({0, 0, 0}), shared, "p")), ElementsAre(0, 0, 0));
}

TEST(Placement, ListsAreChecked) {
  EXPECT_THAT(error_of([] {
                place(3, listed({0, 1}), hosts(2, 2), "p");
              }),
              HasSubstr("hosts.txt: it places 2 ranks, but there are 3"));
  EXPECT_THAT(
      error_of([] {
        place(2, listed({0, 2}), hosts(2, 2), "p");
      }),
      HasSubstr(
          "hosts.txt: rank 1 is to run on host 2, but there are 2 hosts, numbered from 0; change the file "
          "or set hosts.count"));
  EXPECT_THAT(
      error_of([] {
        place(3, listed({0, 0, 0}), hosts(2, 2), "p");
      }),
      HasSubstr("hosts.txt: rank 2 is to run on host 0, whose 2 processors are taken by ranks before it"));
  EXPECT_THAT(hosts_of(place(2, listed({1, 0, 9}), hosts(2, 1), "p")), ElementsAre(1, 0));
}

TEST(PlacementFile, HoldsOneHostNumberALine) {
  const TemporaryFolder folder;
  const std::string file = folder.write("map", "# ranks on hosts\n3\n 0 \n\n2 # the third\r\n3");
  const Placement placement = read_placement(file);
  EXPECT_EQ(placement.kind, Placement::Kind::listed);
  EXPECT_THAT(placement.hosts, ElementsAre(3, 0, 2, 3));
  EXPECT_EQ(placement.origin, file);
}

TEST(PlacementFile, IsRefusedWithItsLine) {
  const TemporaryFolder folder;
  const auto error_with = [&](const std::string& text) {
    const std::string file = folder.write("map", text);
    return error_of([&] { read_placement(file); });
  };
  EXPECT_THAT(error_with("0\n1\nnode3\n"),
              HasSubstr("map:3: \"node3\" is not a host number; write one host number a line"));
  EXPECT_THAT(error_with("0 1\n"), HasSubstr("map:1: \"0 1\" is not a host number"));
  EXPECT_THAT(error_with("0\n-1\n"), HasSubstr("map:2: \"-1\" is not a host number"));
  EXPECT_THAT(error_with("70000\n"), HasSubstr("map:1: host 70000 is out of range"));
  EXPECT_THAT(error_with("# nothing\n"), HasSubstr("it places no rank"));
  EXPECT_THAT(error_of([] { read_placement("cycilc"); }),
              HasSubstr("--map cycilc: that is not one of block, cyclic, spread, random, by-group, by-rack, "
                        "over-groups, over-racks, and there is no such file"));
  EXPECT_THAT(error_of([&] { read_placement(folder.path().string()); }), HasSubstr("is not a plain file"));
}

TEST(Placement, OfMoreRanksThanThereAreIsNoticed) {
  EXPECT_THAT(surplus_notice(2, listed({0, 1, 2, 3})),
              HasSubstr("hosts.txt: it places 4 ranks, but there are 2"));
  EXPECT_EQ(surplus_notice(4, listed({0, 1, 2, 3})), "");
  EXPECT_EQ(surplus_notice(2, cyclic), "");
}

TEST(Placement, IsRefusedForTasksThatOthersStart) {
  const auto refusal = [](const Placement& placement) {
    return error_of([&] { refuse_to_place_tasks(placement); });
  };
  EXPECT_THAT(refusal(cyclic), HasSubstr("--map cyclic: a PVM program spawns its tasks itself"));
  EXPECT_THAT(refusal(spread), HasSubstr("--map spread"));
  EXPECT_THAT(refusal(listed({0})), HasSubstr("--map hosts.txt"));
  EXPECT_NO_THROW(refuse_to_place_tasks(block));
}

}  // namespace
}  // namespace morgana
