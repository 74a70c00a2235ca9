#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/network/network.h"
#include "tests/support/plan.h"

namespace morgana::testing {

/// Injects a plan into a network and keeps what is reported, failing the test on any second or premature
/// report.
class Experiment : private EventHandler, private UnitListener {
 public:
  Experiment(EventQueue& events, Network& network) : events_(events), network_(network) {
    network.report_to(*this);
  }

  /// @param plan  sorted by time
  const std::vector<Fate>& run(const std::vector<Planned>& plan) {
    plan_ = plan;
    fates_.assign(plan.size(), {});
    for (std::size_t unit = 0; unit < plan.size(); ++unit) events_.schedule(plan[unit].at, *this, unit);
    while (!events_.empty()) events_.handle_next();
    return fates_;
  }

  /// Each unit departed once and was either delivered or lost after that; units of a pair kept their order.
  void expect_conservation() const {
    for (std::size_t unit = 0; unit < plan_.size(); ++unit) {
      const Fate& fate = fates_[unit];
      ASSERT_TRUE(fate.departed) << "unit " << unit;
      ASSERT_NE(fate.delivered.has_value(), fate.lost.has_value()) << "unit " << unit;
      EXPECT_GE(fate.delivered ? *fate.delivered : *fate.lost, *fate.departed) << "unit " << unit;
    }
    for (std::size_t place = 1; place < delivered_.size(); ++place)
      for (std::size_t earlier = 0; earlier < place; ++earlier) {
        const Planned& a = plan_[delivered_[earlier]];
        const Planned& b = plan_[delivered_[place]];
        if (a.from == b.from && a.to == b.to) {
          EXPECT_LT(delivered_[earlier], delivered_[place]) << "overtaken";
        }
      }
  }

 private:
  void handle(std::uint64_t unit) override {
    const Planned& planned = plan_[unit];
    network_.inject({UnitId{unit}, PortId{planned.from}, PortId{planned.to}, Bytes(planned.bytes)});
  }
  Fate& fate(UnitId id) { return fates_.at(static_cast<std::size_t>(id)); }
  const Planned& planned(UnitId id) const { return plan_.at(static_cast<std::size_t>(id)); }
  void unit_departed(UnitId id, PortId from) override {
    EXPECT_FALSE(fate(id).departed || fate(id).delivered || fate(id).lost);
    EXPECT_EQ(from, PortId{planned(id).from});
    fate(id).departed = events_.now();
  }
  void unit_delivered(UnitId id, PortId to) override {
    EXPECT_TRUE(fate(id).departed) << "delivered before it had departed";
    EXPECT_FALSE(fate(id).delivered || fate(id).lost);
    EXPECT_EQ(to, PortId{planned(id).to});
    fate(id).delivered = events_.now();
    delivered_.push_back(static_cast<std::size_t>(id));
  }
  void unit_lost(UnitId id) override {
    EXPECT_TRUE(fate(id).departed) << "lost before it had departed";
    EXPECT_FALSE(fate(id).delivered || fate(id).lost);
    fate(id).lost = events_.now();
  }

  EventQueue& events_;
  Network& network_;
  std::vector<Planned> plan_;
  std::vector<Fate> fates_;
  std::vector<std::size_t> delivered_;
};

inline void sort_by_time(std::vector<Planned>& plan) {
  std::stable_sort(plan.begin(), plan.end(), [](const Planned& a, const Planned& b) { return a.at < b.at; });
}

}  // namespace morgana::testing
