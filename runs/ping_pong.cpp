#include "runs/ping_pong.h"

#include <fmt/format.h>

#include "emulator/core/quantity.h"
#include "emulator/engine/engine.h"
#include "runs/scripted_ranks.h"

namespace morgana {
namespace {

constexpr Rank ping{0}, pong{1};

/// When the ping's last call ends.
class LastEnd : public OperationObserver {
 public:
  void operation_ended(Rank rank, const Operation& operation, SimTime, SimTime end,
                       std::span<const Completed>) override {
    if (rank == ping && operation.kind == OperationKind::wait) time_ = end;
  }
  SimTime time() const { return time_; }

 private:
  SimTime time_;
};

Machine machine_for(const Platform& platform, PingPongPlaces places, std::uint64_t seed) {
  const bool together = places == PingPongPlaces::one_host;
  Placement placement;
  placement.kind = together ? Placement::Kind::block : Placement::Kind::cyclic;
  Machine machine = platform.without_background().build(2, placement, seed);
  if (together == (machine.host_of.at(0) == machine.host_of.at(1))) return machine;
  throw Error(
      together ? fmt::format("{}: a host has no two processors for two ranks that exchange within it; set "
                             "hosts.processors to 2 or more",
                             platform.name())
               : fmt::format("{}: both ranks are on one host, with no network between them; set hosts.count "
                             "to 2 or more",
                             platform.name()));
}

}  // namespace

SimTime ping_pong(const Platform& platform, PingPongPlaces places, Bytes size, std::size_t rounds,
                  std::uint64_t seed) {
  ScriptedRanks ranks(2);
  for (std::size_t i = 0; i < rounds; ++i) {
    ranks.send(ping, pong, size);
    ranks.receive(ping, pong, size);
    ranks.receive(pong, ping, size);
    ranks.send(pong, ping, size);
  }
  ranks.exit(ping);
  ranks.exit(pong);
  Machine machine = machine_for(platform, places, seed);
  LastEnd last;
  OperationObserver* const observers[] = {&last};
  Engine engine(machine, ranks, observers);
  try {
    engine.run();
  } catch (const Deadlock&) {
    throw Error(platform.name() + ": " + never_arrived(machine, "a message of " + to_text(size)));
  }
  return SimTime::from_ps(last.time().ps() / static_cast<std::int64_t>(2 * rounds));
}

}  // namespace morgana
