// Traffic on virtual lanes, and what it does without them.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/network/fabric/fabric_network.h"
#include "emulator/routing/laned_routing.h"
#include "emulator/routing/switch_tables.h"
#include "emulator/topology/kinds/torus.h"
#include "emulator/topology/listed/listed_items.h"

namespace morgana::testing {
namespace {

using namespace literals;

constexpr std::size_t hosts_of_ring = 5;

/// Each of five hosts at five switches sends 400 packets to the one two further on, and 400 to the one two
/// back. A buffer holds one packet.
class FullRing : private EventHandler, private UnitListener {
 public:
  /// The switches are a ring.
  explicit FullRing(std::shared_ptr<const Routing> routing)
      : network_(CabledGraph::uniform(graph(), {BitRate(8'000'000'000), 10_ns})),
        fabric_(events_, network_, parameters(), std::move(routing)) {
    send_at(SimTime());
  }
  /// They are all joined, until the chords fail and leave a ring. Packets are sent when ways lead round
  /// these.
  explicit FullRing(RoutesKind routes)
      : network_(CabledGraph::uniform(joined(), {BitRate(8'000'000'000), 10_ns})),
        faults_(listed_faults(chords(), network_.graph)),
        fabric_(events_, network_, parameters(), tables(routes), faults_) {
    send_at(3_us);
  }
  static SwitchGraph joined() {
    SwitchGraph graph;
    for (SwitchId at = 0; at < hosts_of_ring; ++at) {
      graph.add_switch(hosts_of_ring);
      graph.add_host(at);
      for (SwitchId other = 0; other < at; ++other) graph.connect(other, at);
    }
    return graph;
  }
  SwitchTables tables(RoutesKind routes) const {
    return {network_, RoutesParameters{.routes = routes}, faults_, 1_us};
  }
  static SwitchGraph graph() {
    return topology::torus({.sides = {hosts_of_ring}, .hosts_per_switch = 1, .ports_per_switch = 3});
  }
  std::uint64_t sent() const { return sent_; }
  std::uint64_t delivered() const { return delivered_; }

 private:
  static fabric::FabricParameters parameters() {
    fabric::FabricParameters parameters;
    parameters.packet.largest = Bytes(1'000);
    parameters.buffer = Bytes(1'024);
    return parameters;
  }
  static std::vector<std::string> chords() {
    return {"cable 0-2 at 1 us", "cable 1-3 at 1 us", "cable 2-4 at 1 us", "cable 0-3 at 1 us",
            "cable 1-4 at 1 us"};
  }
  void send_at(SimTime when) {
    fabric_.report_to(*this);
    events_.schedule(when, *this, 0);
    while (!events_.empty()) events_.handle_next();
  }
  void handle(std::uint64_t) override {
    for (unsigned n = 0; n < 400; ++n)
      for (std::size_t from = 0; from < hosts_of_ring; ++from)
        for (const std::size_t ahead : {std::size_t{2}, hosts_of_ring - 2})
          fabric_.inject({UnitId{sent_++}, static_cast<PortId>(from),
                          static_cast<PortId>((from + ahead) % hosts_of_ring), Bytes(1'000)});
  }
  void unit_departed(UnitId, PortId) override {}
  void unit_delivered(UnitId, PortId) override { ++delivered_; }
  void unit_lost(UnitId) override { FAIL(); }

  EventQueue events_;
  CabledGraph network_;
  NetworkFaults faults_;
  FabricNetwork fabric_;
  std::uint64_t sent_ = 0, delivered_ = 0;
};

constexpr auto all = [](CableChannel) { return true; };

TEST(FabricLanes, ARingWithoutThemStops) {
  const FullRing ring(sssp_routing(FullRing::graph(), all));
  EXPECT_EQ(ring.sent(), 4'000U);
  EXPECT_LT(ring.delivered(), ring.sent());
}

TEST(FabricLanes, WithThemEverythingArrives) {
  for (const auto& routing : {dfsssp_routing(FullRing::graph(), all), lash_routing(FullRing::graph(), all)}) {
    ASSERT_EQ(routing->virtual_channels(), 2U);
    const FullRing ring(routing);
    EXPECT_EQ(ring.delivered(), 4'000U);
  }
}

/// Which needs no lanes before.
TEST(FabricLanes, LeadRoundFaults) {
  const FullRing stops(RoutesKind::sssp);
  EXPECT_EQ(stops.sent(), 4'000U);
  EXPECT_LT(stops.delivered(), stops.sent());
  for (const RoutesKind routes : {RoutesKind::dfsssp, RoutesKind::lash}) {
    const FullRing ring(routes);
    EXPECT_EQ(ring.delivered(), 4'000U);
  }
}

}  // namespace
}  // namespace morgana::testing
