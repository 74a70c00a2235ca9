#include <gtest/gtest.h>

#include "emulator/engine/engine.h"
#include "tests/engine/logp_machine.h"
#include "tests/engine/scripted_source.h"

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

/// Two ranks of one host or of two, one message and an allreduce of `bytes`, with the costs that `set_costs`
/// gives the machine. @return what the run is refused with; empty if it is not
template <typename SetCosts>
std::string refusal_of(std::int64_t bytes, std::size_t ranks_per_host, SetCosts set_costs) {
  const Operation all = collective(CollectiveKind::allreduce, bytes, 2);
  ScriptedSource source({{send(1, bytes, 5, 1), script::wait({1}), all, script::wait({2}), exit()},
                         {receive(0, bytes, 5, 1), script::wait({1}), all, script::wait({2}), exit()}});
  Machine machine = logp_machine(2, ranks_per_host);
  set_costs(machine);
  try {
    Engine(machine, source, {}).run();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// At 1 ms a byte the 53 days pass with the 4,611,686,018th byte: 2^34 bytes suffice, also where two ranks
// reduce half of them each. 2^36 bytes take 6.9e19 ps, 3.7 times what the clock's 64 bits count; 2^55 and
// 2^59 bytes take a multiple of 2^64 ps, which would look like none.
TEST(EndOfTime, IsToldOfBytesThatCostMoreThanTimeCanCount) {
  constexpr ByteCost dear = ByteCost::from_fs(1'000'000'000'000);  // 1 ms
  for (const unsigned power : {34U, 36U, 40U, 44U, 50U, 55U, 57U, 59U}) {
    SCOPED_TRACE(testing::Message() << "2^" << power << " bytes");
    const std::int64_t bytes = std::int64_t{1} << power;
    const auto refused = [&](std::size_t ranks_per_host, auto set_costs) {
      return refusal_of(bytes, ranks_per_host, set_costs).starts_with("simulated time passes its end");
    };
    const auto eager = [bytes](Machine& machine) {
      machine.messages.eager_limit = machine.messages.local_eager_limit = Bytes(bytes);
    };
    EXPECT_TRUE(refused(1, [&](Machine& machine) {
      eager(machine);
      machine.messages.send_per_byte = dear;
    }));
    EXPECT_TRUE(refused(1, [&](Machine& machine) {
      eager(machine);
      machine.messages.receive_per_byte = dear;
    }));
    EXPECT_TRUE(refused(1, [&](Machine& machine) { machine.messages.reduce_per_byte = dear; }));
    EXPECT_TRUE(refused(2, [&](Machine& machine) { machine.messages.copy_per_byte = dear; }));
    EXPECT_TRUE(refused(2, [&](Machine& machine) {
      eager(machine);
      machine.messages.copy_per_byte = dear;
    }));
    EXPECT_TRUE(refused(1, [&](Machine& machine) {
      machine.network = std::make_unique<LogpNetwork>(*machine.events, 2, LogpParameters{L, g, dear});
      machine.transport = std::make_unique<DirectTransport>(*machine.network);
    }));
  }
}

TEST(EndOfTime, IsToldWithWhatRanksDoAndHowToMendIt) {
  const std::string refusal = refusal_of(std::int64_t{1} << 40, 2, [](Machine& machine) {
    machine.messages.copy_per_byte = ByteCost::from_fs(1'000'000'000'000);
  });
  EXPECT_NE(refusal.find("Lower the platform's costs"), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("rank 0: waits in MPI_Waitall to send 1099511627776 bytes to rank 1"),
            std::string::npos)
      << refusal;
}

TEST(EndOfTime, IsNotReachedBySizesThatNoSumHolds) {
  const auto free = [](Machine&) {};
  // 2^60 bytes by 2 ranks.
  constexpr std::int64_t most = std::int64_t{1} << 59;
  EXPECT_EQ(refusal_of(most + 1, 2, free).find("rank "), 0U);
  EXPECT_NE(refusal_of(most + 1, 2, free).find("names 576460752303423489 bytes; with 2 ranks"),
            std::string::npos);
  EXPECT_TRUE(refusal_of(most, 2, free).starts_with("simulated time passes its end"));
}

}  // namespace
}  // namespace morgana
