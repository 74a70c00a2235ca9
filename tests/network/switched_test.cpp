#include "emulator/network/ethernet/switched.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "emulator/core/error.h"
#include "emulator/core/random.h"
#include "tests/network/reference_switched.h"
#include "tests/support/effort.h"

namespace morgana::testing {
namespace {
using namespace literals;

std::vector<Fate> run(const std::vector<Planned>& plan, const SwitchedEthernetParameters& parameters,
                      std::size_t ports = 4) {
  EventQueue events;
  SwitchedEthernet network(events, ports, parameters);
  Experiment experiment(events, network);
  std::vector<Fate> fates = experiment.run(plan);
  experiment.expect_conservation();
  return fates;
}

SwitchedEthernetParameters example() {
  SwitchedEthernetParameters parameters;
  parameters.propagation = 500_ns;
  parameters.forwarding = 3_us;
  return parameters;
}

// At 100 Mb/s a byte takes 80 ns; preamble, header and check sequence are 26 bytes, the gap 12.
constexpr SimTime byte_time = 80_ns;

TEST(SwitchedEthernet, OneByteGoesOverTwoWiresAndThroughTheSwitch) {
  const Fate fate = run({{2_us, 0, 1, 1}}, example())[0];
  // 8 preamble + 14 header + 46 padded payload + 4 check sequence = 72 bytes = 5.76 us
  EXPECT_EQ(fate.departed, 2_us + 5760_ns);
  EXPECT_EQ(fate.delivered, 2_us + 5760_ns + 500_ns + 3_us + 5760_ns + 500_ns);
}

/// Reads how much each link is utilised until the moment at which it is asked, and what is queued for it
/// then.
class Reader : public EventHandler {
 public:
  Reader(const EventQueue& events, SwitchedEthernet& network) : events_(events), network_(network) {}
  double of_output_to(std::uint32_t host) const { return utilisation_.at(host); }
  SimTime queued_for(std::uint32_t host) const { return queued_.at(host); }

