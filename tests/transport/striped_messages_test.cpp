// Messages that go by all NICs of a host at once.
#include "emulator/transport/striped_messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/transport/harness.h"

namespace morgana::testing {
namespace {

using ::testing::ElementsAre;

/// Keeps what it is given; the test says what becomes of it.
class NotedMessages final : public Transport {
 public:
  void send(const Shipment& shipment) override { sent.push_back(shipment); }
  std::string how_lost() const override { return "in part " + std::to_string(reporting); }
  void depart(std::size_t part) { sent[part].id.listener->shipment_departed(sent[part].id); }
  void deliver(std::size_t part) { sent[part].id.listener->shipment_delivered(sent[part].id); }
  void complete(std::size_t part) { sent[part].id.listener->shipment_completed(sent[part].id); }
  void lose(std::size_t part) {
    reporting = part;
    sent[part].id.listener->shipment_lost(sent[part].id);
  }
  void give_back(std::size_t part) {
    reporting = part;
    sent[part].id.listener->shipment_returned(sent[part].id, Outcome::given_up);
  }
  std::vector<Shipment> sent;
  std::size_t reporting = 0;
};

struct Stripes3 : ::testing::Test, ShipmentListener {
  Stripes3() : noted(new NotedMessages), striped(std::unique_ptr<Transport>(noted), 3) {}
  Shipment message(std::int64_t bytes, Stripes stripes) {
    Shipment shipment{{7, this}, HostId{2 * 3 + 1}, HostId{5 * 3 + 1}, Bytes(bytes)};
    shipment.stripes = stripes;
    return shipment;
  }
  void shipment_departed(MessageId id) override { note("departed", id); }
  void shipment_delivered(MessageId id) override { note("delivered", id); }
  void shipment_completed(MessageId id) override { note("completed", id); }
  void shipment_lost(MessageId id) override { note("lost " + striped.how_lost(), id); }
  void shipment_returned(MessageId id, Outcome) override { note("returned " + striped.how_lost(), id); }
  void note(const std::string& what, MessageId id) {
    EXPECT_EQ(id.number, 7U);
    told.push_back(what);
  }
  std::vector<std::int64_t> bytes_sent() const {
    std::vector<std::int64_t> all;
    for (const Shipment& one : noted->sent) all.push_back(one.bytes.count());
    return all;
  }

  NotedMessages* noted;
  StripedMessages striped;
  std::vector<std::string> told;
};

TEST_F(Stripes3, PartsAreEqualAndTakeANicEach) {
  striped.send(message(11, Stripes::parts));
  EXPECT_THAT(bytes_sent(), ElementsAre(4, 4, 3));
  for (std::size_t nic = 0; nic < 3; ++nic) {
    EXPECT_EQ(noted->sent[nic].from, HostId(2 * 3 + nic));
    EXPECT_EQ(noted->sent[nic].to, HostId(5 * 3 + nic));
    EXPECT_EQ(noted->sent[nic].stripes, Stripes::none);
  }
}

TEST_F(Stripes3, AMessageShorterThanTheNicsHasFewerParts) {
  striped.send(message(2, Stripes::parts));
  EXPECT_THAT(bytes_sent(), ElementsAre(1, 1));
  striped.send(message(0, Stripes::parts));
  EXPECT_THAT(bytes_sent(), ElementsAre(1, 1, 0));
}

TEST_F(Stripes3, OthersGoByTheirOwnNicAndAllOfThemByEach) {
  striped.send(message(11, Stripes::none));
  EXPECT_THAT(bytes_sent(), ElementsAre(11));
  EXPECT_EQ(noted->sent[0].from, HostId{2 * 3 + 1});
  EXPECT_EQ(noted->sent[0].id.listener, static_cast<ShipmentListener*>(this));
  striped.send(message(11, Stripes::each));
  EXPECT_THAT(bytes_sent(), ElementsAre(11, 11, 11, 11));
}

TEST_F(Stripes3, TheLastPartIsTheMessage) {
  Shipment whole = message(30, Stripes::parts);
  whole.completes = true;
  striped.send(whole);
  noted->depart(1);
  noted->deliver(1);
  noted->complete(1);
  noted->depart(0);
  EXPECT_THAT(told, ElementsAre());
  noted->depart(2);
  EXPECT_THAT(told, ElementsAre("departed"));
  noted->deliver(2);
  noted->complete(2);
  noted->deliver(0);
  EXPECT_THAT(told, ElementsAre("departed", "delivered"));
  noted->complete(0);
  EXPECT_THAT(told, ElementsAre("departed", "delivered", "completed"));
}

TEST_F(Stripes3, OneLostPartLosesIt) {
  striped.send(message(30, Stripes::parts));
  for (std::size_t part = 0; part < 3; ++part) noted->depart(part);
  noted->lose(1);
  noted->deliver(0);
  EXPECT_THAT(told, ElementsAre("departed"));
  noted->deliver(2);
  EXPECT_THAT(told, ElementsAre("departed", "lost in part 1"));
}

TEST_F(Stripes3, OneReturnedPartReturnsIt) {
  striped.send(message(30, Stripes::parts));
  noted->give_back(2);
  for (std::size_t part = 0; part < 2; ++part) {
    noted->depart(part);
    noted->deliver(part);
  }
  EXPECT_THAT(told, ElementsAre("returned in part 2"));
}

}  // namespace
}  // namespace morgana::testing
