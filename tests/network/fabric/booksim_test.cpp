// The fabric on the configuration of another simulator: BookSim 2 (Jiang et al., "A Detailed and Flexible
// Cycle-Accurate Network-on-Chip Simulator", ISPASS 2013) at its revision 28f43299, input-queued routers of
// three cycles, 8 x 8 switches with a host each, dimension order, four virtual channels of 8 flits, packets
// of one flit, Bernoulli injection. Its figures stand here; docs/fabric.md compares and explains.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "emulator/core/random.h"
#include "emulator/network/fabric/fabric_network.h"
#include "emulator/routing/dimension_order.h"
#include "emulator/topology/torus.h"

namespace morgana {
namespace {

constexpr unsigned side = 8, hosts = side * side;
constexpr SimTime cycle = SimTime::from_ps(1'000);
constexpr std::int64_t warm_up = 2'000;  // cycles

enum class Pattern : std::uint8_t { uniform, tornado };

struct Point {
  bool torus;
  Pattern pattern;
  double load;
  std::int64_t measured = 8'000;  ///< cycles
};

/// Packets of one flit from every host with a probability in every cycle.
class BernoulliLoad : private EventHandler, private UnitListener {
 public:
  BernoulliLoad(EventQueue& events, Network& network, const Point& point)
      : events_(events), network_(network), point_(point) {
    network.report_to(*this);
    events.schedule(cycle, *this);
    constexpr std::int64_t drained = 1'000;  // what is created last is delivered by then, but past saturation
    while (!events.empty() && events.now() < (warm_up + point.measured + drained) * cycle)
      events.handle_next();
  }
  /// In cycles, from the creation of a packet to its tail's arrival, of those created in the measured time.
  double mean_latency() const { return latencies_ / static_cast<double>(packets_); }
  /// Flits delivered a host and cycle in the measured time.
  double accepted() const {
    return static_cast<double>(delivered_) / (hosts * static_cast<double>(point_.measured));
  }

 private:
  bool counts(SimTime at) const { return at >= warm_up * cycle && at < (warm_up + point_.measured) * cycle; }
  void handle(std::uint64_t) override {
    for (std::uint32_t host = 0; host < hosts; ++host)
      if (random_.chance(point_.load)) create(host);
    if (events_.now() < (warm_up + point_.measured) * cycle) events_.schedule(events_.now() + cycle, *this);
  }
  void create(std::uint32_t host) {
    const std::uint32_t x = (host + side / 2 - 1) % side, y = (host / side + side / 2 - 1) % side;
    const auto to =
        point_.pattern == Pattern::tornado ? x + y * side : static_cast<std::uint32_t>(random_.below(hosts));
    if (to != host) {
      created_.push_back(events_.now());
      network_.inject({UnitId{created_.size() - 1}, PortId{host}, PortId{to}, Bytes(64)});
    } else if (counts(events_.now())) {
      constexpr double through_one_router = 3 + 2 + 1;
      latencies_ += through_one_router;
      ++packets_;
      ++delivered_;
    }
  }
  void unit_departed(UnitId, PortId) override {}
  void unit_delivered(UnitId id, PortId) override {
    const SimTime created = created_[static_cast<std::size_t>(id)];
    if (counts(events_.now())) ++delivered_;
    if (!counts(created)) return;
    latencies_ += (events_.now() - created).seconds() / cycle.seconds();
    ++packets_;
  }
  void unit_lost(UnitId) override { FAIL(); }

  EventQueue& events_;
  Network& network_;
  Point point_;
  RandomStream random_{7, "booksim"};
  std::vector<SimTime> created_;
  double latencies_ = 0;
  std::int64_t packets_ = 0, delivered_ = 0;
};

template <typename Result>
Result loaded(const Point& point, Result (BernoulliLoad::*result)() const) {
  const topology::TorusShape shape{.sides = {side, side}, .hosts_per_switch = 1, .ports_per_switch = 5};
  const SwitchGraph graph = point.torus ? topology::torus(shape) : topology::mesh(shape);
  fabric::FabricParameters parameters;
  parameters.queueing = fabric::Queueing::input_queues;
  parameters.latency = 3 * cycle;
  parameters.credit_delay = cycle;
  parameters.lanes = point.torus ? 2 : 4;  // of each of the routing's: two on a torus, one on a mesh
  parameters.buffer = Bytes(8 * 64);
  parameters.packet.largest = Bytes(64);
  EventQueue events;
  FabricNetwork network(events, CabledGraph::uniform(graph, {BitRate(512'000'000'000), cycle}), parameters,
                        std::make_shared<DimensionOrderRouting>(graph, Grid{{side, side}, point.torus}));
  return (BernoulliLoad(events, network, point).*result)();
}

double latency(bool torus, Pattern pattern, double load) {
  return loaded({torus, pattern, load}, &BernoulliLoad::mean_latency);
}

// Every flit passes R routers of 3 cycles, R + 1 links of 1, and takes 1 itself; tornado: R = 7.
TEST(BookSim, HasTheSameLatencyWithoutLoad) {
  EXPECT_NEAR(latency(true, Pattern::tornado, 0.01), 30.04, 0.1);
  EXPECT_NEAR(latency(true, Pattern::uniform, 0.01), 21.97, 0.02 * 21.97);
  EXPECT_NEAR(latency(false, Pattern::uniform, 0.01), 27.35, 0.02 * 27.35);
}

TEST(BookSim, HasTheSameLatencyAtHalfOfItsSaturation) {
  EXPECT_NEAR(latency(true, Pattern::tornado, 0.1), 30.80, 0.02 * 30.80);
  EXPECT_NEAR(latency(true, Pattern::uniform, 0.3), 22.98, 0.02 * 22.98);
  EXPECT_NEAR(latency(false, Pattern::uniform, 0.2), 27.83, 0.02 * 27.83);
}

// Its allocator leaves outputs idle that inputs could use; it accepts 0.53 and 0.40 of full load, and loses
// stability from 0.60 and 0.42 on. A mesh's bisection limits it to 0.5.
TEST(BookSim, SaturatesSooner) {
  const double torus = loaded({true, Pattern::uniform, 1.0, 2'000}, &BernoulliLoad::accepted);
  EXPECT_GT(torus, 0.60);
  EXPECT_LT(torus, 1.0);
  const double mesh = loaded({false, Pattern::uniform, 1.0, 2'000}, &BernoulliLoad::accepted);
  EXPECT_GT(mesh, 0.42);
  EXPECT_LT(mesh, 0.50);
}

}  // namespace
}  // namespace morgana
