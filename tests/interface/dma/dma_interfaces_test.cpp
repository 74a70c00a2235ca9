#include "emulator/interface/dma/dma_interfaces.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "tests/interface/dma/round_numbers.h"

namespace morgana {
namespace {
using namespace literals;
using testing::ElementsAre;

constexpr Bytes lost_size(77);

/// Its wires lose units of that size. They send a unit in 300 ns, one after the other, and bring it there 700
/// ns later.
class Wires : public Network, private EventHandler {
 public:
  explicit Wires(EventQueue& events) : events_(events) {}
  void inject(const Unit& unit) override {
    const auto number = static_cast<std::uint64_t>(unit.id);
    units_[number] = unit;
    SimTime& free = free_[unit.from];
    free = std::max(free, events_.now()) + 300_ns;
    events_.schedule(free, *this, 2 * number);
    events_.schedule(free + 700_ns, *this, 2 * number + 1);
  }
  Bytes largest_unit() const override { return Bytes(1500); }

 private:
  void handle(std::uint64_t what) override {
    const Unit& unit = units_.at(what / 2);
    if (what % 2 == 0) return listener_->unit_departed(unit.id, unit.from);
    if (unit.size == lost_size) return listener_->unit_lost(unit.id);
    listener_->unit_delivered(unit.id, unit.to);
  }
  EventQueue& events_;
  std::map<std::uint64_t, Unit> units_;
  std::map<PortId, SimTime> free_;
};

class DmaInterfacesTest : public ::testing::Test, private EventHandler, private UnitListener {
 protected:
  void make(const DmaParameters& parameters) {
    network_ =
        std::make_unique<DmaInterfaces>(events_, round_numbers, parameters, std::make_unique<Wires>(events_));
    network_->report_to(*this);
  }
  void inject(SimTime at, std::uint32_t from, Bytes size) {
    units_.push_back({UnitId{units_.size()}, PortId{from}, PortId{1 - from}, size});
    events_.schedule(at, *this, units_.size() - 1);
    departed.emplace_back();
    delivered.emplace_back();
  }
  void run() {
    while (!events_.empty()) events_.handle_next();
  }
  std::vector<SimTime> departed, delivered;
  std::vector<std::size_t> lost;

 private:
  void handle(std::uint64_t what) override { network_->inject(units_[what]); }
  void unit_departed(UnitId id, PortId) override { departed[static_cast<std::size_t>(id)] = events_.now(); }
  void unit_delivered(UnitId id, PortId) override { delivered[static_cast<std::size_t>(id)] = events_.now(); }
  void unit_lost(UnitId id) override { lost.push_back(static_cast<std::size_t>(id)); }

  EventQueue events_;
  std::unique_ptr<Network> network_;
  std::vector<Unit> units_;
};

// Two words of the descriptor until 208 ns, a burst until 408, the wire until 1408, a burst.
TEST_F(DmaInterfacesTest, CrossBothBuses) {
  make({8_B, 0_B, 2});
  inject(0_ns, 0, 100_B);
  run();
  EXPECT_THAT(departed, ElementsAre(408_ns));
  EXPECT_THAT(delivered, ElementsAre(1608_ns));
}

// 25 words of 104 ns.
TEST_F(DmaInterfacesTest, LeaveShortUnitsToTheProcessor) {
  make({8_B, 100_B, 2});
  inject(0_ns, 0, 100_B);
  run();
  EXPECT_THAT(departed, ElementsAre(2600_ns));
}

// Host 1's unit is fetched until 400 ns and is at host 0 at 1400. There a unit of three bursts leaves since
// 1150 ns: its second burst lasts until 1550. Then what comes has the bus until 1750, what leaves its last
// burst until 1950, and what comes its own until 2150. The unit that leaves takes 1000 ns more, and 600 at
// host 1.
TEST_F(DmaInterfacesTest, ShareTheirHostsBusBetweenWhatLeavesAndWhatComes) {
  make({0_B, 0_B, 2});
  inject(0_ns, 1, 200_B);
  inject(1150_ns, 0, 300_B);
  run();
  EXPECT_THAT(departed, ElementsAre(400_ns, 1950_ns));
  EXPECT_THAT(delivered, ElementsAre(2150_ns, 3550_ns));
}

// Fetches end at 200 and 400 ns; the third waits for room, until the first has left the wire at 500 ns.
TEST_F(DmaInterfacesTest, HoldOnlySoManyUnits) {
  make({0_B, 0_B, 2});
  for (int i = 0; i < 3; ++i) inject(0_ns, 0, 100_B);
  run();
  EXPECT_THAT(departed, ElementsAre(200_ns, 400_ns, 700_ns));
}

TEST_F(DmaInterfacesTest, TellOfWhatTheNetworkLoses) {
  make({0_B, 0_B, 1});
  inject(0_ns, 0, lost_size);
  inject(0_ns, 0, 100_B);
  run();
  EXPECT_THAT(lost, ElementsAre(0));
  EXPECT_THAT(departed,
              ElementsAre(177_ns, 677_ns));  // the only unit that it holds leaves the wire at 477 ns
  EXPECT_THAT(delivered, ElementsAre(SimTime(), 1877_ns));
}

}  // namespace
}  // namespace morgana