 private:
  void handle(std::uint64_t) override {
    for (const LinkLoad& link : network_.links(events_.now()).loads)
      if (link.to.kind == LinkEnd::Kind::host) {
        utilisation_[link.to.number] = link.utilisation;
        queued_[link.to.number] = link.queued.value();
      }
  }
  const EventQueue& events_;
  SwitchedEthernet& network_;
  std::map<std::uint32_t, double> utilisation_;
  std::map<std::uint32_t, SimTime> queued_;
};

// A frame of 72 bytes and its gap take 84 * 80 ns = 6.72 us. The first is offered to its output at 5.76 + 0.5
// + 3 = 9.26 us and takes that until 15.98 us. At 26 us the second has left its host (20 + 5.76 = 25.76 us)
// and is offered only at 29.26 us; at 30 us it has taken 0.74 us.
TEST(SwitchedEthernet, AnOutputIsNotUtilisedByAFrameThatHasNotComeToItYet) {
  for (const auto& [read_at, taken] : {std::pair{26_us, 6720_ns}, std::pair{30_us, 6720_ns + 740_ns}}) {
    EventQueue events;
    SwitchedEthernet network(events, 2, example());
    Reader reader(events, network);
    events.schedule(read_at, reader);
    Experiment(events, network).run({{0_us, 0, 1, 1}, {20_us, 0, 1, 1}});
    EXPECT_DOUBLE_EQ(reader.of_output_to(1), taken.seconds() / read_at.seconds());
  }
}

// Frames of two hosts are offered to one output at 9.26 us. At 10 us it has sent for 0.74 us, of 2 * 6.72 us.
TEST(SwitchedEthernet, TellsHowLongItTakesToSendWhatIsQueued) {
  EventQueue events;
  SwitchedEthernet network(events, 3, example());
  Reader reader(events, network);
  events.schedule(10_us, reader);
  Experiment(events, network).run({{0_us, 0, 1, 1}, {0_us, 2, 1, 1}});
  EXPECT_EQ(reader.queued_for(1), 2 * 6720_ns - 740_ns);
  EXPECT_EQ(reader.queued_for(0), 0_us);
}

// Ports 0 and 1 are a program's, 2 and 3 others'.
TEST(SwitchedEthernet, SaysAlongWhichLinksFramesBetweenSomePortsWent) {
  EventQueue events;
  SwitchedEthernet network(events, 4, example());
  EXPECT_TRUE(network.links(0_us).loads.front().of_program);  // nothing is known of any
  network.follow_ports({true, true});
  Experiment(events, network).run({{0_us, 0, 1, 1}, {0_us, 2, 1, 1}, {0_us, 1, 3, 1}});
  std::map<std::pair<bool, std::uint32_t>, bool> of_program;  // from a host or to it
  for (const LinkLoad& link : network.links(events.now()).loads)
    of_program[{link.from.is_host(), link.from.is_host() ? link.from.number : link.to.number}] =
        link.of_program;
  const auto from = [&](std::uint32_t host) { return of_program.at({true, host}); };
  const auto to = [&](std::uint32_t host) { return of_program.at({false, host}); };
  EXPECT_TRUE(from(0));
  EXPECT_TRUE(to(1));
  EXPECT_FALSE(from(1));  // what it sent to port 3 was not between the two
  EXPECT_FALSE(from(2));
  EXPECT_FALSE(to(3));
}

TEST(SwitchedEthernet, AStreamOfFullFramesReachesTheFramesShareOfTheRate) {
  const auto fates = run(std::vector<Planned>(1000, {0_us, 0, 1, 1500}), example());
  EXPECT_EQ(*fates[999].delivered - *fates[0].delivered, 999 * 1538 * byte_time);
}

TEST(SwitchedEthernet, BothDirectionsOfALinkAreIndependent) {
  const auto fates = run({{0_us, 0, 1, 1500}, {0_us, 1, 0, 1500}}, example());
  EXPECT_EQ(fates[0], fates[1]);
}

TEST(SwitchedEthernet, DifferentOutputsAreIndependent) {
  const auto fates = run({{0_us, 0, 1, 1500}, {0_us, 2, 3, 1500}}, example());
  EXPECT_EQ(fates[0], fates[1]);
}

TEST(SwitchedEthernet, FramesQueueAtTheirOutput) {
  const auto fates = run({{0_us, 0, 3, 100}, {1_ps, 1, 3, 200}, {2_ps, 2, 3, 100}}, example());
  const SimTime first = *fates[0].delivered;
  EXPECT_EQ(fates[2].delivered, first + (12 + 126) * byte_time);
  EXPECT_EQ(fates[1].delivered, first + (12 + 126 + 12 + 226) * byte_time);  // it was longer on its way in
}

TEST(SwitchedEthernet, AFrameThatFindsTheBufferFullIsLostWhenItIsOffered) {
  SwitchedEthernetParameters parameters = example();
  parameters.buffer_frames = 1;
  const auto fates = run({{0_us, 0, 3, 100}, {1_us, 1, 3, 100}}, parameters);
  EXPECT_TRUE(fates[0].delivered);
  EXPECT_EQ(fates[1].lost, 1_us + 126 * byte_time + 500_ns + 3_us);
}

TEST(SwitchedEthernet, AFrameThatLeavesMakesRoomForOneThatComesJustThen) {
  SwitchedEthernetParameters parameters = example();
  parameters.buffer_frames = 1;
  const SimTime on_wire = 126 * byte_time;
  EXPECT_TRUE(run({{0_us, 0, 3, 100}, {on_wire, 1, 3, 100}}, parameters)[1].delivered);
  EXPECT_TRUE(run({{0_us, 0, 3, 100}, {on_wire - 1_ps, 1, 3, 100}}, parameters)[1].lost);
}

TEST(SwitchedEthernet, JumboFramesCarryMore) {
  SwitchedEthernetParameters parameters = example();
  parameters.largest_payload = Bytes(9000);
  EXPECT_EQ(run({{0_us, 0, 1, 9000}}, parameters)[0].departed, 9026 * byte_time);
  EXPECT_THROW(run({{0_us, 0, 1, 9001}}, parameters), Error);
  EXPECT_THROW(run({{0_us, 0, 1, 1501}}, example()), Error);
}

TEST(SwitchedEthernet, AgreesWithTheReferenceOnRandomCases) {
  for (std::uint64_t seed = 1; seed <= random_cases(5000); ++seed) {
    RandomStream random(seed, "switch test");
    const auto pick = [&](std::uint64_t bound) { return static_cast<std::int64_t>(random.below(bound)); };
    const bool on_a_grid = random.chance(0.5);  // so that many things happen in the same instant
    const SimTime tick = on_a_grid ? 80_ns : 1_ps;
    const std::uint64_t ticks_in_a_us = on_a_grid ? 12 : 1'000'000;
    SwitchedEthernetParameters parameters;
    if (random.chance(0.5)) parameters.rate = BitRate(1'000'000'000);
    parameters.propagation = pick(ticks_in_a_us) * tick;
    parameters.forwarding = pick(10 * ticks_in_a_us) * tick;
    parameters.buffer_frames = random.chance(0.3) ? 0 : 1 + pick(6);
    if (random.chance(0.3)) parameters.largest_payload = Bytes(9000);
    const std::size_t ports = 2 + random.below(6);
    const std::uint64_t outputs = random.chance(0.3) ? 1 : ports;
    std::vector<Planned> plan(1 + random.below(60));
    const std::uint64_t spread = ticks_in_a_us * (random.chance(0.5) ? 1 : 100);
    for (Planned& planned : plan) {
      planned.to = static_cast<std::uint32_t>(random.below(outputs));
      planned.from = static_cast<std::uint32_t>((planned.to + 1 + random.below(ports - 1)) % ports);
      const std::int64_t largest = parameters.largest_payload.count();
      planned.bytes = pick(random.chance(0.5) ? 100 : static_cast<std::uint64_t>(largest) + 1);
      planned.at = pick(spread) * tick;
    }
    sort_by_time(plan);
    ASSERT_EQ(run(plan, parameters, ports), ReferenceSwitch(parameters, ports).run(plan)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace morgana::testing
