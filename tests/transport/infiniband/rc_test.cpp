#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/core/random.h"
#include "emulator/transport/infiniband/reliable_connections.h"
#include "tests/transport/infiniband/rc_dispatch.h"
#include "tests/transport/infiniband/reference_rc.h"
#include "tests/transport/lossy_network.h"

namespace morgana::testing::rc_tests {
namespace {

// Over LossyNetwork: 1 ns a byte and 1 us of latency. All times in ps.
constexpr std::int64_t ns = 1'000, us = 1'000'000, latency = us;
constexpr std::int64_t ack = (16 + 4) * ns;  // BTH, ICRC, AETH

RcParameters small_mtu() {
  RcParameters parameters;
  parameters.path_mtu = Bytes(256);
  parameters.timeout = 4;  // 65.536 us
  return parameters;
}
constexpr std::int64_t patience = 65'536 * ns;

struct RcRun {
  std::vector<RcFate> fates;
  RcCounters counters;
  std::vector<std::size_t> order;
  std::string how_lost;
  std::vector<std::int64_t> sizes;  // of the packets of all ports, in the order of injection
};

RcRun run_rc(const std::vector<RcPlanned>& plan, const RcParameters& parameters = small_mtu(),
             LossyNetwork::Script script = nullptr) {
  EventQueue events;
  std::vector<std::int64_t> sizes;
  LossyNetwork network(events, 4, [&](const Unit& unit, std::uint64_t ordinal) {
    sizes.push_back(unit.size.count());
    return script && script(unit, ordinal);
  });
  network.largest = Bytes(4300);
  ReliableConnections transport(events, network, 4, parameters);
  RcDispatch dispatch(events, transport);
  const std::vector<RcFate> fates = dispatch.run(plan);
  return {fates, transport.counters(), dispatch.order, transport.how_lost(), sizes};
}

/// The n-th packet of a port is lost.
LossyNetwork::Script loses(std::uint32_t port, std::uint64_t which) {
  return [port, which](const Unit& unit, std::uint64_t ordinal) {
    return unit.from == PortId{port} && ordinal == which;
  };
}

// ---- headers

TEST(ReliableConnections, ASendHasBthAndIcrcAndIsPadded) {
  EXPECT_EQ(run_rc({{0, 0, 1, 0}}).sizes, (std::vector<std::int64_t>{16, 20}));
  EXPECT_EQ(run_rc({{0, 0, 1, 1}}).sizes, (std::vector<std::int64_t>{20, 20}));
  EXPECT_EQ(run_rc({{0, 0, 1, 257}}).sizes, (std::vector<std::int64_t>{272, 20, 20}));
}

TEST(ReliableConnections, TheFirstPacketOfAWriteHasReth) {
  EXPECT_EQ(run_rc({{0, 0, 1, 600, Verb::write}}).sizes,
            (std::vector<std::int64_t>{16 + 16 + 256, 16 + 256, 16 + 88, 20}));
}

TEST(ReliableConnections, TheLastPacketOfAWriteWithImmediateHasImmDt) {
  EXPECT_EQ(run_rc({{0, 0, 1, 600, Verb::write_immediate}}).sizes,
            (std::vector<std::int64_t>{16 + 16 + 256, 16 + 256, 16 + 4 + 88, 20}));
  EXPECT_EQ(run_rc({{0, 0, 1, 8, Verb::write_immediate}}).sizes,
            (std::vector<std::int64_t>{16 + 16 + 4 + 8, 20}));
}

TEST(ReliableConnections, FirstAndLastReadResponsesHaveAeth) {
  EXPECT_EQ(run_rc({{0, 0, 1, 600, Verb::read}}).sizes,
            (std::vector<std::int64_t>{16 + 16, 16 + 4 + 256, 16 + 256, 16 + 4 + 88}));
  EXPECT_EQ(run_rc({{0, 0, 1, 8, Verb::read}}).sizes, (std::vector<std::int64_t>{32, 28}));
}

TEST(ReliableConnections, TheGlobalHeaderIsInEveryPacket) {
  RcParameters parameters = small_mtu();
  parameters.global_header = Bytes(40);
  EXPECT_EQ(run_rc({{0, 0, 1, 0}}, parameters).sizes, (std::vector<std::int64_t>{56, 60}));
}

// ---- times

TEST(ReliableConnections, ASendIsDeliveredWithItsLastPacketAndCompleteWithItsAcknowledgement) {
  const RcRun run = run_rc({{0, 0, 1, 256, Verb::send, 0, true}});
  EXPECT_EQ(run.fates[0], (RcFate{272 * ns, 272 * ns + latency, 272 * ns + 2 * latency + ack, {}}));
}

TEST(ReliableConnections, AReadGoesThereAndComesBack) {
  const RcRun run = run_rc({{0, 0, 1, 512, Verb::read}});
  EXPECT_EQ(run.fates[0], (RcFate{32 * ns, 32 * ns + latency + 2 * 276 * ns + latency, {}, {}}));
}

TEST(ReliableConnections, TheNicTakesItsTimes) {
  RcParameters parameters = small_mtu();
  parameters.post_latency = SimTime::from_ps(100 * ns);
  parameters.fetch_latency = SimTime::from_ps(200 * ns);
  parameters.delivery_latency = SimTime::from_ps(50 * ns);
  parameters.completion_latency = SimTime::from_ps(30 * ns);
  parameters.inline_limit = Bytes(8);
  EXPECT_EQ(run_rc({{0, 0, 1, 8}}, parameters).fates[0].departed, (100 + 24) * ns);
  EXPECT_EQ(run_rc({{0, 0, 1, 12}}, parameters).fates[0].departed, (300 + 28) * ns);
  EXPECT_EQ(run_rc({{0, 0, 1, 8}}, parameters).fates[0].delivered, (100 + 24 + 80) * ns + latency);
  EXPECT_EQ(run_rc({{0, 0, 1, 8, Verb::write}}, parameters).fates[0].delivered,
            (100 + 40 + 50) * ns + latency);
  EXPECT_EQ(run_rc({{0, 0, 1, 8, Verb::read}}, parameters).fates[0].delivered,
            (100 + 32 + 200 + 28 + 80) * ns + 2 * latency);
}

TEST(ReliableConnections, FirstPacketsAreFetchedAndLastOnesStoredInFull) {
  RcParameters parameters = small_mtu();
  parameters.fetch_per_byte = ByteCost::from_fs(2'000'000);
  parameters.delivery_per_byte = ByteCost::from_fs(3'000'000);
  EXPECT_EQ(run_rc({{0, 0, 1, 100}}, parameters).fates[0].departed, (200 + 116) * ns);
  EXPECT_EQ(run_rc({{0, 0, 1, 1000}}, parameters).fates[0].departed, (512 + 3 * 272 + 248) * ns);
  EXPECT_EQ(run_rc({{0, 0, 1, 100}}, parameters).fates[0].delivered, (200 + 116 + 300) * ns + latency);
  // The last packet, of 4 B, stays behind the one before it, of 256 B.
  EXPECT_EQ(run_rc({{0, 0, 1, 260}}, parameters).fates[0].delivered, (512 + 272 + 3 * 256) * ns + latency);
  EXPECT_EQ(run_rc({{0, 0, 1, 512, Verb::read}}, parameters).fates[0].delivered,
            (32 + 512 + 2 * 276 + 3 * 256) * ns + 2 * latency);
}

TEST(ReliableConnections, AnInlineSendStaysBehindWhatIsFetched) {
  RcParameters parameters = small_mtu();
  parameters.fetch_latency = SimTime::from_ps(200 * ns);
  parameters.inline_limit = Bytes(8);
  const RcRun run = run_rc({{0, 0, 1, 12}, {1, 0, 1, 8}}, parameters);
  EXPECT_EQ(run.fates[0].departed, (200 + 28) * ns);
  EXPECT_EQ(run.fates[1].departed, (200 + 28 + 24) * ns);
  // Of another process it does not.
  EXPECT_EQ(run_rc({{0, 0, 1, 12}, {1, 0, 1, 8, Verb::send, 1}}, parameters).fates[1].departed, 24 * ns + 1);
}

TEST(ReliableConnections, ANicTakesOneWorkRequestAGap) {
  RcParameters parameters = small_mtu();
  parameters.message_gap = SimTime::from_ps(100 * ns);
  std::vector<RcPlanned> plan;
  for (std::uint64_t i = 0; i < 10; ++i) plan.push_back({0, 0, 1, 8, Verb::send, i});
  EXPECT_EQ(run_rc(plan, parameters).fates[9].departed, (900 + 24) * ns);
}

TEST(ReliableConnections, QueuePairsTakeTurnsAtThePort) {
  const RcRun run = run_rc({{0, 0, 1, 3 * 256}, {0, 0, 1, 256, Verb::send, 1}});
  EXPECT_EQ(run.fates[1].departed, 2 * 272 * ns);
  EXPECT_EQ(run.fates[0].departed, 4 * 272 * ns);
}

TEST(ReliableConnections, WithoutAcknowledgementsInBetweenOnlyTheLastPacketAsks) {
  EXPECT_EQ(run_rc({{0, 0, 1, 64 * 256}}).counters.acknowledgements, 1u);
  RcParameters parameters = small_mtu();
  parameters.acknowledge_every = 16;
  EXPECT_EQ(run_rc({{0, 0, 1, 64 * 256}}, parameters).counters.acknowledgements, 4u);
  parameters.acknowledge_every = 1;
  EXPECT_EQ(run_rc({{0, 0, 1, 64 * 256}}, parameters).counters.acknowledgements, 64u);
}

TEST(ReliableConnections, AcknowledgementsThatWaitAtThePortAreOne) {
  RcParameters parameters = small_mtu();
  parameters.path_mtu = Bytes(4096);
  // Host 1 begins a packet of 4,112 ns before those of host 0 arrive.
  const RcRun run = run_rc({{0, 0, 1, 4}, {0, 0, 1, 4}, {0, 0, 1, 4}, {900 * ns, 1, 0, 4096}}, parameters);
  EXPECT_EQ(run.counters.acknowledgements, 2u);
}

TEST(ReliableConnections, TheWindowOfPacketsHoldsTheSenderBack) {
  RcParameters parameters = small_mtu();
  parameters.outstanding_packets = 2;
  const RcRun run = run_rc({{0, 0, 1, 3 * 256}}, parameters);
  // The second packet asks, as the window is full after it.
  EXPECT_EQ(run.fates[0].departed, 3 * 272 * ns + 2 * latency + ack);
  EXPECT_EQ(run.counters.acknowledgements, 2u);
}

TEST(ReliableConnections, TheWindowOfMessagesHoldsTheSenderBack) {
  RcParameters parameters = small_mtu();
  parameters.outstanding_messages = 1;
  const RcRun run = run_rc({{0, 0, 1, 256}, {0, 0, 1, 256}}, parameters);
  EXPECT_EQ(run.fates[1].departed, 2 * 272 * ns + 2 * latency + ack);
}

TEST(ReliableConnections, AReadBeyondTheLimitHoldsUpWhatIsBehindIt) {
  RcParameters parameters = small_mtu();
  parameters.outstanding_reads = 1;
  const std::vector<RcPlanned> plan{{0, 0, 1, 256, Verb::read}, {0, 0, 1, 256, Verb::read}, {0, 0, 1, 8}};
  const std::int64_t first = 32 * ns + latency + 276 * ns + latency;
  EXPECT_EQ(run_rc(plan, parameters).fates[0].delivered, first);
  EXPECT_EQ(run_rc(plan, parameters).fates[1].departed, first + 32 * ns);
  EXPECT_EQ(run_rc(plan, parameters).fates[2].departed, first + 56 * ns);
  parameters.outstanding_reads = 2;
  EXPECT_EQ(run_rc(plan, parameters).fates[2].departed, 88 * ns);
}

// ---- losses

TEST(ReliableConnections, AGapIsReportedOnceAndAllFromItOnIsRepeated) {
  const RcRun run = run_rc({{0, 0, 1, 5 * 256}}, small_mtu(), loses(0, 1));
  EXPECT_EQ(run.counters.sequence_errors, 1u);
  EXPECT_EQ(run.counters.repeated, 4u);
  EXPECT_EQ(run.counters.timeouts, 0u);
  // The third packet shows the gap.
  const std::int64_t nak_comes = 3 * 272 * ns + latency + ack + latency;
  EXPECT_EQ(run.fates[0].delivered, nak_comes + 4 * 272 * ns + latency);
}

TEST(ReliableConnections, ALostLastPacketIsRepeatedAfterTheTimeout) {
  const RcRun run = run_rc({{0, 0, 1, 512}}, small_mtu(), loses(0, 1));
  EXPECT_EQ(run.counters.timeouts, 1u);
  // Nothing was acknowledged: the first packet did not ask.
  EXPECT_EQ(run.fates[0].delivered, 2 * 272 * ns + patience + 2 * 272 * ns + latency);
}

TEST(ReliableConnections, ALostAcknowledgementIsRepeatedForADuplicate) {
  const RcRun run = run_rc({{0, 0, 1, 256, Verb::send, 0, true}}, small_mtu(), loses(1, 0));
  EXPECT_EQ(run.counters.acknowledgements, 2u);
  EXPECT_EQ(run.order.size(), 1u);
  EXPECT_EQ(run.fates[0].completed, 272 * ns + patience + 272 * ns + latency + ack + latency);
}

TEST(ReliableConnections, ALostReadRequestIsRepeated) {
  const RcRun run = run_rc({{0, 0, 1, 256, Verb::read}}, small_mtu(), loses(0, 0));
  EXPECT_EQ(run.fates[0].delivered, 32 * ns + patience + 32 * ns + latency + 276 * ns + latency);
}

TEST(ReliableConnections, AMissingReadResponseIsAskedForAgain) {
  const RcRun run = run_rc({{0, 0, 1, 5 * 256, Verb::read}}, small_mtu(), loses(1, 1));
  EXPECT_EQ(run.counters.timeouts, 0u);
  EXPECT_EQ(run.counters.repeated, 1u);
  EXPECT_EQ(run.counters.read_responses, 5u + 4u);
  EXPECT_EQ(run.counters.repeated_responses, 4u);
  // The third response shows it: an implied NAK.
  const std::int64_t third = 32 * ns + latency + (276 + 272 + 272) * ns + latency;
  EXPECT_EQ(run.fates[0].delivered, third + 32 * ns + latency + (276 + 2 * 272 + 276) * ns + latency);
}

TEST(ReliableConnections, AnAcknowledgementBehindAReadIsAnImpliedNak) {
  const RcRun run = run_rc({{0, 0, 1, 256, Verb::read}, {0, 0, 1, 8}}, small_mtu(), loses(1, 0));
  EXPECT_EQ(run.counters.timeouts, 0u);
  EXPECT_EQ(run.order, (std::vector<std::size_t>{1, 0}));
  EXPECT_EQ(run.counters.repeated, 2u);
}

// The acknowledgement is back after 2 * latency + ack; the payload takes longer to get into memory.
TEST(ReliableConnections, NothingCompletesBeforeItIsDelivered) {
  RcParameters parameters = small_mtu();
  parameters.delivery_latency = SimTime::from_ps(5 * us);
  const RcRun run = run_rc({{0, 0, 1, 8, Verb::write, 0, true}}, parameters);
  const std::int64_t packet = (16 + 16 + 8) * ns;
  EXPECT_EQ(run.fates[0].delivered, packet + latency + 5 * us);
  EXPECT_EQ(run.fates[0].completed, run.fates[0].delivered);
}

TEST(ReliableConnections, PsnsWrapAtTwentyFourBits) {
  RcParameters parameters = small_mtu();
  const std::vector<RcPlanned> plan{
      {0, 0, 1, 40 * 256, Verb::write, 0, true}, {0, 0, 1, 40 * 256, Verb::read}, {0, 0, 1, 9}};
  const LossyNetwork::Script script = [](const Unit&, std::uint64_t ordinal) { return ordinal % 17 == 16; };
  const RcRun from_0 = run_rc(plan, parameters, script);
  for (const std::uint32_t first : {0xffffffU, 0xfffff0U, 0xffffd8U, 0x7ffff0U}) {
    parameters.first_psn = first;
    EXPECT_EQ(run_rc(plan, parameters, script).fates, from_0.fates) << first;
  }
}

// ---- failures

TEST(ReliableConnections, AQueuePairFailsAfterItsRetries) {
  for (unsigned retries : {0U, 1U, 7U}) {
    RcParameters parameters = small_mtu();
    parameters.retry_count = retries;
    const RcRun run = run_rc({{0, 0, 1, 256}, {us, 0, 1, 8}, {10'000 * us, 0, 1, 8}}, parameters,
                             [](const Unit& unit, std::uint64_t) { return unit.from == PortId{0}; });
    // The second message has departed at 1.024 us; both are repeated.
    const std::int64_t fails = us + 24 * ns + patience + retries * (272 * ns + 24 * ns + patience);
    EXPECT_EQ(run.fates[0].returned, fails) << retries;
    EXPECT_EQ(run.fates[1].returned, fails);
    EXPECT_EQ(run.fates[2].returned, 10'000 * us) << "it stays in the error state";
    EXPECT_EQ(run.counters.timeouts, retries + 1);
    EXPECT_NE(run.how_lost.find("after " + std::to_string(retries) + " retries"), std::string::npos);
  }
}

TEST(ReliableConnections, ProgressSetsTheRetryCountBack) {
  RcParameters parameters = small_mtu();
  parameters.retry_count = 1;
  // The first attempt of each message is lost.
  const RcRun run = run_rc(
      {{0, 0, 1, 8}, {1'000 * us, 0, 1, 8}, {2'000 * us, 0, 1, 8}}, parameters,
      [](const Unit& unit, std::uint64_t ordinal) { return unit.from == PortId{0} && ordinal % 2 == 0; });
  EXPECT_EQ(run.counters.failed, 0u);
  EXPECT_EQ(run.order.size(), 3u);
}

TEST(ReliableConnections, OtherQueuePairsGoOn) {
  RcParameters parameters = small_mtu();
  parameters.retry_count = 1;
  const RcRun run = run_rc({{0, 0, 1, 256}, {0, 0, 2, 256}}, parameters,
                           [](const Unit& unit, std::uint64_t) { return unit.to == PortId{1}; });
  EXPECT_TRUE(run.fates[0].returned);
  EXPECT_TRUE(run.fates[1].delivered);
}

TEST(ReliableConnections, WhatWasAcceptedIsNotReturnedUnlessItsSenderWaitsForTheCompletion) {
  RcParameters parameters = small_mtu();
  parameters.retry_count = 1;
  const LossyNetwork::Script script = [](const Unit& unit, std::uint64_t) { return unit.from == PortId{1}; };
  const RcRun plain = run_rc({{0, 0, 1, 256}}, parameters, script);
  EXPECT_TRUE(plain.fates[0].delivered);
  EXPECT_FALSE(plain.fates[0].returned);
  const RcRun waits = run_rc({{0, 0, 1, 256, Verb::write, 0, true}}, parameters, script);
  EXPECT_TRUE(waits.fates[0].delivered);
  EXPECT_TRUE(waits.fates[0].returned);
  EXPECT_TRUE(run_rc({{0, 0, 1, 256, Verb::read}}, parameters, script).fates[0].returned);
}

TEST(ReliableConnections, AReceiverThatIsNotReadyIsAskedAgain) {
  RcParameters parameters = small_mtu();
  parameters.receives = 1;
  parameters.repost = SimTime::from_ps(10 * us);
  parameters.rnr_timer = SimTime::from_ps(4 * us);
  const RcRun run = run_rc({{0, 0, 1, 256}, {0, 0, 1, 256}}, parameters);
  // The receive is there again 10 us after the delivery at 1.272 us. The second send tries at intervals of
  // the RNR timer, its own time and the NAK's way.
  const std::int64_t round = 272 * ns + latency + ack + latency + 4 * us;
  EXPECT_EQ(run.counters.not_ready, 2u);
  EXPECT_EQ(run.fates[1].delivered, 2 * 272 * ns + latency + 2 * round);
  // A write takes no receive.
  EXPECT_EQ(run_rc({{0, 0, 1, 256}, {0, 0, 1, 256, Verb::write}}, parameters).counters.not_ready, 0u);
  EXPECT_EQ(run_rc({{0, 0, 1, 256}, {0, 0, 1, 256, Verb::write_immediate}}, parameters).counters.not_ready,
            2u);
}

TEST(ReliableConnections, RnrRetriesAreCountedAndSevenAreWithoutEnd) {
  RcParameters parameters = small_mtu();
  parameters.receives = 1;
  parameters.repost = SimTime::from_ps(1'000 * us);
  parameters.rnr_timer = SimTime::from_ps(10 * us);
  for (unsigned retries : {0U, 1U, 6U}) {
    parameters.rnr_retry = retries;
    const RcRun run = run_rc({{0, 0, 1, 256}, {0, 0, 1, 256}}, parameters);
    EXPECT_TRUE(run.fates[1].returned) << retries;
    EXPECT_EQ(run.counters.not_ready, retries + 1);
    EXPECT_NE(run.how_lost.find("RNR"), std::string::npos);
  }
  parameters.rnr_retry = 7;
  EXPECT_TRUE(run_rc({{0, 0, 1, 256}, {0, 0, 1, 256}}, parameters).fates[1].delivered);
}

TEST(ReliableConnections, ATimeoutOfZeroNeverRunsOut) {
  RcParameters parameters = small_mtu();
  parameters.timeout = 0;
  const RcRun run = run_rc({{0, 0, 1, 256}}, parameters, loses(0, 0));
  EXPECT_FALSE(run.fates[0].delivered || run.fates[0].returned);
}

TEST(ReliableConnections, ParametersOutOfRangeAreRefused) {
  const auto refused = [](auto change) {
    RcParameters parameters = small_mtu();
    change(parameters);
    EXPECT_THROW(run_rc({}, parameters), Error);
  };
  refused([](RcParameters& p) { p.path_mtu = Bytes(300); });
  refused([](RcParameters& p) { p.global_header = Bytes(4096); });
  refused([](RcParameters& p) { p.timeout = 32; });
  refused([](RcParameters& p) { p.retry_count = 8; });
  refused([](RcParameters& p) { p.outstanding_packets = (1 << 22) + 1; });
  refused([](RcParameters& p) { p.outstanding_reads = 0; });
  refused([](RcParameters& p) { p.rnr_timer = SimTime(); });
}

// ---- a random network

TEST(ReliableConnections, NothingIsLostOrDoubledAtTenPercentLoss) {
  RcParameters parameters = small_mtu();
  parameters.acknowledge_every = 4;
  parameters.outstanding_packets = 16;
  std::vector<RcPlanned> plan;
  for (std::int64_t i = 0; i < 400; ++i)
    plan.push_back({i * us, static_cast<std::uint32_t>(i % 3), static_cast<std::uint32_t>((i + 1) % 3),
                    i * 37 % 3000, static_cast<Verb>(i % 4), static_cast<std::uint64_t>(i % 5)});
  const RcRun run = run_rc(plan, parameters, [](const Unit& unit, std::uint64_t ordinal) {
    return RandomStream(ordinal, "tenth " + std::to_string(static_cast<std::uint32_t>(unit.from)))
        .chance(0.1);
  });
  EXPECT_EQ(run.order.size(), plan.size());
  EXPECT_EQ(run.counters.failed, 0u);
  EXPECT_GT(run.counters.repeated, 400u);
  for (const RcFate& fate : run.fates) EXPECT_TRUE(fate.delivered);
}

}  // namespace
}  // namespace morgana::testing::rc_tests
