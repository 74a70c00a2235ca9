#include "emulator/platform/placement.h"
#include "emulator/platform/placement_checks.h"
#include "tests/platform/support.h"
#include "tests/support/messages.h"

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
  expect_message(error_of([] { place(7, cyclic, hosts(0, 2), "p", 3); }), "7 ranks");
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
  expect_message(error_of([] { place(8, read_placement("block:4"), hosts(0, 2), "p"); }),
                 "--ranks-per-host 4");
  HostParameters sharing = hosts(0, 2);
  sharing.quantum = SimTime::from_ps(1);
  EXPECT_EQ(place(8, read_placement("block:4"), sharing, "p").hosts, 2U);
  expect_message(error_of([] { place(9, read_placement("block:4"), hosts(2, 4), "p"); }),
                 {"9 ranks", "3 hosts"});
  for (const char* wrong : {"block:0", "spread:", "cyclic:x", "block:-1", "block:2.5"})
    expect_message(error_of([&] { read_placement(wrong); }), {"--map " + std::string(wrong)});
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
  expect_message(error_of([] { place(9, block, hosts(2, 4), "tiny"); }),
                 {"2 hosts", "9 ranks", "hosts.count=3", "hosts.processors=5", "hosts.quantum", "\"10 ms\""});
  expect_message(error_of([] { place(2, cyclic, hosts(1, 1), "tiny"); }),
                 {"2 ranks", "hosts.count=2", "hosts.processors=2"});
  expect_message(error_of([] { place(0, block, hosts(1, 1), "tiny"); }), {"1 rank", "set -n"});
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
  expect_message(error_of([] { place(3, listed({0, 1}), hosts(2, 2), "p"); }), {"hosts.txt", "2 ranks"});
  expect_message(error_of([] {
                   place(2, listed({0, 2}), hosts(2, 2), "p");
                 }),
                 {"hosts.txt", "rank 1", "host 2", "2 hosts", "hosts.count"});
  expect_message(error_of([] {
                   place(3, listed({0, 0, 0}), hosts(2, 2), "p");
                 }),
                 {"hosts.txt", "rank 2", "host 0"});
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
  expect_message(error_with("0\n1\nnode3\n"), {"map:3", "\"node3\""});
  expect_message(error_with("0 1\n"), {"map:1", "\"0 1\""});
  expect_message(error_with("0\n-1\n"), {"map:2", "\"-1\""});
  expect_message(error_with("70000\n"), {"map:1:", "host 70000", "65535"});
  expect_message(error_with("# nothing\n"), "FOLDER/map");
  expect_message(
      error_of([] { read_placement("cycilc"); }),
      {"--map cycilc", "block, cyclic, spread, random, by-group, by-rack, over-groups, over-racks"});
  expect_message(error_of([&] { read_placement(folder.path().string()); }), "FOLDER");
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
  expect_message(refusal(cyclic), {"--map cyclic", "PVM"});
  expect_message(refusal(spread), "--map spread");
  expect_message(refusal(listed({0})), "--map hosts.txt");
  EXPECT_NO_THROW(refuse_to_place_tasks(block));
}

}  // namespace
}  // namespace morgana
