#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/transport/transport.h"
#include "tests/support/plan.h"

namespace morgana::testing {

/// How much of a streamed message has come, and when.
using Prefixes = std::vector<std::pair<SimTime, std::int64_t>>;

/// Sends a plan over a transport and keeps what is reported, failing the test on any second report, on a
/// delivery before the departure, and on a message that overtakes another of its pair.
class Dispatch : private EventHandler, private ShipmentListener {
 public:
  Dispatch(EventQueue& events, Transport& transport) : events_(events), transport_(transport) {}

  bool streamed = false;  ///< every message
  Bytes piece{};          ///< of every message (Shipment::piece)
  std::map<std::size_t, Prefixes> prefixes;
  /// Called at each delivery, after it is noted; may call send().
  std::function<void(std::size_t message)> on_delivery;
  /// Of every message that is returned; nothing: whatever it is.
  std::optional<Outcome> expected_outcome = Outcome::given_up;
  /// run() ends then at the latest, where something is under way at any time.
  std::optional<SimTime> latest;

  const std::vector<Fate>& run(const std::vector<Planned>& plan) {
    for (const Planned& planned : plan) {
      plan_.push_back(planned);
      fates_.emplace_back();
      events_.schedule(planned.at, *this, plan_.size() - 1);
    }
    while (!events_.idle() && !(latest && events_.now() >= *latest)) events_.handle_next();
    return fates_;
  }

  /// Sends one more message now.
  void send(std::uint32_t from, std::uint32_t to, std::int64_t bytes) {
    plan_.push_back({events_.now(), from, to, bytes});
    fates_.emplace_back();
    handle(plan_.size() - 1);
  }

  void expect_all_delivered() const {
    for (std::size_t message = 0; message < plan_.size(); ++message) {
      EXPECT_TRUE(fates_[message].departed) << "message " << message;
      EXPECT_TRUE(fates_[message].delivered) << "message " << message;
    }
  }

 private:
  void handle(std::uint64_t message) override {
    const Planned& planned = plan_[message];
    Shipment shipment{
        {message, this}, HostId{planned.from}, HostId{planned.to}, Bytes(planned.bytes), streamed};
    shipment.piece = piece;
    transport_.send(shipment);
  }
  Fate& fate(MessageId id) { return fates_.at(id.number); }
  void shipment_departed(MessageId id) override {
    EXPECT_FALSE(fate(id).departed || fate(id).delivered || fate(id).lost || fate(id).returned);
    fate(id).departed = events_.now();
  }
  void shipment_reached(MessageId id, Bytes prefix) override {
    const auto message = id.number;
    Prefixes& told = prefixes[message];
    EXPECT_TRUE(streamed || piece > Bytes());
    EXPECT_FALSE(fate(id).delivered || fate(id).lost);
    EXPECT_LT(prefix.count(), plan_[message].bytes);
    EXPECT_GT(prefix.count(), told.empty() ? 0 : told.back().second);
    told.emplace_back(events_.now(), prefix.count());
  }
  void shipment_delivered(MessageId id) override {
    EXPECT_TRUE(fate(id).departed) << "delivered before it had departed";
    EXPECT_FALSE(fate(id).delivered || fate(id).lost);
    fate(id).delivered = events_.now();
    const auto message = id.number;
    const auto [last, first_of_pair] =
        last_delivered_.try_emplace({plan_[message].from, plan_[message].to}, message);
    if (!first_of_pair) {
      EXPECT_LT(std::pair(plan_[last->second].at, last->second), std::pair(plan_[message].at, message))
          << "overtaken";
      last->second = message;
    }
    if (on_delivery) on_delivery(message);
  }
  void shipment_lost(MessageId id) override {
    EXPECT_FALSE(fate(id).delivered || fate(id).lost || fate(id).returned);
    fate(id).lost = events_.now();
  }
  void shipment_returned(MessageId id, Outcome why) override {
    EXPECT_FALSE(fate(id).delivered || fate(id).lost || fate(id).returned);
    EXPECT_EQ(why, expected_outcome.value_or(why));
    fate(id).returned = events_.now();
  }

  EventQueue& events_;
  Transport& transport_;
  std::vector<Planned> plan_;
  std::vector<Fate> fates_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> last_delivered_;
};

inline void sort_by_time(std::vector<Planned>& plan) {
  std::stable_sort(plan.begin(), plan.end(), [](const Planned& a, const Planned& b) { return a.at < b.at; });
}

}  // namespace morgana::testing
