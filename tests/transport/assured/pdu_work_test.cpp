#include "emulator/transport/pdu_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <utility>
#include <vector>

#include "emulator/transport/pcaal/pcaal.h"
#include "emulator/transport/sscop/sscop.h"
#include "tests/transport/assured/lossy_cells.h"
#include "tests/transport/harness.h"

namespace morgana::testing {
namespace {
namespace pdu_work {
using namespace literals;
using ::testing::ElementsAre;
using ::testing::Pair;

constexpr PduCosts table_5_3(PduCosts::Work work) {
  return {work, 100_us, 50_us, 75_us};
}

/// What is done when; hosts 0 and 1.
class Desk : private PduWork::Client, private EventHandler {
 public:
  explicit Desk(const PduCosts& costs) : work(events, costs, 2, *this) {}

  void at(SimTime time, std::function<void()> what) {
    due_.push_back(std::move(what));
    events.schedule(time, *this, due_.size() - 1);
  }
  void run() {
    while (!events.idle()) events.handle_next();
  }

  EventQueue events;
  PduWork work;
  std::vector<std::pair<std::uint32_t, SimTime>> sent, taken;

 private:
  void hand_over(std::uint32_t slot) override { sent.emplace_back(slot, events.now()); }
  void take_in(std::uint32_t slot) override { taken.emplace_back(slot, events.now()); }
  void handle(std::uint64_t what) override { due_[what](); }

