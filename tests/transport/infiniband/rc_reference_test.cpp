// Reliable connections and the plain model of their rules over the same network: what is reported, and when.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "emulator/core/random.h"
#include "emulator/transport/infiniband/reliable_connections.h"
#include "tests/support/effort.h"
#include "tests/transport/infiniband/rc_dispatch.h"
#include "tests/transport/infiniband/reference_rc.h"
#include "tests/transport/lossy_network.h"

namespace morgana::testing::rc_reference_tests {
namespace {

struct RandomCase {
  RcParameters parameters;
  std::uint32_t hosts;
  std::int64_t byte_time;
  double loss;
  std::vector<std::int64_t> latencies;
  std::vector<RcPlanned> plan;
  PcieParameters pcie;
};

/// Of half of the cases: buses between a third and three times as fast as the link.
PcieParameters random_pcie(std::uint64_t seed, std::int64_t byte_time) {
  RandomStream random(seed, "PCIe");
  PcieParameters pcie;
  const auto rate = [&] {
    const double times = 1 + 2 * random.uniform();
    return BitRate(static_cast<std::int64_t>(8e12 / static_cast<double>(byte_time) *
                                             (random.chance(0.5) ? times : 1 / times)));
  };
  if (random.chance(0.3)) pcie.rate = rate();
  if (random.chance(0.3)) pcie.both_ways = rate();
  pcie.max_payload = Bytes(64 << random.below(4));
  pcie.max_read_request = Bytes(128 << random.below(4));
  if (random.chance(0.5)) pcie.work_request = Bytes(16 << random.below(4));
  if (random.chance(0.5)) pcie.receive_request = Bytes(16 << random.below(3));
  if (random.chance(0.5)) pcie.completion = Bytes(64 << random.below(2));
  pcie.completion_payload = Bytes(static_cast<std::int64_t>(random.below(64)));
  return pcie;
}

RandomCase random_case(std::uint64_t seed, bool fails) {
  RandomStream random(seed, "reliable connections test");
  const auto pick = [&](std::uint64_t bound) { return static_cast<std::int64_t>(random.below(bound)); };
  const auto time = [&](std::uint64_t bound) {
    return random.chance(0.4) ? SimTime() : SimTime::from_ps(1 + pick(bound));
  };
  RandomCase one;
  RcParameters& p = one.parameters;
  p.path_mtu = Bytes(256 << pick(3));
  p.global_header = Bytes(random.chance(0.5) ? 0 : 40);
  p.first_psn = static_cast<std::uint32_t>(random.chance(0.5) ? (1U << 24) - 1 - random.below(30) : 0);
  p.acknowledge_every = pick(5);
  p.timeout = static_cast<unsigned>(3 + pick(7));
  p.retry_count = fails ? static_cast<unsigned>(pick(4)) : 7;
  p.rnr_retry = fails ? static_cast<unsigned>(pick(8)) : 7;
  p.rnr_timer = SimTime::from_ps(1 + pick(100'000'000));
  p.receives = random.chance(0.5) ? 0 : 1 + pick(3);
  p.repost = time(200'000'000);
  if (random.chance(0.6)) p.outstanding_packets = 1 + pick(12);
  if (random.chance(0.6)) p.outstanding_messages = 1 + pick(4);
  p.outstanding_reads = 1 + pick(3);
  p.inline_limit = Bytes(pick(600));
  p.post_latency = time(1'000'000);
  p.fetch_latency = time(1'000'000);
  p.delivery_latency = time(1'000'000);
  if (random.chance(0.5)) p.fetch_per_byte = ByteCost::from_fs(pick(3'000'000));
  if (random.chance(0.5)) p.delivery_per_byte = ByteCost::from_fs(pick(3'000'000));
  p.completion_latency = time(1'000'000);
  p.message_gap = time(10'000'000);
  one.hosts = static_cast<std::uint32_t>(2 + pick(3));
  one.byte_time = 1 + pick(20'000);
  one.loss = random.chance(0.3) ? 0 : 0.25 * random.uniform();
  one.latencies.resize(std::size_t{one.hosts} * one.hosts);
  for (std::int64_t& pair : one.latencies) pair = 1 + pick(50'000'000);
  one.plan.resize(1 + random.below(14));
  for (RcPlanned& planned : one.plan) {
    planned.from = static_cast<std::uint32_t>(random.below(one.hosts));
    planned.to = static_cast<std::uint32_t>((planned.from + 1 + random.below(one.hosts - 1)) % one.hosts);
    planned.bytes = pick(random.chance(0.5) ? 10 : 6'000);
    planned.at = pick(300'000'000);
    planned.verb = static_cast<Verb>(pick(4));
    planned.channel = static_cast<std::uint64_t>(pick(2));
    planned.completes = planned.verb != Verb::read && random.chance(0.5);
  }
  std::stable_sort(one.plan.begin(), one.plan.end(),
                   [](const RcPlanned& a, const RcPlanned& b) { return a.at < b.at; });
  one.pcie = random_pcie(seed, one.byte_time);
  return one;
}

void expect_equal_to_the_reference(bool fails) {
  const std::uint64_t cases = random_cases(3000);
  std::uint64_t compared = 0, returned = 0;
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    const RandomCase one = random_case(seed, fails);
    const auto lost = [&](std::uint32_t port, std::uint64_t ordinal) {
      return RandomStream(seed * 1'000'003 + ordinal, "loss at port " + std::to_string(port))
          .chance(one.loss);
    };
    const auto latency_of = [&](std::uint32_t from, std::uint32_t to) {
      return one.latencies[from * one.hosts + to];
    };
    EventQueue events;
    LossyNetwork network(events, one.hosts, [&](const Unit& unit, std::uint64_t ordinal) {
      return lost(static_cast<std::uint32_t>(unit.from), ordinal);
    });
    network.largest = Bytes(4300);
    network.byte_time = SimTime::from_ps(one.byte_time);
    network.latency = [&](PortId from, PortId to) {
      return SimTime::from_ps(latency_of(static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to)));
    };
    ReliableConnections transport(events, network, one.hosts, one.parameters, one.pcie);
    RcDispatch dispatch(events, transport);
    const std::vector<RcFate> fates = dispatch.run(one.plan);
    ReferenceRc reference(one.parameters, one.hosts, one.byte_time, latency_of, lost, one.pcie);
    const std::vector<RcFate> expected = reference.run(one.plan);
    if (reference.had_ties()) continue;
    ++compared;
    for (const RcFate& fate : fates) {
      ASSERT_TRUE(fate.delivered || fate.returned) << "seed " << seed;
      returned += fate.returned ? 1 : 0;
    }
    ASSERT_EQ(fates, expected) << "seed " << seed;
  }
  EXPECT_GT(compared, cases * 2 / 3);
  if (fails) {
    EXPECT_GT(returned, cases / 10);
  }
}

TEST(ReliableConnections, AgreesWithTheReferenceOnRandomCasesWithLoss) {
  expect_equal_to_the_reference(false);
}

TEST(ReliableConnections, AgreesWithTheReferenceWhereQueuePairsFail) {
  expect_equal_to_the_reference(true);
}

}  // namespace
}  // namespace morgana::testing::rc_reference_tests
