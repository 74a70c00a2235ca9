#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/network/fabric/fabric_network.h"
#include "emulator/topology/switch_plan.h"
#include "tests/network/fabric/carried_fabric.h"

// Values worked out by hand from docs/fabric.md, "Outages, bit errors, tables": links carry a byte in a
// nanosecond and propagate in 10 ns, switches take 100 ns, packets have 1,000 bytes.

namespace morgana::testing {
namespace {

using namespace literals;

constexpr Link byte_a_ns{BitRate(8'000'000'000), 10_ns};

/// Two leaves with a host each, joined by two spines: host 0 at switch 0, host 1 at switch 1, spines 2 and 3.
CabledGraph two_spines() {
  topology::SwitchPlan plan{4, {{0, 2}, {0, 3}, {1, 2}, {1, 3}}, {0, 1}};
  return CabledGraph::uniform(topology::graph_of(plan, std::vector<SwitchId>{0, 1}), byte_a_ns);
}

/// What became of packets of 1,000 bytes from host 0 to host 1.
class Tried : private EventHandler, private UnitListener {
 public:
  Tried(const CabledGraph& network, SwitchTables tables, const NetworkFaults& faults,
        const std::vector<SimTime>& at)
      : network_(events_, network, parameters(), std::move(tables), faults), fates_(at.size()) {
    network_.report_to(*this);
    for (std::size_t n = 0; n < at.size(); ++n) events_.schedule(at[n], *this, n);
    while (!events_.empty()) events_.handle_next();
  }
  /// "delivered 2220" or "lost 1110 waited for a cable": the time in ns.
  const std::string& fate(std::size_t packet) const { return fates_[packet]; }
  FabricNetwork& network() { return network_; }

 private:
  static fabric::FabricParameters parameters() {
    fabric::FabricParameters parameters;
    parameters.packet.largest = Bytes(1'000);
    return parameters;
  }
  void handle(std::uint64_t packet) override {
    network_.inject({UnitId{packet}, PortId{0}, PortId{1}, Bytes(1'000)});
  }
  void unit_departed(UnitId, PortId) override {}
  void unit_delivered(UnitId id, PortId) override { note(id, "delivered"); }
  void unit_lost(UnitId id) override {
    note(id, "lost");
    fates_[static_cast<std::size_t>(id)] += ": " + network_.how_lost();
  }
  void note(UnitId id, const char* what) {
    fates_[static_cast<std::size_t>(id)] = what + (" " + std::to_string(events_.now().ps() / 1'000));
  }

  EventQueue events_;
  FabricNetwork network_;
  std::vector<std::string> fates_;
};

Tried tried(const NetworkFaults& faults, const std::vector<SimTime>& at, SimTime convergence = 5_us) {
  const CabledGraph network = two_spines();
  // Destination 1 goes over the second of two ports: over spine 3.
  const RoutesParameters routes{.routes = RoutesKind::d_mod_k};
  return {network, SwitchTables(network, routes, faults, convergence), faults, at};
}

constexpr NetworkFault spine_dies_at_10_us{NetworkFault::Part::a_switch, {3, 0}, 10_us};

// Four links and three switches: 4 * 10 + 3 * 100 + 1000 ns.
TEST(FabricOutages, LeadRoundADeadSwitchOnceTablesFollow) {
  const Tried sent = tried({spine_dies_at_10_us}, {0_us, 11_us, 14'800_ns, 14'900_ns, 20_us});
  EXPECT_EQ(sent.fate(0), "delivered 1340");
  // It is routed at 11.11 us, and lost once its tail is there: at 11 us + 1 us + 10 ns.
  EXPECT_EQ(sent.fate(1),
            "lost 12010: its packet waited at 0.000012010 s for a cable that was down: switch 0 port 2 -> "
            "switch 3 port 0");
  EXPECT_TRUE(sent.fate(2).starts_with("lost 15810"));
  // Routed from 15 us on, 110 ns after it left: round the spine. It leaves when the packet before it has
  // left.
  EXPECT_EQ(sent.fate(3), "delivered 17140");
  EXPECT_EQ(sent.fate(4), "delivered 21340");
}

// From 0 to 1 us on the first cable, from 110 ns to 1.11 us on the second.
TEST(FabricOutages, SpoilWhatIsOnTheCable) {
  const NetworkFault between{NetworkFault::Part::cable, {0, 2}, 500_ns, 600_ns};
  const Tried sent = tried({between}, {0_us, 2_us}, 1_ms);
  EXPECT_EQ(sent.fate(0), "lost 1340: its packet was corrupt, and discarded at 0.000001340 s");
  EXPECT_EQ(sent.fate(1), "delivered 3340");
  NetworkFault after = between;
  after.when = 1'120_ns;  // its tail is at the other end
  after.until = 1'200_ns;
  EXPECT_EQ(tried({after}, {0_us}, 1_ms).fate(0), "delivered 1340");
  after.when = 1'119_ns;
  EXPECT_TRUE(tried({after}, {0_us}, 1_ms).fate(0).starts_with("lost"));
}

TEST(FabricOutages, OfAHostsCableDiscardWhatItSends) {
  const NetworkFault fault{NetworkFault::Part::cable, {0, 0}, 5_us, 8_us};
  Tried sent = tried({fault}, {3_us, 6_us, 8_us}, 1_s);
  EXPECT_EQ(sent.fate(0), "delivered 4340");
  EXPECT_EQ(
      sent.fate(1),
      "lost 6000: its packet waited at 0.000006000 s for a cable that was down: host 0 -> switch 0 port 0");
  EXPECT_EQ(sent.fate(2), "delivered 9340");
  EXPECT_TRUE(sent.network().capabilities().fails);
  EXPECT_FALSE(sent.network().capabilities().lossless);
}

// A packet that is handed over at the very time of a failure does not start any more, and one of a recovery
// does.
TEST(FabricOutages, ComeBeforeWhatStartsAtTheSameTime) {
  const NetworkFault fault{NetworkFault::Part::cable, {0, 0}, 5_us, 8_us};
  const Tried sent = tried({fault}, {5_us, 8_us}, 1_s);
  EXPECT_TRUE(sent.fate(0).starts_with("lost 5000"));
  EXPECT_EQ(sent.fate(1), "delivered 9340");
}

TEST(FabricOutages, FromTheBeginningMayEnd) {
  const NetworkFault fault{NetworkFault::Part::a_switch, {3, 0}, 0_us, 10_us};
  const Tried sent = tried({fault}, {1_us, 12_us}, 0_us);
  EXPECT_EQ(sent.fate(0), "delivered 2340") << "over the other spine";
  EXPECT_EQ(sent.fate(1), "delivered 13340");
}

// With a bit error rate of p a packet of 1,000 bytes survives four links with probability (1 - p)^32000.
TEST(FabricOutages, BitErrorsSpoilPacketsAsOftenAsTheirBits) {
  constexpr double rate = 1e-5;
  constexpr unsigned packets = 4'000;
  unsigned spoilt = 0;
  for (std::uint64_t number = 0; number < packets; ++number) {
    bool one = false;
    for (CableChannel channel = 0; channel < 4; ++channel)
      one = one || fabric::has_bit_error(rate, Bytes(1'000), number, channel);
    spoilt += one ? 1 : 0;
  }
  EXPECT_NEAR(spoilt, packets * (1 - 0.7261), 4 * 28.2);  // e^-0.32; four standard deviations
  EXPECT_FALSE(fabric::has_bit_error(0, Bytes(1'000), 1, 1));
}

}  // namespace
}  // namespace morgana::testing
