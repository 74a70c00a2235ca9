// What chance does to packets for as long as there are any: up to a fifth of them lost or corrupted, as many
// duplicated, and late ones, while endpoints come and go.
#include <gtest/gtest.h>

#include <cstdint>

#include "emulator/core/random.h"
#include "tests/interface/am2/wires.h"
#include "tests/support/effort.h"

namespace morgana::testing {
namespace {
using namespace am2_bench;

struct Chances {
  double lost, twice, late, unloaded;  // of both ends each
};

PacketFate fate_of(const Chances& chances, RandomStream& random) {
  double left = random.uniform();
  const auto is = [&left](double share) { return (left -= share) < 0; };
  if (is(chances.lost)) return lost;
  if (is(chances.twice)) return twice;
  if (is(chances.late)) return late;
  if (is(chances.unloaded)) return sender_is_unloaded;
  return is(chances.unloaded) ? receiver_is_unloaded : on_time;
}

/// Messages of up to 300 bytes between any two of three interfaces, and their two endpoints each.
Wave some_messages(std::uint32_t first, RandomStream& random) {
  constexpr std::uint32_t messages = 40;
  Wave wave;
  for (std::uint32_t number = first; number < first + messages; ++number) {
    const auto from = static_cast<std::uint32_t>(random.below(3));
    const auto to = static_cast<std::uint32_t>((from + 1 + random.below(2)) % 3);
    wave.push_back({from, to, number, static_cast<std::int64_t>(random.below(300)),
                    static_cast<std::uint32_t>(random.below(2))});
  }
  return wave;
}

/// @return what the interfaces have counted in all runs; each has two waves of messages, and the second finds
/// the tables as the first has left them
am2::FirmwareCounters run_with(const Chances& chances, std::uint32_t tries) {
  constexpr std::uint64_t runs = 400;
  am2::FirmwareCounters all;
  for (std::uint64_t seed = 1; seed <= random_cases(runs) && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    am2::Parameters parameters = firmware_parameters();
    parameters.tries = tries;
    parameters.load = SimTime::from_ps(3'000'000);
    RandomStream random(seed, "faults");
    Wires wires(parameters, [&] { return fate_of(chances, random); });
    for (const std::uint32_t first : {0U, 1000U}) {
      wires.post(some_messages(first, random));
      wires.run();
      wires.expect_settled(false);
    }
    all += wires.counters();
  }
  return all;
}

TEST(Am2Faults, AFifthOfThePacketsIsDuplicated) {
  const am2::FirmwareCounters counted = run_with({0, 0.2, 0, 0}, 255);
  EXPECT_GT(counted.duplicates, 0u);
  EXPECT_EQ(counted.returned, 0u);
}

TEST(Am2Faults, AFifthIsDuplicatedAndAFifthLost) {
  const am2::FirmwareCounters counted = run_with({0.2, 0.2, 0, 0}, 255);
  EXPECT_GT(counted.duplicates, 0u);
  EXPECT_GT(counted.repeated, 0u);
  EXPECT_EQ(counted.returned, 0u);
}

TEST(Am2Faults, EndpointsComeAndGoMeanwhile) {
  const am2::FirmwareCounters counted = run_with({0.2, 0.2, 0.05, 0.05}, 255);
  EXPECT_GT(counted.unloads, 0u);
  EXPECT_EQ(counted.returned, 0u);
}

// A packet is given up after one or two scans, so that some are returned; none is to be delivered as well.
TEST(Am2Faults, WhatIsGivenUpIsReturnedOnceAndNotDelivered) {
  for (const std::uint32_t tries : {1U, 2U})
    EXPECT_GT(run_with({0.2, 0.2, 0.05, 0.05}, tries).returned, 0u) << tries;
}

/// Few channels, frames, entries and buffers, short and long residence, and chances up to a half.
am2::Parameters some_parameters(RandomStream& random) {
  const auto one_to = [&random](std::uint64_t most) {
    return static_cast<std::int64_t>(1 + random.below(most));
  };
  am2::Parameters parameters = firmware_parameters();
  parameters.load = one_to(40) * 1_us;
  parameters.residence = one_to(100) * 1_us;
  parameters.tries = random.below(4) == 0 ? 255 : static_cast<std::uint32_t>(one_to(4));
  parameters.channels = one_to(4);
  parameters.frames = one_to(3);
  parameters.receive_queue = one_to(4);
  parameters.receive_buffers = one_to(4);
  return parameters;
}

// Three waves of messages, each of which finds the tables as the last has left them.
TEST(Am2Faults, InterfacesOfAllSizes) {
  constexpr std::uint64_t runs = 400;
  am2::FirmwareCounters all;
  for (std::uint64_t seed = 1; seed <= random_cases(runs) && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    RandomStream random(seed, "sizes");
    const am2::Parameters parameters = some_parameters(random);
    const Chances chances{0.2 * random.uniform(), 0.5 * random.uniform(), 0.1 * random.uniform(),
                          0.1 * random.uniform()};
    Wires wires(parameters, [&] { return fate_of(chances, random); });
    for (const std::uint32_t first : {0U, 1000U, 2000U}) {
      wires.post(some_messages(first, random));
      wires.run();
      wires.expect_settled(false);
    }
    all += wires.counters();
  }
  EXPECT_GT(all.returned, 0u);
  EXPECT_GT(all.unloads, 0u);
}

}  // namespace
}  // namespace morgana::testing
