// The smallest transport: what a folder beside emulator/transport/direct has to hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "emulator/core/pool.h"
#include "tests/transport/harness.h"
#include "tests/transport/lossy_network.h"

namespace morgana::testing {
namespace {
using namespace literals;

/// Cuts messages into units and sends them without waiting for anything; a message of which a unit is lost is
/// lost. Networks keep the order of a pair's units.
class Datagrams final : public Transport, private UnitListener {
 public:
  explicit Datagrams(Network& network) : network_(network) { network.report_to(*this); }
  void send(const Shipment& shipment) override {
    const Bytes largest = network_.largest_unit();
    const std::int64_t units =
        std::max<std::int64_t>(1, (shipment.bytes.count() + largest.count() - 1) / largest.count());
    const UnitId slot{messages_.take({shipment.id, units, units, false})};
    for (std::int64_t unit = 0; unit < units; ++unit)
      network_.inject({slot, static_cast<PortId>(shipment.from), static_cast<PortId>(shipment.to),
                       std::min(largest, shipment.bytes - unit * largest)});
  }

 private:
  struct Message {
    MessageId id;
    std::int64_t in_port, under_way;  ///< units
    bool lost;
  };
  Message& at(UnitId unit) { return messages_[static_cast<std::uint32_t>(unit)]; }
  void unit_departed(UnitId unit, PortId) override {
    if (--at(unit).in_port == 0) at(unit).id.listener->shipment_departed(at(unit).id);
  }
  void unit_delivered(UnitId unit, PortId) override { end(unit); }
  void unit_lost(UnitId unit) override {
    at(unit).lost = true;
    end(unit);
  }
  void end(UnitId unit) {
    if (--at(unit).under_way > 0) return;
    const Message message = at(unit);
    messages_.give_back(static_cast<std::uint32_t>(unit));
    if (message.lost) return message.id.listener->shipment_lost(message.id);
    message.id.listener->shipment_delivered(message.id);
  }

  Network& network_;
  Pool<Message> messages_;  // by unit: those of a message have the same number
};

// A byte takes 1 ns and a unit of at most 1500 bytes arrives 1 us after it has left.
TEST(SecondTransport, CarriesMessagesBesideTheOthers) {
  EventQueue events;
  LossyNetwork network(events, 2, [](const Unit&, std::uint64_t ordinal) { return ordinal == 3; });
  Datagrams transport(network);
  Dispatch dispatch(events, transport);
  const auto& fates = dispatch.run({{0_us, 0, 1, 4000}, {0_us, 0, 1, 1600}, {0_us, 0, 1, 0}});
  EXPECT_THAT(fates, ::testing::ElementsAre(Fate{4000_ns, 5000_ns, {}}, Fate{5600_ns, {}, 6600_ns},
                                            Fate{5600_ns, 6600_ns, {}}));
}

}  // namespace
}  // namespace morgana::testing
