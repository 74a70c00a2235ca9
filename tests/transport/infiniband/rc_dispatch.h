#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/transport/transport.h"
#include "tests/transport/infiniband/reference_rc.h"

namespace morgana::testing {

/// Sends a plan with verbs over a transport and keeps what is reported, failing the test on any second
/// report and on a delivery before the departure.
class RcDispatch : private EventHandler, private ShipmentListener {
 public:
  RcDispatch(EventQueue& events, Transport& transport) : events_(events), transport_(transport) {}

  /// Called at each delivery, after it is noted; may call send().
  std::function<void(std::size_t message)> on_delivery;
  std::vector<std::size_t> order;  ///< of deliveries

  const std::vector<RcFate>& run(const std::vector<RcPlanned>& plan) {
    for (const RcPlanned& planned : plan) {
      plan_.push_back(planned);
      fates_.emplace_back();
      events_.schedule(SimTime::from_ps(planned.at), *this, plan_.size() - 1);
    }
    while (!events_.idle()) events_.handle_next();
    return fates_;
  }

 private:
  void handle(std::uint64_t message) override {
    const RcPlanned& planned = plan_[message];
    Shipment shipment{{message, this}, HostId{planned.from}, HostId{planned.to}, Bytes(planned.bytes)};
    shipment.verb = planned.verb;
    shipment.channel = planned.channel;
    shipment.completes = planned.completes;
    transport_.send(shipment);
  }
  RcFate& fate(MessageId id) { return fates_.at(id.number); }
  void note(std::optional<std::int64_t>& what) const {
    EXPECT_FALSE(what.has_value()) << "told twice";
    what = events_.now().ps();
  }
  void shipment_departed(MessageId id) override {
    EXPECT_FALSE(fate(id).delivered);
    note(fate(id).departed);
  }
  void shipment_delivered(MessageId id) override {
    EXPECT_TRUE(fate(id).departed);
    EXPECT_FALSE(fate(id).returned && !plan_[id.number].completes);
    note(fate(id).delivered);
    order.push_back(id.number);
    if (on_delivery) on_delivery(id.number);
  }
  void shipment_completed(MessageId id) override {
    EXPECT_TRUE(plan_[id.number].completes);
    note(fate(id).completed);
  }
  void shipment_lost(MessageId) override { ADD_FAILURE() << "reliable connections lose nothing"; }
  void shipment_returned(MessageId id, Outcome why) override {
    EXPECT_EQ(why, Outcome::given_up);
    EXPECT_FALSE(fate(id).completed);
    note(fate(id).returned);
  }

  EventQueue& events_;
  Transport& transport_;
  std::vector<RcPlanned> plan_;
  std::vector<RcFate> fates_;
};

}  // namespace morgana::testing
