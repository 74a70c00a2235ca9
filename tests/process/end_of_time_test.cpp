#include <gtest/gtest.h>

#include "emulator/process/engine.h"
#include "tests/process/logp_machine.h"
#include "tests/process/scripted_source.h"

namespace morgana {
namespace {

using namespace literals;
using namespace script;

constexpr SimTime half = SimTime::from_ps(std::int64_t{1} << 61),
                  whole = SimTime::from_ps(std::int64_t{1} << 62);

Operation sleep_for(SimTime duration) {
  Operation sleep;
  sleep.kind = OperationKind::sleep;
  sleep.duration = duration;
  return sleep;
}

/// What the run of one rank is refused with; empty if it is not.
std::string refusal_of(std::vector<Operation> operations) {
  operations.push_back(exit());
  ScriptedSource source({operations});
  Machine machine = logp_machine(1);
  try {
    Engine(machine, source, {}).run();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(EndOfTime, IsToldOfARankThatComputesBeyondIt) {
  EXPECT_EQ(refusal_of({after(half, Operation())}), "");
  EXPECT_NE(
      refusal_of({after(half, Operation()), after(half, Operation())}).find("rank 0 computes or sleeps"),
      std::string::npos);
}

TEST(EndOfTime, IsToldOfARankThatSleepsBeyondIt) {
  for (const SimTime duration : {whole, SimTime::max()})
    EXPECT_NE(refusal_of({after(half, sleep_for(duration))}).find("rank 0 computes or sleeps"),
              std::string::npos);
}

TEST(EndOfTime, IsToldOfAWaitWhoseLimitLiesBeyondIt) {
  Operation wait = script::wait({1});
  for (const SimTime limit : {whole, SimTime::max()}) {
    wait.duration = limit;
    EXPECT_NE(refusal_of({after(half, receive(0, 8, 5, 1)), wait}).find("simulated time passes its end"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace morgana
