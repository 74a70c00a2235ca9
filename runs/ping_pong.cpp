#include "runs/ping_pong.h"

#include <fmt/format.h>

#include <vector>

#include "emulator/core/quantity.h"
#include "emulator/engine/engine.h"
#include "runs/scripted_ranks.h"

namespace morgana {
namespace {

constexpr Rank ping{0}, pong{1};

/// When a rank's waits end.
class EndsOfWaits : public OperationObserver {
 public:
  explicit EndsOfWaits(Rank rank) : rank_(rank) {}
  void operation_ended(Rank rank, const Operation& operation, SimTime, SimTime end,
                       std::span<const Completed>) override {
    if (rank == rank_ && operation.kind == OperationKind::wait) ends_.push_back(end);
  }
  SimTime first() const { return ends_.front(); }
  SimTime last() const { return ends_.back(); }

 private:
  Rank rank_;
  std::vector<SimTime> ends_;
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

void run_to_the_end(const Platform& platform, Machine& machine, ScriptedRanks& ranks, EndsOfWaits& ends,
                    Bytes size) {
  ranks.exit(ping);
  ranks.exit(pong);
  OperationObserver* const observers[] = {&ends};
  Engine engine(machine, ranks, observers);
  try {
    engine.run();
  } catch (const Deadlock&) {
    throw Error(platform.name() + ": " + never_arrived(machine, "a message of " + to_text(size)));
  }
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
  Machine machine = machine_for(platform, places, seed);
  EndsOfWaits ends(ping);
  run_to_the_end(platform, machine, ranks, ends, size);
  return SimTime::from_ps(ends.last().ps() / static_cast<std::int64_t>(2 * rounds));
}

SimTime message_stream(const Platform& platform, Bytes size, std::size_t window, std::uint64_t seed) {
  constexpr std::size_t rounds = 2, burst = 16;
  constexpr Bytes receipt(4);
  ScriptedRanks ranks(2);
  for (std::size_t round = 0; round < rounds && window > 0; ++round) {
    std::vector<RequestId> sends, receives;
    for (std::size_t i = 0; i < window; ++i) {
      sends.push_back(ranks.begin_send(ping, pong, size));
      receives.push_back(ranks.begin_receive(pong, ping, size));
    }
    for (const RequestId one : sends) ranks.wait(ping, one);
    for (const RequestId one : receives) ranks.wait(pong, one);
    ranks.receive(ping, pong, receipt);
    ranks.send(pong, ping, receipt);
  }
  for (std::size_t i = 0; i <= burst && window == 0; ++i) {
    ranks.send(ping, pong, size);
    ranks.receive(pong, ping, size);
  }
  Machine machine = machine_for(platform, PingPongPlaces::two_hosts, seed);
  EndsOfWaits ends(window > 0 ? ping : pong);
  run_to_the_end(platform, machine, ranks, ends, size);
  const SimTime start = window > 0 ? SimTime() : ends.first();
  return SimTime::from_ps((ends.last() - start).ps() /
                          static_cast<std::int64_t>(window > 0 ? rounds * window : burst));
}

}  // namespace morgana
