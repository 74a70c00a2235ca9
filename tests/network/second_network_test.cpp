// The smallest network: what a folder beside emulator/network/logp has to hold.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "emulator/core/event_queue.h"
#include "tests/network/harness.h"

namespace morgana::testing {
namespace {
using namespace literals;

/// A crossbar without contention at its outputs: a port sends a byte each nanosecond, one unit after the
/// other, and a unit comes out 100 ns after its last bit has left.
class Crossbar final : public Network, private EventHandler {
 public:
  Crossbar(EventQueue& events, std::size_t ports) : events_(events), port_free_(ports) {}
  void inject(const Unit& unit) override {
    SimTime& free = port_free_[static_cast<std::size_t>(unit.from)];
    free = std::max(free, events_.now()) + unit.size.count() * 1_ns;
    const std::uint64_t number = units_.size();
    units_.push_back(unit);
    events_.schedule(free, *this, 2 * number);
    events_.schedule(free + latency, *this, 2 * number + 1);
  }
  Bytes largest_unit() const override { return Bytes(4096); }
  SimTime least_latency() const override { return latency; }

 private:
  static constexpr SimTime latency = SimTime::from_ps(100'000);
  void handle(std::uint64_t what) override {
    const Unit unit = units_[what / 2];
    if (what % 2 == 0) return listener_->unit_departed(unit.id, unit.from);
    listener_->unit_delivered(unit.id, unit.to);
  }

  EventQueue& events_;
  std::vector<SimTime> port_free_;
  std::deque<Unit> units_;
};

TEST(SecondNetwork, CarriesUnitsBesideTheOthers) {
  EventQueue events;
  Crossbar network(events, 3);
  Experiment experiment(events, network);
  const auto& fates = experiment.run({{0_ns, 0, 1, 1000}, {0_ns, 2, 1, 10}, {500_ns, 0, 2, 200}});
  experiment.expect_conservation();
  EXPECT_EQ(fates[0], (Fate{1000_ns, 1100_ns, {}}));
  EXPECT_EQ(fates[1], (Fate{10_ns, 110_ns, {}}));
  EXPECT_EQ(fates[2], (Fate{1200_ns, 1300_ns, {}}));  // behind the first unit of its port
}

}  // namespace
}  // namespace morgana::testing
