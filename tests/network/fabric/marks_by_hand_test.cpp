#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/network/fabric/parameters.h"
#include "emulator/topology/cabled_graph.h"
#include "emulator/topology/switch_graph.h"
#include "tests/network/fabric/by_hand.h"
#include "tests/network/fabric/fabric_outcome.h"

// Marks where credits stop senders, worked out by hand from docs/fabric.md, "Marks". Links carry a byte in a
// nanosecond and propagate in 10 ns, switches take 100 ns, packets have 1,000 bytes and no gap: a packet that
// starts at a host at b is ready at its switch at b + 110. A packet takes 16 units of 64 bytes: a buffer of
// 1,024 bytes holds one.

namespace morgana::testing {
namespace {

using fabric::FabricParameters;
using fabric::MarkVictims;
using fabric::MarkWhen;
using fabric::Queueing;
using namespace by_hand;
using namespace literals;

/// Marks all packets whose queue holds more, none of the others.
FabricParameters marking(Bytes beyond, MarkWhen when, MarkVictims victims) {
  FabricParameters parameters;
  parameters.queueing = Queueing::output_queues;
  parameters.buffer = parameters.host_buffer = 1'000'000_B;
  parameters.marks = {.from = beyond, .to = beyond, .when = when, .victims = victims};
  return parameters;
}

/// Packets' numbers.
using Numbers = std::vector<std::size_t>;

Numbers marked_packets(const CabledGraph& network, const FabricParameters& parameters,
                       const std::vector<FabricInjection>& plan) {
  const FabricOutcome outcome = carried(network, parameters, plan);
  Numbers all;
  for (std::size_t packet = 0; packet < plan.size(); ++packet) {
    EXPECT_TRUE(outcome.fates[packet].delivered) << packet;
    if (outcome.fates[packet].marked) all.push_back(packet);
  }
  return all;
}

/// Where the packets of a single output wait does not change when they start.
template <typename Check>
void for_each_queueing(FabricParameters parameters, const Check& check) {
  for (const auto& [queueing, output_queue] :
       {std::pair(Queueing::output_queues, 0_B), std::pair(Queueing::virtual_output_queues, 0_B),
        std::pair(Queueing::input_queues, 0_B), std::pair(Queueing::virtual_output_queues, 10'000_B),
        std::pair(Queueing::input_queues, 10'000_B)}) {
    SCOPED_TRACE(::testing::Message()
                 << "queueing " << static_cast<int>(queueing) << ", output queue " << output_queue.count());
    parameters.queueing = queueing;
    parameters.output_queue = output_queue;
    check(parameters);
  }
}

// ---- roots

/// Three packets of each of hosts 0 and 1 to host 2, one after the other.
std::vector<FabricInjection> two_to_one() {
  std::vector<FabricInjection> plan;
  for (int round = 0; round < 3; ++round)
    for (const HostNumber from : {0U, 1U}) plan.push_back(unit(0, from, 2));
  return plan;
}

// Two packets join at 110, 1,110 and 2,110. They find 0 and 1,000 bytes waiting; 1,000 (one of two has
// started) and 2,000; 2,000 and 3,000.
TEST(MarksByHand, TwoInputsOfOneOutputMakeARoot) {
  const auto expect_marked = [](Bytes beyond, const Numbers& packets) {
    for (const MarkVictims victims : {MarkVictims::none, MarkVictims::to_hosts, MarkVictims::all})
      for_each_queueing(marking(beyond, MarkWhen::joining, victims), [&](const FabricParameters& parameters) {
        EXPECT_EQ(marked_packets(star(3), parameters, two_to_one()), packets) << beyond.count();
      });
  };
  expect_marked(999_B, {1, 2, 3, 4, 5});
  expect_marked(1'000_B, {3, 4, 5});
  expect_marked(1'999_B, {3, 4, 5});
  expect_marked(2'000_B, {5});
  expect_marked(3'000_B, {});
}

// They leave one after the other behind them 1,000, 2,000, 3,000, 2,000, 1,000, 0 bytes.
TEST(MarksByHand, RootsMarkPacketsThatLeaveALongQueueBehind) {
  const auto expect_marked = [](Bytes beyond, const Numbers& packets) {
    for (const MarkVictims victims : {MarkVictims::none, MarkVictims::to_hosts, MarkVictims::all})
      for_each_queueing(marking(beyond, MarkWhen::leaving, victims), [&](const FabricParameters& parameters) {
        EXPECT_EQ(marked_packets(star(3), parameters, two_to_one()), packets) << beyond.count();
      });
  };
  expect_marked(999_B, {0, 1, 2, 3, 4});
  expect_marked(1'000_B, {1, 2, 3});
  expect_marked(2'000_B, {2});
  expect_marked(3'000_B, {});
}

// Host 1's link takes 2,000 for a packet: starts at 110, 2,110, 4,110, .... Packets join at 110, 1,110, ...,
// 5,110 and find 0; 0 (packet 0 is being sent); 1; 1 (packet 2); 2 and 3; 3 (and 4) waiting.
TEST(MarksByHand, ASlowLinkMakesARoot) {
  CabledGraph network = star(2);
  network.hosts[1].rate = byte_in_two_ns;
  const std::vector<FabricInjection> plan(6, unit(0, 0, 1));
  for_each_queueing(marking(999_B, MarkWhen::joining, MarkVictims::none), [&](FabricParameters parameters) {
    EXPECT_EQ(marked_packets(network, parameters, plan), (Numbers{2, 3, 4, 5}));
    parameters.marks.from = parameters.marks.to = 1'000_B;
    EXPECT_EQ(marked_packets(network, parameters, plan), (Numbers{4, 5}));
  });
}

// ---- a host that takes packets slowly

/// Takes 2,000 for a packet, one at a time, and has space for one.
FabricParameters slow_hosts(Bytes beyond, MarkWhen when, MarkVictims victims) {
  FabricParameters parameters = marking(beyond, when, victims);
  parameters.host_buffer = 1'024_B;
  parameters.ejection = byte_in_two_ns;
  return parameters;
}

// Starts at 110, 2,130, 4,150, 6,170, ...: 10 after the host has emptied its buffer, which it begins to when
// a head comes, 10 after its start. The channel is busy for 1,000 each time; from 1,110, 3,130 and 5,150 on
// the queue is held back.
TEST(MarksByHand, AHostWithoutSpaceHoldsItsQueueBack) {
  const std::vector<FabricInjection> plan(6, unit(0, 0, 1));
  EXPECT_EQ(starts(carried(star(2), slow_hosts(0_B, MarkWhen::joining, MarkVictims::all), plan), 1),
            (Times{110, 2'130, 4'150, 6'170, 8'190, 10'210}));
  // Packets 2 to 5 join at 2,110 (held back, packet 1 waits), 3,110 (packet 1 is being sent, 2 waits), 4,110
  // (held back, 2 and 3 wait), 5,110 (packet 2 is being sent, 3 and 4 wait).
  const auto joining = [&](Bytes beyond, MarkVictims victims, const Numbers& packets) {
    for_each_queueing(slow_hosts(beyond, MarkWhen::joining, victims),
                      [&](const FabricParameters& parameters) {
                        EXPECT_EQ(marked_packets(star(2), parameters, plan), packets);
                      });
  };
  joining(999_B, MarkVictims::none, {3, 5});
  joining(999_B, MarkVictims::to_hosts, {2, 3, 4, 5});
  joining(999_B, MarkVictims::all, {2, 3, 4, 5});
  joining(1'000_B, MarkVictims::none, {5});
  joining(1'000_B, MarkVictims::to_hosts, {4, 5});
  joining(2'000_B, MarkVictims::all, {});
}

// Packets 0 to 5 leave 0, 1,000 (packet 2), 2,000 (3 and 4; 5 comes later), 2,000 (4 and 5), 1,000 and 0
// bytes behind. All but the first have waited for credits.
TEST(MarksByHand, APacketThatHasWaitedForCreditsLeavesAsAVictim) {
  const std::vector<FabricInjection> plan(6, unit(0, 0, 1));
  const auto leaving = [&](Bytes beyond, MarkVictims victims, const Numbers& packets) {
    for_each_queueing(slow_hosts(beyond, MarkWhen::leaving, victims),
                      [&](const FabricParameters& parameters) {
                        EXPECT_EQ(marked_packets(star(2), parameters, plan), packets);
                      });
  };
  leaving(999_B, MarkVictims::none, {});
  leaving(999_B, MarkVictims::to_hosts, {1, 2, 3, 4});
  leaving(1'000_B, MarkVictims::all, {2, 3});
  leaving(2'000_B, MarkVictims::all, {});
}

// Packets 0 and 1 are ready at 110, 2 and 3 at 1,110. At 1,110 the channel has become free, and packet 1
// lacks credits: the queue is held back when the switch looks at the output, and 2 and 3 have joined before.
// 4 and 5 join at 2,110. Packet 1 starts at 2,130; until then the queue is held back for host 3's packet too.
TEST(MarksByHand, AQueueIsHeldBackFromALookAtItsOutputUntilAStart) {
  std::vector<FabricInjection> plan = two_to_one();
  plan.push_back(unit(2'020, 3, 2));
  for_each_queueing(slow_hosts(999_B, MarkWhen::joining, MarkVictims::none),
                    [&](const FabricParameters& parameters) {
                      plan.back().at = 2'020_ns;
                      EXPECT_EQ(marked_packets(star(4), parameters, plan), (Numbers{1, 2, 3}));
                      plan.back().at = 2'021_ns;
                      EXPECT_EQ(marked_packets(star(4), parameters, plan), (Numbers{1, 2, 3, 6}));
                    });
}

// Class 0: packets 0, 1 and 2 of host 0 are ready at 110, 1,110 and 2,110; from 1,110 on packet 1 waits for
// credits. Class 1, which has them: packets 3 and 4 of hosts 1 and 3 are ready at 1,510; packet 3 is sent
// from then until 2,510. So packet 2 joins while the channel is busy, but before packet 1 has started. Packet
// 4 joins a queue of 1,000 bytes that is not held back.
TEST(MarksByHand, AQueueStaysHeldBackWhileAnotherClassSends) {
  const std::vector<FabricInjection> plan{unit(0, 0, 2), unit(0, 0, 2), unit(0, 0, 2), unit(1'400, 1, 2, 1),
                                          unit(1'400, 3, 2, 1)};
  FabricParameters parameters = slow_hosts(999_B, MarkWhen::joining, MarkVictims::none);
  parameters.classes = 2;
  EXPECT_EQ(starts(carried(star(4), parameters, plan), 1)[3], 1'510);
  EXPECT_EQ(marked_packets(star(4), parameters, plan), (Numbers{4}));
  parameters.marks.victims = MarkVictims::to_hosts;
  EXPECT_EQ(marked_packets(star(4), parameters, plan), (Numbers{2, 4}));
}

// Host 3's packet 0 fills host 2's buffer until 2,130. Host 0's packet 3 for host 2 is ready at 2,110, behind
// packet 2, which waits for host 1's buffer until 2,130. With input queues it could not start even if it had
// credits: when packet 4 joins at 2,120, it finds 1,000 bytes in a queue that is not held back. With virtual
// output queues packet 3 is the first of its queue.
TEST(MarksByHand, APacketBehindAnotherOneHoldsNoQueueBack) {
  const std::vector<FabricInjection> plan{unit(0, 3, 2), unit(0, 0, 1), unit(0, 0, 1), unit(0, 0, 2),
                                          unit(2'010, 3, 2)};
  FabricParameters parameters = slow_hosts(999_B, MarkWhen::joining, MarkVictims::none);
  parameters.queueing = Queueing::input_queues;
  EXPECT_EQ(marked_packets(star(4), parameters, plan), (Numbers{4}));
  parameters.queueing = Queueing::virtual_output_queues;
  EXPECT_EQ(marked_packets(star(4), parameters, plan), Numbers());
}

// ---- a victim upstream of a root

/// Host 0 - switch - switch - host 1, whose link takes 2,000 for a packet. Switches have space for three.
class VictimUpstream : public ::testing::Test {
 protected:
  static FabricParameters parameters(Bytes beyond, MarkWhen when, MarkVictims victims) {
    FabricParameters parameters = marking(beyond, when, victims);
    parameters.buffer = 3 * 1'024_B;
    return parameters;
  }
  Numbers marked(Bytes beyond, MarkWhen when, MarkVictims victims) const {
    return marked_packets(network(), parameters(beyond, when, victims), plan_);
  }
  static CabledGraph network() {
    CabledGraph network = line();
    network.hosts[1].rate = byte_in_two_ns;
    return network;
  }
  const std::vector<FabricInjection> plan_ = std::vector<FabricInjection>(11, unit(0, 0, 1));
};

// On the slow link from 220 on, without a pause. A packet's space at the second switch is free when it has
// been sent there, and its credit is back 10 later: with packet 0's, of 2,230, packet 3 could start on the
// trunk, but its head comes at 3,110; packet 1's lets packet 4 start at 4,230, and so on.
TEST_F(VictimUpstream, HasSpaceEveryTwoMicroseconds) {
  const FabricOutcome tight = carried(network(), parameters(0_B, MarkWhen::joining, MarkVictims::all), plan_);
  EXPECT_EQ(starts(tight, 0),
            (Times{0, 1'000, 2'000, 3'000, 4'000, 5'000, 6'000, 7'000, 8'000, 9'240, 11'240}));
  EXPECT_EQ(starts(tight, 1),
            (Times{110, 1'110, 2'110, 3'110, 4'230, 6'230, 8'230, 10'230, 12'230, 14'230, 16'230}));
  EXPECT_EQ(starts(tight, 2),
            (Times{220, 2'220, 4'220, 6'220, 8'220, 10'220, 12'220, 14'220, 16'220, 18'220, 20'220}));
}

// At the second switch, the root, each packet from packet 2 on finds one waiting. At the first one packets 6
// and 7 join at 6,110 and 7,110 and find one waiting, 8, 9 and 10 at 8,110, 9,350 and 11,350 and find two.
// The trunk is busy for 1,000 after each start, and but for 7,110 the queue is held back at these times.
TEST_F(VictimUpstream, IsMarkedIfVictimsAreMarkedEverywhere) {
  for (const MarkVictims victims : {MarkVictims::none, MarkVictims::to_hosts, MarkVictims::all})
    EXPECT_EQ(marked(999_B, MarkWhen::joining, victims), (Numbers{2, 3, 4, 5, 6, 7, 8, 9, 10}));
  EXPECT_EQ(marked(1'000_B, MarkWhen::joining, MarkVictims::none), Numbers());
  EXPECT_EQ(marked(1'000_B, MarkWhen::joining, MarkVictims::to_hosts), Numbers());
  EXPECT_EQ(marked(1'000_B, MarkWhen::joining, MarkVictims::all), (Numbers{8, 9, 10}));
  EXPECT_EQ(marked(2'000_B, MarkWhen::joining, MarkVictims::all), Numbers());
}

// The root: packets 1 to 9 leave one behind. The first switch: packet 5 leaves one behind at 6,230, packets
// 6 to 8 two, packet 9 one.
TEST_F(VictimUpstream, IsMarkedOnLeavingIfVictimsAreMarkedEverywhere) {
  for (const MarkVictims victims : {MarkVictims::none, MarkVictims::to_hosts, MarkVictims::all})
    EXPECT_EQ(marked(999_B, MarkWhen::leaving, victims), (Numbers{1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(marked(1'000_B, MarkWhen::leaving, MarkVictims::none), Numbers());
  EXPECT_EQ(marked(1'000_B, MarkWhen::leaving, MarkVictims::to_hosts), Numbers());
  EXPECT_EQ(marked(1'000_B, MarkWhen::leaving, MarkVictims::all), (Numbers{6, 7, 8}));
  EXPECT_EQ(marked(2'000_B, MarkWhen::leaving, MarkVictims::all), Numbers());
}

// A bound between: the share of packets that are marked grows from 0 at `from` to `share` at `to`. With
// `share` 0 those in between are not, and `to` itself is still not beyond.
TEST_F(VictimUpstream, IsNotMarkedBetweenTheBoundsWithAShareOfZero) {
  FabricParameters gradual = parameters(1'999_B, MarkWhen::joining, MarkVictims::all);
  gradual.marks.from = 500_B;
  gradual.marks.share = 0;
  EXPECT_EQ(marked_packets(network(), gradual, plan_), (Numbers{8, 9, 10}));
  gradual.marks.to = 2'000_B;
  EXPECT_EQ(marked_packets(network(), gradual, plan_), Numbers());
}

}  // namespace
}  // namespace morgana::testing