  std::vector<std::function<void()>> due_;
};

TEST(PduWork, WithoutCostsIsDoneAtOnce) {
  for (const PduCosts::Work work : {PduCosts::Work::pipelined, PduCosts::Work::occupying}) {
    Desk desk({work, 0_us, 0_us, 0_us});
    desk.work.send(HostId{0}, 1, true);
    desk.work.receive(HostId{1}, 0, 2, true);
    EXPECT_THAT(desk.sent, ElementsAre(Pair(1U, 0_us)));
    EXPECT_THAT(desk.taken, ElementsAre(Pair(2U, 0_us)));
    EXPECT_TRUE(desk.events.empty());
  }
}

// Each PDU is late by 100 us and 75 us; one that is sent again by 50 us more, and what comes behind it on the
// same way does not overtake it. Other ways are not held up.
TEST(PduWork, PipelinedMakesEachPduLate) {
  Desk desk(table_5_3(PduCosts::Work::pipelined));
  desk.at(0_us, [&] {
    desk.work.send(HostId{0}, 1, true);
    desk.work.receive(HostId{1}, 0, 2, false);
    desk.work.receive(HostId{1}, 0, 3, false);
    desk.work.receive(HostId{1}, 0, 4, true);
  });
  desk.at(10_us, [&] {
    desk.work.receive(HostId{1}, 1, 6, false);
    desk.work.receive(HostId{1}, 0, 5, false);
  });
  desk.run();
  EXPECT_THAT(desk.sent, ElementsAre(Pair(1U, 0_us)));
  EXPECT_THAT(desk.taken, ElementsAre(Pair(2U, 175_us), Pair(3U, 175_us), Pair(6U, 185_us), Pair(4U, 225_us),
                                      Pair(5U, 225_us)));
}

// Host 0 works 100 us on the first, 150 us on the second, then 75 us on what came meanwhile; host 1 has its
// own time.
TEST(PduWork, OccupyingIsOnePduAtATime) {
  Desk desk(table_5_3(PduCosts::Work::occupying));
  desk.at(0_us, [&] {
    desk.work.send(HostId{0}, 1, false);
    desk.work.send(HostId{0}, 2, true);
    desk.work.send(HostId{1}, 3, false);
  });
  desk.at(10_us, [&] { desk.work.receive(HostId{0}, 1, 4, false); });
  desk.at(500_us, [&] { desk.work.receive(HostId{0}, 1, 5, true); });
  desk.run();
  EXPECT_THAT(desk.sent, ElementsAre(Pair(1U, 100_us), Pair(3U, 100_us), Pair(2U, 250_us)));
  EXPECT_THAT(desk.taken, ElementsAre(Pair(4U, 325_us), Pair(5U, 575_us)));
}

/// A byte takes 1 ns on the wire and the way 1 us. The numbers of frames that port 0 sends and the network
/// loses come from the script.
template <class Protocol, class Parameters>
std::vector<Fate> fates_of(Parameters parameters, PduCosts::Work work, const std::vector<Planned>& plan,
                           LossyNetwork::Script script = nullptr) {
  parameters.costs = table_5_3(work);
  parameters.no_response = 10_s;
  EventQueue events;
  LossyCells network(events, 2, std::move(script));
  Protocol transport(events, network, 2, parameters);
  Dispatch dispatch(events, transport);
  std::vector<Fate> fates = dispatch.run(plan);
  dispatch.expect_all_delivered();
  return fates;
}

LossyNetwork::Script loses_the_first() {
  return [](const Unit& unit, std::uint64_t n) { return unit.from == PortId{0} && n == 0; };
}

// Four cells, 53 ns each. Pipelined, all are 175 us late. One at a time, the last goes at 400 us, and the
// receiver, which has had 25 us of pause after each, works 75 us on it.
TEST(PduWork, OfCells) {
  const auto fate = [](PduCosts::Work work) {
    return fates_of<PcAal>(PcAalParameters(), work, {{0_us, 0, 1, 100}})[0];
  };
  EXPECT_EQ(fate(PduCosts::Work::pipelined).departed, 212_ns);
  EXPECT_EQ(fate(PduCosts::Work::pipelined).delivered, 1212_ns + 175_us);
  EXPECT_EQ(fate(PduCosts::Work::occupying).departed, 400_us + 53_ns);
  EXPECT_EQ(fate(PduCosts::Work::occupying).delivered, 400_us + 1053_ns + 75_us);
}

// A message of one cell, which is lost: the timer for POLLs started when it was handed over. POLL, STAT and
// the repetition take 1053 ns, and 175, 175 and 225 us of work, which is the same one at a time.
TEST(PduWork, OfACellThatIsSentAgain) {
  for (const PduCosts::Work work : {PduCosts::Work::pipelined, PduCosts::Work::occupying}) {
    PcAalParameters parameters;
    parameters.poll = 1_ms;
    const auto fates = fates_of<PcAal>(parameters, work, {{0_us, 0, 1, 32}}, loses_the_first());
    EXPECT_EQ(fates[0].delivered, 1_ms + 3 * 1053_ns + 575_us);
  }
}

// The same of SSCOP: 32 B and 4 of trailer are one cell, as POLL (8 B) and STAT (12 B and an element or two).
TEST(PduWork, OfAFrameThatIsSentAgain) {
  for (const PduCosts::Work work : {PduCosts::Work::pipelined, PduCosts::Work::occupying}) {
    SscopParameters parameters;
    parameters.poll = 1_ms;
    const auto fates = fates_of<Sscop>(parameters, work, {{0_us, 0, 1, 32}}, loses_the_first());
    EXPECT_EQ(fates[0].delivered, 1_ms + 3 * 1053_ns + 575_us);
  }
}

// 8192 B are one frame of 171 cells: the work is done once, not for each cell.
TEST(PduWork, OfAFrameIsDoneOnce) {
  for (const PduCosts::Work work : {PduCosts::Work::pipelined, PduCosts::Work::occupying}) {
    const auto fates = fates_of<Sscop>(SscopParameters(), work, {{0_us, 0, 1, 8192}});
    EXPECT_EQ(fates[0].delivered, 171 * 53_ns + 1_us + 175_us);
  }
}

// A third of all frames is lost, and two hosts send to each other at once: each message comes, and once.
TEST(PduWork, DeliversAllUnderLoss) {
  std::vector<Planned> plan;
  for (int message = 0; message < 40; ++message)
    plan.push_back({message * 300_us, static_cast<std::uint32_t>(message % 2),
                    static_cast<std::uint32_t>(1 - message % 2), 20 * message});
  for (const PduCosts::Work work : {PduCosts::Work::pipelined, PduCosts::Work::occupying}) {
    std::mt19937_64 random(17);
    const auto lossy = [&random](const Unit&, std::uint64_t) { return random() % 3 == 0; };
    PcAalParameters cells;
    SscopParameters frames;
    cells.poll = frames.poll = 2_ms;
    fates_of<PcAal>(cells, work, plan, lossy);
    fates_of<Sscop>(frames, work, plan, lossy);
  }
}

}  // namespace pdu_work
}  // namespace
}  // namespace morgana::testing
