// What becomes of a program whose transport loses messages and repeats none.

#include "emulator/messaging/losses.h"

#include <gmock/gmock.h>

#include "emulator/network/atm/atm_network.h"
#include "emulator/topology/cable_plan.h"
#include "emulator/transport/aal5/aal5.h"
#include "tests/engine/endless_timer.h"
#include "tests/engine/scripted_source.h"

namespace morgana {
namespace {

using namespace literals;
using namespace script;
using testing::HasSubstr;
using testing::Not;

/// Three hosts around a switch with four cells of buffer; a cell lasts 1 us.
Machine tight_machine() {
  Machine machine;
  for (const std::uint32_t host : {0U, 1U, 2U}) machine.host_of.push_back(HostId{host});
  AtmParameters parameters;
  parameters.network = CablePlan::uniform(topology::chain(1), 3, {BitRate(424'000'000), SimTime()}).graph();
  parameters.switches.buffer = 4;
  auto network = std::make_unique<AtmNetwork>(*machine.events, parameters, 1);
  machine.transport = std::make_unique<Aal5>(*machine.events, *network, 3, Aal5Parameters());
  machine.network = std::move(network);
  return machine;
}

// Two messages of 21 cells meet in front of host 2: every second cell is too much once the buffer is full.
ScriptedSource colliding(bool waits) {
  std::vector<Operation> receiver{receive(0, 1000, 7, 1), wait({1})};
  if (waits) receiver.insert(receiver.end(), {receive(1, 1000, 8, 2), wait({2})});
  receiver.push_back(exit());
  return ScriptedSource(
      {{send(2, 1000, 7, 1), wait({1}), exit()}, {send(2, 1000, 8, 1), wait({1}), exit()}, receiver});
}

TEST(Losses, AreNamedWhenTheProgramComesToAHalt) {
  Machine machine = tight_machine();
  ScriptedSource source = colliding(true);
  Engine engine(machine, source, {});
  try {
    engine.run();
    FAIL() << "ended";
  } catch (const Deadlock& deadlock) {
    const std::string text = deadlock.what();
    EXPECT_THAT(text, HasSubstr("rank 2: waits in MPI_Waitall for a message from rank 1 with tag 8"));
    EXPECT_THAT(text, HasSubstr("1 message was lost: a rank that waits for it waits "
                                "forever; aal5 repeats nothing: --set transport.kind=go-back-n"));
    EXPECT_THAT(text, HasSubstr("--set network.buffer=infinite"));
    // At 1, 2, 3 us two cells come and one leaves; from 4 us on there is room for one of two, until 21 us.
    EXPECT_THAT(text, HasSubstr("\n  message of 1000 bytes with tag 8 from rank 1 to rank 2, at "));
    EXPECT_THAT(text,
                HasSubstr(": 18 of 21 cells lost, the first at 0.000004000 s at the output of switch 0 to "
                          "host 2, as the switch's 4 cells of buffer were full"));
  }
}

TEST(Losses, AreNoticedBesideTimersThatGoOnForEver) {
  Machine machine = tight_machine();
  const EndlessTimer timer(*machine.events);
  ScriptedSource source = colliding(true);
  Engine engine(machine, source, {});
  EXPECT_THROW(engine.run(), Deadlock);
}

TEST(Losses, AndTimersDontKeepAProgramFromEnding) {
  Machine machine = tight_machine();
  const EndlessTimer timer(*machine.events);
  ScriptedSource source = colliding(false);
  Engine engine(machine, source, {});
  EXPECT_EQ(engine.run().size(), 3U);
}

TEST(Losses, AndTimersDontHideThatARankStillComputes) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Machine machine = tight_machine();
    const EndlessTimer timer(*machine.events);
    const Operation clock = plain(OperationKind::read_clock);  // hesitation begins after the first operation
    ScriptedSource source({{clock, after(1_ms, exit())}, {exit()}, {clock, after(2_ms, exit())}});
    source.hesitate(seed);
    EXPECT_EQ(Engine(machine, source, {}).run(), (std::vector<SimTime>{1_ms, SimTime(), 2_ms}))
        << "seed " << seed;
  }
}

TEST(Losses, AreToldWhereNobodyWaitsForThem) {
  Machine machine = tight_machine();
  ScriptedSource source = colliding(false);
  Engine engine(machine, source, {});
  engine.run();
  EXPECT_EQ(engine.lost_messages(), 1U);
  EXPECT_THAT(engine.loss_report(), HasSubstr("from rank 1 to rank 2"));
}

TEST(Losses, ListOnlyTheFirst) {
  Losses losses;
  EXPECT_EQ(losses.report("x"), "");
  for (int tag = 0; tag < 7; ++tag)
    losses.add({"message", world_context, Rank{0}, Rank{1}, Tag{tag}, 10_B, 1_us, std::nullopt, ""});
  losses.add({"access to memory", world_context, Rank{0}, Rank{1}, any_tag, 10_B, 2_us, std::nullopt, ""});
  EXPECT_EQ(losses.count(), 8U);
  const std::string text = losses.report("");
  EXPECT_THAT(text, HasSubstr("8 messages were lost"));
  EXPECT_THAT(text, HasSubstr("tag 4"));
  EXPECT_THAT(text, Not(HasSubstr("tag 5")));
  EXPECT_THAT(text, HasSubstr("\n  and 3 more"));
}

}  // namespace
}  // namespace morgana
