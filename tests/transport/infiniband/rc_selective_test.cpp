// Selective repeat of reliable connections: IRN's loss recovery (Mittal et al., SIGCOMM 2018, section 3.1).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "emulator/core/random.h"
#include "emulator/transport/infiniband/reliable_connections.h"
#include "tests/transport/infiniband/rc_dispatch.h"
#include "tests/transport/infiniband/reference_rc.h"
#include "tests/transport/lossy_network.h"

namespace morgana::testing {
namespace {

/// Packets of 256 B, 1 ns a byte, 1 us from port to port: a whole packet takes 272 ns.
struct Selective {
  RcParameters parameters;
  EventQueue events;
  /// Of the units that each host sends, from 0: those that are lost.
  std::set<std::uint64_t> lost_forth, lost_back;
  std::vector<std::int64_t> sizes_back;
  LossyNetwork network{events, 2, [this](const Unit& unit, std::uint64_t ordinal) {
                         const bool forth = unit.from == PortId{0};
                         if (!forth) sizes_back.push_back(unit.size.count());
                         return (forth ? lost_forth : lost_back).contains(ordinal);
                       }};
  RcCounters counters;
  std::vector<std::size_t> order;

  Selective() {
    network.largest = Bytes(4'300);
    parameters.path_mtu = Bytes(256);
    parameters.timeout = 8;  // 1.05 ms
    parameters.early = RcParameters::Early::selective;
  }
  std::vector<RcFate> run(const std::vector<RcPlanned>& plan) {
    ReliableConnections transport(events, network, 2, parameters);
    RcDispatch dispatch(events, transport);
    const std::vector<RcFate> fates = dispatch.run(plan);
    counters = transport.counters();
    order = dispatch.order;
    return fates;
  }
};

constexpr std::int64_t whole_packet = 256;

// Packet 2 of 20 is lost. It would have left at 3 * 272 ns and 16 (RETH of the first); packet 3 leaves 272
// ns later, comes after 1 us, and its NAK (16 B, AETH 4, 4 for the selective acknowledgement) 1.024 us after
// that: at 3128 ns. By then 11 packets have left (11 * 272 + 16 = 3008), and the 12th until 3280, behind
// which the repeated one goes. The last packet leaves after 21 packets: 5728 ns, in the receiver's memory at
// 6728.
TEST(SelectiveRepeat, RepeatsOnlyWhatIsLost) {
  Selective bench;
  bench.lost_forth = {2};
  const auto fates = bench.run({{0, 0, 1, 20 * whole_packet, Verb::write}});
  EXPECT_EQ(fates[0].delivered, 6'728'000);
  EXPECT_EQ(bench.counters.requests, 20u);
  EXPECT_EQ(bench.counters.repeated, 1u);
  EXPECT_EQ(bench.counters.timeouts, 0u);
  EXPECT_EQ(bench.counters.kept, 9u);             // 3 to 11, which left before the repeated one
  EXPECT_EQ(bench.counters.sequence_errors, 9u);  // one for each
  EXPECT_EQ(bench.sizes_back.front(), 16 + 4 + 4);
  // The repeated one is acknowledged with all that it lets in, and the last one.
  EXPECT_EQ(bench.counters.acknowledgements, 2u);
}

TEST(SelectiveRepeat, RepeatsEachHoleOnce) {
  Selective bench;
  bench.lost_forth = {1, 4, 5, 9, 25};  // the last one after those that are repeated
  const auto fates =
      bench.run({{0, 0, 1, 20 * whole_packet, Verb::write}, {0, 0, 1, 40 * whole_packet, Verb::send}});
  EXPECT_EQ(bench.counters.repeated, 5u);
  EXPECT_EQ(bench.counters.timeouts, 0u);
  EXPECT_EQ(bench.network.injected(0), 65u);
  EXPECT_EQ(bench.order, (std::vector<std::size_t>{0, 1}));
  EXPECT_TRUE(fates[0].delivered && fates[1].delivered);
}

// Where go-back-N repeats all that follows: the NAK finds 9 more packets sent.
TEST(SelectiveRepeat, RepeatsLessThanGoBackN) {
  Selective bench;
  bench.parameters.early = RcParameters::Early::refused;
  bench.lost_forth = {2};
  bench.run({{0, 0, 1, 20 * whole_packet, Verb::write}});
  EXPECT_EQ(bench.counters.repeated, 10u);
}

// Nothing comes after the last packet, so that only the timeout tells. It runs from the last departure, 20 *
// 272 + 16 ns. No other packet has asked for an acknowledgement: the oldest is repeated, and answered for the
// 19 that have come, 288 + 1000 + 20 + 1000 ns later. The repeated last packet takes 272 and 1000 ns.
TEST(SelectiveRepeat, RepeatsTheLastPacketAfterTheTimeout) {
  Selective bench;
  bench.lost_forth = {19};
  const auto fates = bench.run({{0, 0, 1, 20 * whole_packet, Verb::write}});
  EXPECT_EQ(fates[0].delivered, 5'456'000 + 4'096'000 * 256 + 2'308'000 + 1'272'000);
  EXPECT_EQ(bench.counters.repeated, 2u);
  EXPECT_EQ(bench.counters.timeouts, 1u);
}

// The last four are lost: after the timeout a partial acknowledgement for each says that the next is, too.
TEST(SelectiveRepeat, GoesOnWithPartialAcknowledgements) {
  Selective bench;
  bench.lost_forth = {16, 17, 18, 19};
  const auto fates = bench.run({{0, 0, 1, 20 * whole_packet, Verb::write}});
  EXPECT_EQ(bench.counters.repeated, 5u);  // with the oldest
  EXPECT_EQ(bench.counters.timeouts, 1u);
  // Three round trips of 272 + 1000 + 20 + 1000 ns more than above.
  EXPECT_EQ(fates[0].delivered, 5'456'000 + 4'096'000 * 256 + 2'308'000 + 3 * 2'292'000 + 1'272'000);
}

// RTO_low, 131.072 us, holds while at most 3 packets are under way: not for four.
TEST(SelectiveRepeat, WaitsLessForFewPackets) {
  Selective bench;
  bench.parameters.low_timeout = 5;
  bench.lost_forth = {2};
  const auto few = bench.run({{0, 0, 1, 3 * whole_packet, Verb::write}});
  EXPECT_EQ(few[0].delivered, 3 * 272'000 + 16'000 + 4'096'000 * 32 + 2'308'000 + 1'272'000);
  Selective four;
  four.parameters.low_timeout = 5;
  four.lost_forth = {3};
  const auto more = four.run({{0, 0, 1, 4 * whole_packet, Verb::write}});
  EXPECT_EQ(more[0].delivered, 4 * 272'000 + 16'000 + 4'096'000 * 256 + 2'308'000 + 1'272'000);
}

// The repeated packet is lost, too. The timeout runs from the NAK on, when nine more had left; when RTO_low
// is over two are under way.
TEST(SelectiveRepeat, AsksForFewPacketsWhenTheLowTimeoutHasRunOut) {
  Selective bench;
  bench.parameters.low_timeout = 5;
  bench.parameters.acknowledge_every = 1;
  bench.lost_forth = {2, 12};
  const auto fates = bench.run({{0, 0, 1, 20 * whole_packet, Verb::write}});
  EXPECT_EQ(bench.counters.timeouts, 1u);
  ASSERT_TRUE(fates[0].delivered);
  EXPECT_LT(*fates[0].delivered, 2 * 4'096'000 * 32);
}

// The only acknowledgement is lost: the oldest packet comes again, and is answered for all.
TEST(SelectiveRepeat, RepeatsOnePacketForALostAcknowledgement) {
  Selective bench;
  bench.lost_back = {0};
  bench.run({{0, 0, 1, 20 * whole_packet, Verb::write}});
  EXPECT_EQ(bench.counters.repeated, 1u);
  EXPECT_EQ(bench.counters.timeouts, 1u);
}

// The repeated packet, the 13th that leaves, is lost as well.
TEST(SelectiveRepeat, RepeatsAgainWhatWasRepeatedInVain) {
  Selective bench;
  bench.lost_forth = {2, 12};
  const auto fates = bench.run({{0, 0, 1, 20 * whole_packet, Verb::write}});
  EXPECT_TRUE(fates[0].delivered);
  EXPECT_EQ(bench.counters.repeated, 2u);
  EXPECT_EQ(bench.counters.timeouts, 1u);
}

// Of a read's 20 responses the 3rd, 8th and 9th are lost: two holes, a read request for each, and three
// responses more.
TEST(SelectiveRepeat, ReadsOnlyMissingResponsesAgain) {
  Selective bench;
  bench.lost_back = {2, 7, 8};
  const auto fates =
      bench.run({{0, 0, 1, 20 * whole_packet, Verb::read}, {0, 0, 1, whole_packet, Verb::write}});
  EXPECT_TRUE(fates[0].delivered && fates[1].delivered);
  EXPECT_EQ(bench.counters.requests, 2u);
  EXPECT_EQ(bench.counters.repeated, 2u);
  EXPECT_EQ(bench.counters.read_responses, 23u);
  EXPECT_EQ(bench.counters.repeated_responses, 3u);
  EXPECT_EQ(bench.counters.timeouts, 0u);
}

// The last response is lost, and an acknowledgement of what follows says so.
TEST(SelectiveRepeat, LearnsOfTheLastResponseFromAnAcknowledgement) {
  Selective bench;
  bench.lost_back = {19};
  bench.run({{0, 0, 1, 20 * whole_packet, Verb::read}, {0, 0, 1, whole_packet, Verb::write}});
  EXPECT_EQ(bench.counters.repeated, 1u);
  EXPECT_EQ(bench.counters.read_responses, 21u);
  EXPECT_EQ(bench.counters.timeouts, 0u);
}

// A read request is lost among writes; the responder keeps what follows and the read comes in its place.
TEST(SelectiveRepeat, RepeatsALostReadRequest) {
  Selective bench;
  bench.lost_forth = {1};
  bench.run({{0, 0, 1, whole_packet, Verb::write},
             {0, 0, 1, 5 * whole_packet, Verb::read},
             {0, 0, 1, 6 * whole_packet, Verb::write}});
  EXPECT_EQ(bench.counters.repeated, 1u);
  EXPECT_EQ(bench.counters.read_responses, 5u);
  EXPECT_EQ(bench.counters.repeated_responses, 0u);
  EXPECT_EQ(bench.counters.timeouts, 0u);
}

// Without a receive nothing that was kept stays, and all is sent again from the message on.
TEST(SelectiveRepeat, EndsWithAReceiverThatIsNotReady) {
  Selective bench;
  bench.parameters.receives = 1;
  bench.parameters.repost = SimTime::from_ps(50'000'000);
  bench.parameters.rnr_timer = SimTime::from_ps(20'000'000);
  bench.lost_forth = {2, 9};
  std::vector<RcPlanned> plan;
  for (int n = 0; n < 6; ++n) plan.push_back({0, 0, 1, 4 * whole_packet, Verb::send});
  const auto fates = bench.run(plan);
  for (const RcFate& fate : fates) EXPECT_TRUE(fate.delivered && !fate.returned);
  EXPECT_EQ(bench.order, (std::vector<std::size_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_GT(bench.counters.not_ready, 0u);
}

TEST(SelectiveRepeat, FailsAfterTheRetries) {
  Selective bench;
  bench.parameters.retry_count = 2;
  for (std::uint64_t n = 1; n < 100; ++n) bench.lost_forth.insert(n);
  const auto fates = bench.run({{0, 0, 1, 5 * whole_packet, Verb::write}});
  EXPECT_TRUE(fates[0].returned && !fates[0].delivered);
  EXPECT_EQ(bench.counters.timeouts, 3u);
  EXPECT_EQ(bench.counters.failed, 1u);
}

// 60 packets have left (16.3 us) before the first NAK can be back (40 us), so that the first 60 units are
// those that are sent for the first time. Any of them but the last are lost. Each early packet is answered at
// once, and tells of the hole before it, whose packets are repeated one after the other.
TEST(SelectiveRepeat, RepeatsEveryHoleWhenItsNakComes) {
  constexpr std::int64_t packets = 60, apart = 272'000, way = 20'000'000, nak = 24'000;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    RandomStream random(seed, "holes");
    Selective bench;
    bench.network.latency = [](PortId, PortId) { return SimTime::from_ps(way); };
    const std::uint64_t one_in = 2 + random.below(10);
    for (std::uint64_t n = 0; n + 1 < packets; ++n)
      if (random.below(one_in) == 0) bench.lost_forth.insert(n);
    std::int64_t free = 16'000 + packets * apart, hole = 0;
    for (std::int64_t n = 0; n < packets; ++n) {
      const std::int64_t nak_comes = 16'000 + (n + 1) * apart + way + nak + way;
      if (bench.lost_forth.contains(static_cast<std::uint64_t>(n))) {
        ++hole;
      } else if (hole > 0) {
        const bool has_first = n == hole && bench.lost_forth.contains(0);  // with its RETH
        free = std::max(free, nak_comes) + hole * apart + (has_first ? 16'000 : 0);
        hole = 0;
      }
    }
    const auto lost = static_cast<std::uint64_t>(bench.lost_forth.size());
    const auto fates = bench.run({{0, 0, 1, packets * whole_packet, Verb::write}});
    EXPECT_EQ(fates[0].delivered, free + way) << seed;
    EXPECT_EQ(bench.counters.repeated, lost);
    EXPECT_EQ(bench.counters.timeouts, 0u);
  }
}

// Likewise of a read's responses: one request for each hole.
TEST(SelectiveRepeat, ReadsEveryHoleAgain) {
  constexpr std::uint64_t packets = 60;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    RandomStream random(seed, "holes of a read");
    Selective bench;
    bench.network.latency = [](PortId, PortId) { return SimTime::from_ps(20'000'000); };
    std::uint64_t holes = 0;
    for (std::uint64_t n = 0; n + 1 < packets; ++n) {
      if (random.below(4) != 0) continue;
      holes += n == 0 || !bench.lost_back.contains(n - 1) ? 1 : 0;
      bench.lost_back.insert(n);
    }
    const auto fates = bench.run({{0, 0, 1, static_cast<std::int64_t>(packets) * whole_packet, Verb::read}});
    EXPECT_TRUE(fates[0].delivered);
    EXPECT_EQ(bench.counters.repeated, holes) << seed;
    EXPECT_EQ(bench.counters.read_responses, packets + bench.lost_back.size()) << seed;
    EXPECT_EQ(bench.counters.repeated_responses, bench.lost_back.size()) << seed;
    EXPECT_EQ(bench.counters.timeouts, 0u);
  }
}

std::vector<RcPlanned> plan_of_verbs(std::uint64_t seed) {
  RandomStream random(seed, "selective repeat");
  std::vector<RcPlanned> plan;
  std::int64_t at = 0;
  for (int n = 0; n < 40; ++n) {
    at += static_cast<std::int64_t>(random.below(8'000'000));
    const auto from = static_cast<std::uint32_t>(random.below(2));
    constexpr Verb verbs[]{Verb::send, Verb::write, Verb::write_immediate, Verb::read};
    plan.push_back(
        {at, from, 1 - from, static_cast<std::int64_t>(random.below(8'000)), verbs[random.below(4)]});
  }
  return plan;
}

/// One unit in `lost_one_in` is lost, and each takes up to `spread` us longer.
struct Tried {
  std::vector<RcFate> fates;
  RcCounters counters;
  std::uint64_t lost = 0;
};
Tried tried(const std::vector<RcPlanned>& plan, std::uint64_t seed, RcParameters::Early early,
            std::uint64_t lost_one_in, std::uint64_t spread_us, std::int64_t receives = 0) {
  EventQueue events;
  RandomStream random(seed, "losses");
  LossyNetwork network(events, 2, [&](const Unit&, std::uint64_t) {
    return lost_one_in > 0 && random.below(lost_one_in) == 0;
  });
  network.latency = [&](PortId, PortId) {
    return SimTime::from_ps(1'000'000 + static_cast<std::int64_t>(random.below(spread_us * 1'000'000 + 1)));
  };
  network.largest = Bytes(4'300);
  RcParameters parameters;
  parameters.path_mtu = Bytes(256);
  parameters.timeout = 8;
  parameters.receives = receives;
  parameters.rnr_timer = SimTime::from_ps(5'000'000);
  parameters.repost = SimTime::from_ps(3'000'000);
  parameters.early = early;
  ReliableConnections transport(events, network, 2, parameters);
  RcDispatch dispatch(events, transport);
  Tried result{dispatch.run(plan), transport.counters(), network.lost()};
  // Messages of a direction are delivered in order; reads are delivered to the requester.
  for (std::uint32_t from = 0; from < 2; ++from) {
    std::size_t last = 0;
    for (const std::size_t message : dispatch.order) {
      if (plan[message].from != from || plan[message].verb == Verb::read) continue;
      EXPECT_GE(message, last);
      last = message;
    }
  }
  return result;
}

// RcDispatch fails the test on anything that is delivered twice.
TEST(SelectiveRepeat, DeliversAllInOrderOverAnyNetwork) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Tried run = tried(plan_of_verbs(seed), seed, RcParameters::Early::selective, 10 + seed % 40,
                            seed % 3 == 0 ? 20 : 0, seed % 2 == 0 ? 0 : 2);
    for (const RcFate& fate : run.fates) EXPECT_TRUE(fate.delivered && !fate.returned) << seed;
  }
}

// In a network that keeps order a packet is repeated only for one that was lost, of its own or of its
// answers.
TEST(SelectiveRepeat, RepeatsNoMoreThanIsLost) {
  std::uint64_t repeated = 0, repeated_by_going_back = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto plan = plan_of_verbs(seed);
    const Tried run = tried(plan, seed, RcParameters::Early::selective, 20, 0);
    EXPECT_LE(run.counters.repeated, run.lost + run.counters.timeouts) << seed;
    repeated += run.counters.repeated;
    repeated_by_going_back += tried(plan, seed, RcParameters::Early::refused, 20, 0).counters.repeated;
  }
  EXPECT_GT(repeated, 1'000u);
  EXPECT_GT(repeated_by_going_back, 2 * repeated);
}

TEST(SelectiveRepeat, IsGoBackNWithoutLosses) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto plan = plan_of_verbs(seed);
    EXPECT_EQ(tried(plan, seed, RcParameters::Early::selective, 0, 0).fates,
              tried(plan, seed, RcParameters::Early::refused, 0, 0).fates);
  }
}

}  // namespace
}  // namespace morgana::testing
