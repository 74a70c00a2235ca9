#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "emulator/core/random.h"
#include "emulator/engine/engine.h"
#include "tests/engine/push_pull_machine.h"
#include "tests/engine/scripted_source.h"
#include "tests/transport/lossy_network.h"

/// What ranks do in tests of push-pull messaging, and machines that lose units.
namespace morgana::push_pull_scripts {

inline std::vector<SimTime> run(Machine machine, std::vector<std::vector<Operation>> scripts) {
  ScriptedSource source(std::move(scripts));
  return Engine(machine, source, {}).run();
}
inline std::vector<Operation> sends(int to, std::int64_t bytes, SendMode mode = SendMode::standard) {
  using namespace script;
  return {send(to, bytes, 5, 1, mode), wait({1}), exit()};
}
inline std::vector<Operation> receives(int from, std::int64_t bytes, SimTime at = SimTime()) {
  using namespace script;
  return {after(at, receive(from, bytes, 5, 1)), wait({1}), exit()};
}

/// @param lost  which unit of which port, if any
inline Machine lossy_machine(const PushPullCase& one, testing::LossyNetwork::Script lost) {
  auto events = std::make_unique<EventQueue>();
  auto network = std::make_unique<testing::LossyNetwork>(*events, 2, std::move(lost));
  return one.machine(std::move(network), std::move(events));
}

/// Four ranks on two hosts.
inline PushPullCase random_case(std::uint64_t seed) {
  using namespace literals;
  RandomStream random(seed, "push-pull");
  const auto bytes = [&] { return static_cast<std::int64_t>(random.below(6000)); };
  PushPullCase one;
  one.host_of = {HostId{0}, HostId{0}, HostId{1}, HostId{1}};
  one.push = bytes();
  one.second_push = bytes();
  one.eager_limit = random.chance(0.3) ? 1 << 20 : bytes();
  one.local_push = bytes();
  one.local_eager_limit = random.chance(0.3) ? 1 << 20 : bytes();
  one.slot = random.chance(0.5) ? 2048 : 1 + bytes();
  one.pushed_buffer = one.slot + bytes();
  one.tries = 0;
  if (random.chance(0.5)) one.translation = KernelMessages::Translation::first;
  one.polls = random.chance(0.3);
  if (random.chance(0.5)) one.bus = {ByteCost::from_fs(2'000'000), ByteCost::from_fs(1'000'000), {}, 500_B};
  return one;
}

}  // namespace morgana::push_pull_scripts
