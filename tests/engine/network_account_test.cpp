#include <gmock/gmock.h>

#include "emulator/engine/engine.h"
#include "tests/engine/logp_machine.h"
#include "tests/engine/scripted_source.h"

namespace morgana {
namespace {

using namespace literals;
using namespace script;

/// A network that takes no time and tells until when it was asked to count, and how many units it had then.
class CountingNetwork : public Network {
 public:
  void inject(const Unit& unit) override {
    ++units_;
    listener_->unit_departed(unit.id, unit.from);
    listener_->unit_delivered(unit.id, unit.to);
  }
  Bytes largest_unit() const override { return Bytes(1 << 20); }
  std::vector<CounterTable> counted(SimTime until) override {
    return {{"asked", {{"until"}, {"units"}}, {{until.ps(), units_}}}};
  }
  NetworkLinks links(SimTime until) override { return {"units", {{{}, {}, units_, until.seconds()}}}; }

 private:
  std::int64_t units_ = 0;
};

/// As go-back-n's that watches an acknowledged unit: it expires long after all is over, and finds nothing.
struct LateTimer : EventHandler {
  void handle(std::uint64_t) override {}
};

// Rank 1 computes for 30 us and exits; whatever rank 0 did was earlier. The timer expires at 200 ms.
TEST(NetworkAccount, EndsWithTheLastRankAndNotWithAnIdleTimer) {
  Machine machine = logp_machine(2);
  machine.network = std::make_unique<CountingNetwork>();
  machine.transport = std::make_unique<DirectTransport>(*machine.network);
  LateTimer timer;
  machine.events->schedule(200_ms, timer, 0);
  ScriptedSource source(
      {{send(1, 100, 7, 1), wait({1}), exit()}, {receive(0, 100, 7, 1), wait({1}), after(30_us, exit())}});
  NetworkAccount account(machine, true, true);
  Engine engine(machine, source, {});
  const std::vector<SimTime> exits = engine.run([&account](SimTime end) { account.close(end); });
  EXPECT_GE(engine.now(), 200_ms) << "what is under way goes on";
  EXPECT_LT(exits.at(1), 100_us);
  EXPECT_EQ(account.links().loads.at(0).utilisation, exits.at(1).seconds());
  EXPECT_EQ(std::get<std::int64_t>(account.counters().at(0).rows.at(0).at(0)), exits.at(1).ps());
}

}  // namespace
}  // namespace morgana
