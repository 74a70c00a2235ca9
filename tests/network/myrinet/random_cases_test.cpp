#include "tests/network/myrinet/random_cases.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/network/myrinet/reference_flits.h"
#include "tests/support/effort.h"

namespace morgana::testing {
namespace {

constexpr std::uint64_t drawn_cases = 400;

bool is_lossless(const WormCase& given, const WormResults& results) {
  return given.deaths.empty() && std::all_of(results.fates.begin(), results.fates.end(),
                                             [](const WormFate& fate) { return fate.times.delivered; });
}

/// Routing, cables, hosts in transit and the flits of a packet, none of which can be saved.
SimTime least_time(const WormParameters& p, const PlannedWorm& worm) {
  SimTime time = p.flit * (p.type_bytes + worm.bytes + 1);
  for (const auto& leg : worm.legs)
    time += p.routing * static_cast<std::int64_t>(leg.size()) +
            p.cable * static_cast<std::int64_t>(leg.size() + 1);
  return time + (p.program ? SimTime() : p.detection + p.programming) *
                    static_cast<std::int64_t>(worm.legs.size() - 1);
}

/// Every switch and host in transit takes a flit of what passes.
std::uint64_t flits_on_all_channels(const WormParameters& p, const PlannedWorm& worm) {
  std::uint64_t flits = 0, rest = p.type_bytes + worm.bytes + 1;
  for (auto leg = worm.legs.rbegin(); leg != worm.legs.rend(); ++leg) {
    flits += rest;
    for (std::size_t port = 0; port < leg->size(); ++port) flits += ++rest;
    ++rest;  // the mark before this leg
  }
  return flits;
}

TEST(RandomWorms, HaveOneFateEachAndNoneIsTooEarly) {
  for (std::uint64_t seed = 1; seed <= random_cases(drawn_cases); ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const WormCase given = RandomWorms(seed).make();
    const WormResults results = ReferenceFlits(given).run();
    for (std::size_t w = 0; w < given.plan.size(); ++w) {
      SCOPED_TRACE(::testing::Message() << "worm " << w);
      const Fate& times = results.fates[w].times;
      ASSERT_TRUE(times.departed);
      ASSERT_NE(times.delivered.has_value(), times.lost.has_value());
      ASSERT_EQ(times.lost.has_value(), results.fates[w].why != WormLoss::none);
      if (times.lost) {
        ASSERT_GE(*times.lost, *times.departed);
      } else {
        ASSERT_GE(*times.delivered, given.plan[w].at + least_time(given.parameters, given.plan[w]));
      }
    }
    if (!is_lossless(given, results)) continue;
    std::uint64_t expected = 0, carried = 0;
    for (const PlannedWorm& worm : given.plan) expected += flits_on_all_channels(given.parameters, worm);
    for (const ChannelCounts& channel : results.channels) carried += channel.flits;
    ASSERT_EQ(carried, expected);
  }
}

/// The same case with switches, trunks and hosts counted from the other end.
WormCase backwards(WormCase given) {
  WormGraph& graph = given.graph;
  const auto switches = static_cast<std::uint32_t>(graph.ports.size());
  const auto trunks = static_cast<std::uint32_t>(graph.trunks.size());
  const auto hosts = static_cast<std::uint32_t>(graph.hosts.size());
  std::reverse(graph.ports.begin(), graph.ports.end());
  std::reverse(graph.trunks.begin(), graph.trunks.end());
  std::reverse(graph.hosts.begin(), graph.hosts.end());
  for (auto& [a, b] : graph.trunks) {
    std::swap(a, b);
    a.number = switches - 1 - a.number;
    b.number = switches - 1 - b.number;
  }
  for (WormGraph::At& at : graph.hosts) at.number = switches - 1 - at.number;
  for (PlannedWorm& worm : given.plan) {
    worm.from = hosts - 1 - worm.from;
    if (worm.to != PlannedWorm::anywhere) worm.to = hosts - 1 - worm.to;
  }
  const auto other = [trunks, hosts](std::uint32_t channel) {
    if (channel < 2 * trunks) return 2 * trunks - 1 - channel;
    return 2 * trunks + 2 * (hosts - 1 - (channel / 2 - trunks)) + channel % 2;
  };
  for (Corruption& corruption : given.corruptions) corruption.channel = other(corruption.channel);
  for (ChannelDeath& death : given.deaths) death.channel = other(death.channel);
  for (InterfaceStop& stop : given.stops) stop.host = hosts - 1 - stop.host;
  return given;
}

TEST(ReferenceFlits, DoesNotDependOnTheOrderInWhichItLooksAtItsPartsWithinAnInstant) {
  for (std::uint64_t seed = 1; seed <= random_cases(drawn_cases); ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const WormCase given = RandomWorms(seed).make();
    ASSERT_EQ(ReferenceFlits(backwards(given)).run().fates, ReferenceFlits(given).run().fates);
  }
}

// The cases are worth something only if everything happens in some of them and nothing is the rule; so here
// all are made, with however little effort they are tried.
TEST(RandomWorms, MeetEverythingThatCanHappen) {
  std::map<WormLoss, std::size_t> fates;
  std::size_t sent = 0, found_hosts = 0, came_back = 0, with_turns = 0, with_stops = 0, with_overflow = 0,
              with_crowded_pools = 0, with_one_unit = 0, with_programs = 0, with_interfaces_stops = 0,
              cuts_within_packets = 0;
  for (std::uint64_t seed = 1; seed <= drawn_cases; ++seed) {
    const WormCase given = RandomWorms(seed).make();
    ReferenceFlits reference(given);
    const WormResults results = reference.run();
    cuts_within_packets += reference.cuts().second;
    sent += given.plan.size();
    for (const WormFate& fate : results.fates) ++fates[fate.why];
    for (std::size_t worm = 0; worm < given.plan.size(); ++worm) {
      found_hosts += given.plan[worm].to == PlannedWorm::anywhere && results.fates[worm].times.delivered;
      came_back += given.plan[worm].from == results.delivered_to[worm];
    }
    with_turns += std::any_of(given.plan.begin(), given.plan.end(), [](const PlannedWorm& worm) {
      return std::any_of(worm.legs.front().begin(), worm.legs.front().end(),
                         [](std::uint32_t byte) { return byte >= 128; });
    });
    with_stops += std::any_of(results.channels.begin(), results.channels.end(),
                              [](const ChannelCounts& counts) { return counts.stopped > SimTime(); });
    with_overflow += std::any_of(results.pools.begin(), results.pools.end(),
                                 [](const PoolCounts& counts) { return counts.overflows > 0; });
    with_crowded_pools += std::any_of(results.pools.begin(), results.pools.end(),
                                      [](const PoolCounts& counts) { return counts.most_packets > 1; });
    with_one_unit += given.parameters.one_routing_unit;
    with_programs += given.parameters.program.has_value();
    with_interfaces_stops += !given.stops.empty();
  }
  EXPECT_GT(2 * with_turns, drawn_cases);
  EXPECT_GT(cuts_within_packets, 50u);
  EXPECT_GT(came_back, 50u);
  EXPECT_GT(found_hosts, 50u + came_back);
  EXPECT_GT(10 * fates[WormLoss::none], 6 * sent);
  EXPECT_LT(10 * fates[WormLoss::none], 9 * sent);
  for (int why = 1; why <= static_cast<int>(WormLoss::pool_overflow); ++why)
    EXPECT_GT(fates[WormLoss(why)], 20U) << "loss " << why;
  for (const std::size_t some :
       {with_stops, with_overflow, with_crowded_pools, with_one_unit, with_programs, with_interfaces_stops}) {
    EXPECT_GT(10 * some, drawn_cases);
    EXPECT_LT(10 * some, 9 * drawn_cases);
  }
}

}  // namespace
}  // namespace morgana::testing
