// The hosts' PCIe: what reads and writes share, and the queue pairs of a NIC that sends and receives at once.
#include "emulator/host/pcie_bus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/core/random.h"
#include "emulator/core/resource_load.h"
#include "emulator/transport/infiniband/reliable_connections.h"
#include "tests/transport/infiniband/rc_dispatch.h"
#include "tests/transport/lossy_network.h"

namespace morgana::testing {
namespace {

constexpr std::int64_t ns_ps = 1'000, us_ps = 1'000'000;
constexpr HostId host{0};

/// A byte takes 1 ns.
constexpr BitRate byte_a_ns{8'000'000'000};

/// Reads as soon as it may.
class Reader final : public PcieUser, private EventHandler {
 public:
  Reader(EventQueue& events, const PcieParameters& parameters)
      : bus(events, parameters, 2, *this), events_(events) {}

  void read_at(std::int64_t at, std::int64_t bytes) { plan(at, {bytes, true}); }
  void write_at(std::int64_t at, std::int64_t bytes) { plan(at, {bytes, false}); }
  void run() {
    while (!events_.empty()) events_.handle_next();
  }

  PcieBus bus;
  std::vector<std::int64_t> began;   ///< reads
  std::vector<std::int64_t> longer;  ///< writes took than alone

 private:
  struct Planned {
    std::int64_t bytes;
    bool reads;
  };
  void plan(std::int64_t at, Planned what) {
    plan_.push_back(what);
    events_.schedule(SimTime::from_ps(at), *this, plan_.size() - 1);
  }
  void handle(std::uint64_t number) override {
    const Planned& planned = plan_[number];
    if (!planned.reads) return longer.push_back(bus.write(host, {Bytes(planned.bytes)}).ps());
    line_.push_back(planned.bytes);
    may_read(host);
  }
  void may_read(HostId at) override {
    EXPECT_EQ(at, host);
    while (!line_.empty() && bus.admits_read(host)) {
      began.push_back(events_.now().ps());
      bus.read(host, Bytes(line_.front()));
      line_.erase(line_.begin());
    }
  }

  EventQueue& events_;
  std::vector<Planned> plan_;
  std::vector<std::int64_t> line_;
};

PcieParameters both_ways_at_a_byte_a_ns() {
  PcieParameters parameters;
  parameters.both_ways = byte_a_ns;
  return parameters;
}

// 2000 B read and 1000 B written, 1 ns each: 3 of 4 us.
TEST(PcieBus, CountsForHowLongItIsInUse) {
  EventQueue events;
  Reader reader(events, both_ways_at_a_byte_a_ns());
  reader.read_at(0, 2000);
  reader.write_at(0, 1000);
  reader.run();
  const std::vector<ResourceLoad> loads = resources_in(reader.bus.in_use(), SimTime::from_ps(4 * us_ps));
  ASSERT_EQ(loads.size(), 1u) << "the other host's has not been used";
  EXPECT_EQ(loads[0].number, 0u);
  EXPECT_DOUBLE_EQ(loads[0].utilisation, 0.75);
}

TEST(PcieBus, AReadMayBeginWhenTheOneBeforeIsOver) {
  EventQueue events;
  Reader reader(events, both_ways_at_a_byte_a_ns());
  for (int i = 0; i < 3; ++i) reader.read_at(0, 1000);
  reader.run();
  EXPECT_EQ(reader.began, (std::vector<std::int64_t>{0, us_ps, 2 * us_ps}));
}

TEST(PcieBus, ReadsAndWritesAtOnceAreHalfAsFast) {
  EventQueue events;
  Reader reader(events, both_ways_at_a_byte_a_ns());
  reader.read_at(0, 1000);
  reader.write_at(0, 1000);
  reader.read_at(0, 1000);
  reader.run();
  EXPECT_EQ(reader.longer, (std::vector<std::int64_t>{us_ps}));
  EXPECT_EQ(reader.began, (std::vector<std::int64_t>{0, 2 * us_ps}));
}

TEST(PcieBus, WhatIsLeftOfTheLongerOneHasAllOfIt) {
  EventQueue events;
  Reader reader(events, both_ways_at_a_byte_a_ns());
  reader.read_at(0, 1000);
  reader.write_at(400 * ns_ps, 100);  // the read has 600 B to go: 200 ns for the write, then 500 B
  reader.read_at(0, 1000);
  reader.run();
  EXPECT_EQ(reader.longer, (std::vector<std::int64_t>{100 * ns_ps}));
  EXPECT_EQ(reader.began, (std::vector<std::int64_t>{0, 1100 * ns_ps}));
}

// 1,000 B are four completions of at most 256 B, 1,080 B to the NIC, and four writes, 1,096 B to the host;
// two requests of at most 512 B are 48 B to the host.
TEST(PcieBus, EachWayCarriesPayloadAndHeaders) {
  PcieParameters parameters;
  parameters.rate = byte_a_ns;
  EventQueue events;
  Reader reader(events, parameters);
  reader.read_at(0, 1000);
  reader.read_at(0, 1000);
  reader.write_at(10 * us_ps, 1000);
  reader.write_at(10 * us_ps, 1000);
  reader.run();
  EXPECT_EQ(reader.began, (std::vector<std::int64_t>{0, 1080 * ns_ps}));
  EXPECT_EQ(reader.longer, (std::vector<std::int64_t>{0, 1096 * ns_ps}));
}

TEST(PcieBus, SmallerPiecesHaveMoreHeaders) {
  PcieParameters parameters;
  parameters.rate = byte_a_ns;
  parameters.max_payload = Bytes(128);
  EventQueue events;
  Reader reader(events, parameters);
  reader.read_at(0, 1000);
  reader.read_at(0, 1000);
  reader.run();
  EXPECT_EQ(reader.began, (std::vector<std::int64_t>{0, (1000 + 8 * 20) * ns_ps}));
}

TEST(PcieBus, RequestsAndWritesShareTheWayToTheHost) {
  PcieParameters parameters;
  parameters.rate = byte_a_ns;
  EventQueue events;
  Reader reader(events, parameters);
  reader.read_at(0, 4096);  // eight requests: 192 B
  reader.write_at(0, 1000);
  reader.run();
  EXPECT_EQ(reader.longer, (std::vector<std::int64_t>{192 * ns_ps}));
}

PcieParameters descriptors_at_a_byte_a_ns() {
  PcieParameters parameters;
  parameters.rate = byte_a_ns;
  parameters.work_request = Bytes(64);
  parameters.receive_request = Bytes(32);
  parameters.completion = Bytes(64);
  parameters.completion_payload = Bytes(32);
  return parameters;
}

// 32 B come within the completion, 64 + 24 B; 33 B are a write of their own in addition, 33 + 24 B.
TEST(PcieBus, ACompletionIsAWriteAndMayHoldAWholeMessage) {
  EventQueue events;
  Reader reader(events, descriptors_at_a_byte_a_ns());
  const auto waits = [&](PcieWrite what) { return reader.bus.write(host, what).ps() / ns_ps; };
  EXPECT_EQ(waits({Bytes(32), true, true}), 0);
  EXPECT_EQ(waits({Bytes(33), true, true}), 88);
  EXPECT_EQ(waits({Bytes(32), true, false}), 88 + 145) << "the end of a message of several packets";
  EXPECT_EQ(waits({Bytes(32), false, true}), 88 + 145 + 144) << "an RDMA write";
  EXPECT_EQ(waits({Bytes(), true, true}), 88 + 145 + 144 + 56) << "a message without payload";
  EXPECT_EQ(waits({Bytes(), false, true}), 0) << "nothing is written";
}

// 64 B are a block, 64 + 24 B; 65 B are two. What a processor writes shares the way to the NIC with reads.
TEST(PcieBus, WorkRequestsAreWrittenInBlocks) {
  EventQueue events;
  Reader reader(events, descriptors_at_a_byte_a_ns());
  const auto waits = [&](std::int64_t request) { return reader.bus.post(host, Bytes(request)).ps() / ns_ps; };
  EXPECT_EQ(waits(64), 0);
  EXPECT_EQ(waits(65), 88);
  EXPECT_EQ(waits(1), 88 + 176);
  reader.read_at(0, 32);  // 52 B, each of them beside a byte of the 352 B that are written
  reader.read_at(0, 32);
  reader.run();
  EXPECT_EQ(reader.began, (std::vector<std::int64_t>{0, 104 * ns_ps}));
}

TEST(PcieBus, AReceiveIsReadInOneRequest) {
  EventQueue events;
  Reader reader(events, descriptors_at_a_byte_a_ns());
  reader.bus.read_receive(host);  // 24 B to the host, 20 + 32 B to the NIC
  reader.write_at(0, 1000);
  reader.read_at(0, 100);
  reader.run();
  EXPECT_EQ(reader.longer, (std::vector<std::int64_t>{24 * ns_ps}));
  EXPECT_EQ(reader.began, (std::vector<std::int64_t>{52 * ns_ps}));
}

/// Until when a resource is busy with reads and writes, nanosecond by nanosecond: half a byte of each where
/// both want it, else a byte.
class SharedByNanoseconds {
 public:
  void add(std::size_t way, std::int64_t bytes) { halves_[way] += 2 * bytes; }
  void pass_nanosecond() {
    const bool both = halves_[0] > 0 && halves_[1] > 0;
    for (std::int64_t& one : halves_) one -= std::min<std::int64_t>(one, both ? 1 : 2);
  }
  bool wants(std::size_t way) const { return halves_[way] > 0; }

 private:
  std::array<std::int64_t, 2> halves_{};
};

TEST(PcieBus, IsAsASimulationOfEachNanosecondOnRandomLoads) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    RandomStream random(seed, "pcie");
    EventQueue events;
    Reader reader(events, both_ways_at_a_byte_a_ns());
    struct Write {
      std::int64_t at, bytes;
    };
    std::vector<Write> writes;
    std::vector<std::int64_t> reads;
    const auto below = [&](std::uint64_t bound) { return static_cast<std::int64_t>(random.below(bound)); };
    // Even numbers: halves of a nanosecond do not occur where both end.
    for (int i = 0; i < 40; ++i) {
      writes.push_back({2 * below(10'000), 2 + 2 * below(300)});
      reads.push_back(2 + 2 * below(300));
    }
    std::ranges::sort(writes, {}, &Write::at);
    for (const std::int64_t bytes : reads) reader.read_at(0, bytes);
    for (const Write& write : writes) reader.write_at(write.at * ns_ps, write.bytes);
    reader.run();

    SharedByNanoseconds bus;
    std::vector<std::int64_t> began;
    std::size_t next_write = 0;
    for (std::int64_t now = 0; began.size() < reads.size(); ++now) {
      // At one instant a write that was planned comes before a read that has waited.
      for (; next_write < writes.size() && writes[next_write].at == now; ++next_write)
        bus.add(1, writes[next_write].bytes);
      if (!bus.wants(0)) {
        bus.add(0, reads[began.size()]);
        began.push_back(now * ns_ps);
      }
      bus.pass_nanosecond();
    }
    EXPECT_EQ(reader.began, began);
  }
}

// ---- queue pairs over LossyNetwork: 1 ns a byte and 1 us of latency

struct BusOutcome {
  std::vector<RcFate> fates;
  std::int64_t last = 0;  ///< delivery
};

BusOutcome run_over(const std::vector<RcPlanned>& plan, const PcieParameters& pcie,
                    RcParameters parameters = {}, LossyNetwork::Script script = nullptr) {
  EventQueue events;
  LossyNetwork network(events, 4, std::move(script));
  network.largest = Bytes(4300);
  ReliableConnections transport(events, network, 4, parameters, pcie);
  RcDispatch dispatch(events, transport);
  BusOutcome outcome{dispatch.run(plan)};
  for (const RcFate& fate : outcome.fates) outcome.last = std::max(outcome.last, fate.delivered.value_or(0));
  return outcome;
}

/// Messages of 64 KiB, eight from each to the other.
std::vector<RcPlanned> both_ways(Verb verb) {
  std::vector<RcPlanned> plan;
  for (int i = 0; i < 8; ++i) {
    plan.push_back({0, 0, 1, 65'536, verb});
    plan.push_back({0, 1, 0, 65'536, verb});
  }
  return plan;
}

TEST(RcPcie, OneWayIsAsWithoutABusThatIsFastEnough) {
  PcieParameters pcie = both_ways_at_a_byte_a_ns();
  pcie.rate = BitRate(10'000'000'000);
  for (const Verb verb : {Verb::send, Verb::write, Verb::read}) {
    std::vector<RcPlanned> plan;
    for (int i = 0; i < 20; ++i) plan.push_back({i * 100, 0, 1, i * 4096, verb});
    const BusOutcome with = run_over(plan, pcie), without = run_over(plan, {});
    for (std::size_t i = 0; i < plan.size(); ++i)
      EXPECT_EQ(with.fates[i].delivered, without.fates[i].delivered) << i;
  }
}

// A packet of 4,096 B is whole after 4,112 ns on the link, and written then; 4 B come 20 ns later.
TEST(RcPcie, AShortPacketBehindALongOneIsWrittenAfterIt) {
  const BusOutcome outcome = run_over({{0, 0, 1, 4096}, {0, 0, 1, 4}}, both_ways_at_a_byte_a_ns());
  EXPECT_EQ(outcome.fates[0].delivered, 4112 * ns_ps + us_ps);
  EXPECT_EQ(outcome.fates[1].delivered, 4112 * ns_ps + us_ps + 4096 * ns_ps);
}

// Each NIC's payload of one way is 524,288 B; both ways of it take twice that at a byte a ns.
TEST(RcPcie, BothWaysTogetherHaveTheLimitOfTheBus) {
  constexpr std::int64_t payload = 8 * 65'536;
  for (const Verb verb : {Verb::send, Verb::write, Verb::read}) {
    const std::int64_t without = run_over(both_ways(verb), {}).last;
    EXPECT_LT(without, payload * 103 / 100 * ns_ps + 10 * us_ps);
    const std::int64_t with = run_over(both_ways(verb), both_ways_at_a_byte_a_ns()).last;
    EXPECT_GT(with, 2 * payload * 99 / 100 * ns_ps);
    EXPECT_LT(with, 2 * payload * 103 / 100 * ns_ps + 10 * us_ps);
  }
}

TEST(RcPcie, NeitherDirectionStarvesTheOther) {
  std::vector<RcPlanned> plan = both_ways(Verb::send);
  // Host 1 has sent for a while when host 0 begins, and host 2 sends to host 0 as well.
  for (RcPlanned& one : plan)
    if (one.from == 0) one.at = 50 * us_ps;
  for (int i = 0; i < 8; ++i) plan.push_back({0, 2, 0, 65'536});
  const BusOutcome outcome = run_over(plan, both_ways_at_a_byte_a_ns());
  std::int64_t sent = 0;
  for (std::size_t i = 0; i < plan.size(); ++i)
    if (plan[i].from == 0) sent = std::max(sent, *outcome.fates[i].delivered);
  // Half of the bus, whatever comes.
  EXPECT_LT(sent, 50 * us_ps + 2 * 8 * 65'536 * 103 / 100 * ns_ps + 10 * us_ps);
}

TEST(RcPcie, InlinePayloadsAndAcknowledgementsAreNotRead) {
  PcieParameters slow;
  slow.both_ways = BitRate(8'000'000);  // 1 us a byte
  RcParameters parameters;
  parameters.inline_limit = Bytes(64);
  const BusOutcome outcome = run_over({{0, 0, 1, 64}, {0, 0, 1, 64}, {0, 1, 0, 64}}, slow, parameters);
  // They are written at the receiver, and the second one there waits for the first.
  EXPECT_EQ(outcome.fates[0].delivered, 80 * ns_ps + us_ps);
  EXPECT_EQ(outcome.fates[1].delivered, 80 * ns_ps + us_ps + 64 * us_ps);
  EXPECT_EQ(outcome.fates[2].delivered, 80 * ns_ps + us_ps);
}

// 100 B inline: 16 + 4 + 100 B are two blocks of 64 B, 176 ns on the bus; 116 ns on the link.
TEST(RcPcie, InlinePayloadsAreWrittenIntoTheNic) {
  PcieParameters pcie;
  pcie.rate = byte_a_ns;
  pcie.work_request = Bytes(64);
  RcParameters parameters;
  parameters.inline_limit = Bytes(188);
  const BusOutcome outcome = run_over({4, {0, 0, 1, 100}}, pcie, parameters);
  for (std::size_t i = 0; i < outcome.fates.size(); ++i)
    EXPECT_EQ(outcome.fates[i].delivered, static_cast<std::int64_t>(i) * 176 * ns_ps + 116 * ns_ps + us_ps);
}

// Sends of three hosts of 40 B to one come at once: each takes 24 B for its receive's request, a write of 64
// B and a completion of 88 B there; an RDMA write of 40 B takes just its own.
TEST(RcPcie, CompletionsLimitTheRateOfMessages) {
  PcieParameters pcie = descriptors_at_a_byte_a_ns();
  pcie.work_request = Bytes();
  RcParameters parameters;
  parameters.inline_limit = Bytes(188);
  const auto last = [&](Verb verb) {
    return run_over({{0, 1, 0, 40, verb}, {0, 2, 0, 40, verb}, {0, 3, 0, 40, verb}}, pcie, parameters).last;
  };
  const std::int64_t send = 56 * ns_ps + us_ps, write = 72 * ns_ps + us_ps;
  // The first write is delayed by one request, and so the last one by two writes and by three requests.
  EXPECT_EQ(last(Verb::send), send + (3 * 24 + 2 * 152) * ns_ps);
  EXPECT_EQ(last(Verb::write), write + 2 * 64 * ns_ps);
}

TEST(RcPcie, WhatIsLostIsReadAgain) {
  RcParameters parameters;
  parameters.timeout = 6;
  const auto loses = [](const Unit& unit, std::uint64_t ordinal) {
    return unit.from == PortId{0} && ordinal % 7 == 3;
  };
  const auto plan = both_ways(Verb::send);
  const BusOutcome outcome = run_over(plan, both_ways_at_a_byte_a_ns(), parameters, loses);
  for (const RcFate& fate : outcome.fates) EXPECT_TRUE(fate.delivered.has_value());
}

}  // namespace
}  // namespace morgana::testing
