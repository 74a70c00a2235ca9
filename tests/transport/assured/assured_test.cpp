// What all protocols of assured data transfer have from one engine, tried over each of them.

#include <gtest/gtest.h>

#include <memory>

#include "emulator/network/cell_faults.h"
#include "emulator/transport/assured/pdu.h"
#include "emulator/transport/assured/undelivered.h"
#include "emulator/transport/ece/ece.h"
#include "emulator/transport/pcaal/pcaal.h"
#include "emulator/transport/sscop/sscop.h"
#include "tests/transport/assured/lossy_cells.h"
#include "tests/transport/harness.h"

namespace morgana::testing {
namespace {
namespace assured_transfer {
using namespace literals;
using ::testing::Types;

template <class Protocol>
class AssuredTransfer : public ::testing::Test {};
using Protocols = Types<Sscop, PcAal, Ece>;
TYPED_TEST_SUITE(AssuredTransfer, Protocols);

// Every frame between hosts 0 and 1 is lost from 1 ms on, by which time the first message has come. The way
// to host 2 is whole: its message arrives, and none is returned twice.
TYPED_TEST(AssuredTransfer, NamesThePathThatIsDead) {
  EventQueue events;
  CellFaults network(events, std::make_unique<LossyCells>(events, 3),
                     {{PortId{0}, PortId{1}, 1_ms, "the path between 0 and 1"}});
  TypeParam transport(events, network, 3, {});
  Dispatch dispatch(events, transport);
  const auto& fates =
      dispatch.run({{0_us, 0, 1, 10}, {2_ms, 0, 1, 1000}, {2_ms, 0, 1, 0}, {2_ms, 0, 2, 1000}});
  EXPECT_TRUE(fates[0].delivered);
  EXPECT_TRUE(fates[1].returned && fates[2].returned);
  EXPECT_TRUE(fates[3].delivered);
  EXPECT_NE(transport.how_lost().find("the path between 0 and 1 is dead since 0.001"), std::string::npos)
      << transport.how_lost();
  EXPECT_EQ(transport.counters().given_up, 2U);
}

// After a release the next message finds a fresh connection, whose timers owe nothing to the old one's.
TYPED_TEST(AssuredTransfer, BeginsAnewAfterARelease) {
  EventQueue events;
  SimTime whole_again = 10_s;
  LossyCells network(events, 2, [&](const Unit&, std::uint64_t) { return events.now() < whole_again; });
  TypeParam transport(events, network, 2, {});
  Dispatch dispatch(events, transport);
  const auto& fates = dispatch.run({{0_us, 0, 1, 100}, {10_s, 0, 1, 100}, {11_s, 0, 1, 100}});
  EXPECT_EQ(fates[0].returned, 7_s);
  ASSERT_TRUE(fates[1].delivered && fates[2].delivered);
  EXPECT_LT(*fates[1].delivered, 10_s + 1_ms);
  EXPECT_FALSE(fates[1].returned || fates[2].returned);
}

TYPED_TEST(AssuredTransfer, CarriesEmptyMessagesInACellEach) {
  EventQueue events;
  LossyCells network(events, 2);
  TypeParam transport(events, network, 2, {});
  Dispatch dispatch(events, transport);
  const auto& fates = dispatch.run({{0_us, 0, 1, 0}, {0_us, 0, 1, 0}});
  dispatch.expect_all_delivered();
  EXPECT_EQ(fates[0].delivered, 1053_ns);
  EXPECT_EQ(fates[1].delivered, 1106_ns);
  EXPECT_EQ(transport.counters().user_bytes, 0U);
}

TEST(AssuredNumbers, WrapAtTheirWidth) {
  using Narrow = assured::Sequence<24>;
  EXPECT_EQ(Narrow::plus(0xffffff, 2), 1U);
  EXPECT_EQ(Narrow::distance(0xfffffe, 3), 5U);
  EXPECT_TRUE(Narrow::behind(1, 0xffffff));
  EXPECT_FALSE(Narrow::behind(0xffffff, 1));
  using Wide = assured::Sequence<32>;
  EXPECT_EQ(Wide::plus(0xffffffff, 2), 1U);
  EXPECT_EQ(Wide::distance(0xfffffffe, 3), 5U);
  EXPECT_TRUE(Wide::behind(1, 0xffffffff));
}

/// Notes what it is told.
class Log : public ShipmentListener {
 public:
  std::string text;

 private:
  void note(const char* what, MessageId id) { text += what + std::to_string(id.number) + " "; }
  void shipment_departed(MessageId id) override { note("departed ", id); }
  void shipment_reached(MessageId id, Bytes prefix) override {
    note("reached ", id);
    text += "with " + std::to_string(prefix.count()) + " ";
  }
  void shipment_delivered(MessageId id) override { note("delivered ", id); }
  void shipment_lost(MessageId) override {}
  void shipment_returned(MessageId, Outcome) override {}
};

// Over several channels a later message may leave first, and a copy may come while another waits to leave.
TEST(AssuredUndelivered, TellsEachDepartureOnceAndBeforeTheDelivery) {
  Log log;
  assured::Undelivered messages;
  LatencyClasses latency;
  const auto id = [&](std::uint64_t number) { return MessageId{number, &log}; };
  for (std::uint64_t number = 0; number < 4; ++number) messages.add(id(number), number == 2, 1_us);
  messages.departed(id(1));
  messages.departed(id(1));
  messages.came(id(0), 8_B, false, 2_us, latency);
  messages.came(id(0), 8_B, true, 3_us, latency);
  messages.came(id(1), 8_B, true, 4_us, latency);
  messages.departed(id(0));
  messages.departed(id(2));
  messages.came(id(2), 8_B, false, 5_us, latency);
  EXPECT_EQ(log.text, "departed 1 departed 0 delivered 0 delivered 1 departed 2 reached 2 with 8 ");
  EXPECT_EQ(latency.messages(), 2U);
  EXPECT_EQ(latency.longest(), 3_us);
  EXPECT_EQ(messages.give_back(), (std::vector<MessageId>{id(2), id(3)}));
  EXPECT_TRUE(messages.give_back().empty());
}

}  // namespace assured_transfer
}  // namespace
}  // namespace morgana::testing
