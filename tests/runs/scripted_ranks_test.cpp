#include "runs/scripted_ranks.h"

#include <gtest/gtest.h>

#include "emulator/engine/engine.h"
#include "emulator/platform/platform.h"

namespace morgana {
namespace {

// On the ideal platform, where everything but computing takes no time.
TEST(ScriptedRanks, ComputeSendAndReceiveInTheirOrder) {
  constexpr Rank here{0}, there{1};
  ScriptedRanks ranks(2);
  ranks.compute(here, SimTime::from_seconds(1));
  ranks.send(here, there, Bytes(100));
  ranks.receive(there, here, Bytes(100));
  ranks.compute(there, SimTime::from_seconds(2));
  ranks.send(there, here, Bytes(50));
  ranks.receive(here, there, Bytes(50));
  ranks.exit(here);
  ranks.exit(there);
  Machine machine = Platform::load("ideal").build(2, Placement(), 1);
  Engine engine(machine, ranks, {});
  const std::vector<SimTime> ends = engine.run();
  EXPECT_EQ(ends.at(0), SimTime::from_seconds(3));
  EXPECT_EQ(ends.at(1), SimTime::from_seconds(3));
  EXPECT_EQ(engine.unreceived_messages(), 0u);
}

}  // namespace
}  // namespace morgana
