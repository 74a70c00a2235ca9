#pragma once

#include <map>
#include <tuple>

#include "tests/network/atm/reference_atm.h"

namespace morgana::testing {

/// Sends planned packets through the shipped model, one channel for each pair of hosts and category, and
/// keeps what is reported.
class AtmExperiment : private EventHandler, private UnitListener {
 public:
  AtmExperiment(const AtmParameters& parameters, std::uint64_t seed) : network_(events_, parameters, seed) {
    network_.report_to(*this);
  }

  const std::vector<Fate>& run(const std::vector<PlannedTrain>& plan) {
    plan_ = plan;
    fates_.assign(plan.size(), {});
    for (std::size_t train = 0; train < plan.size(); ++train) events_.schedule(plan[train].at, *this, train);
    while (!events_.empty()) events_.handle_next();
    return fates_;
  }

  ChannelId channel(const PlannedTrain& train) {
    const auto key = std::tuple(train.from, train.to, train.category);
    const auto [place, added] = channels_.try_emplace(key);
    if (added)
      place->second =
          network_.open(PortId{train.from}, PortId{train.to}, TrafficContract::of(train.category));
    return place->second;
  }

  /// Cells in are cells out or lost, on every channel.
  void expect_conservation() {
    network_.settle();
    for (const auto& [key, id] : channels_) {
      const atm::ConnectionCounters& counters = network_.connection(id).counters;
      EXPECT_EQ(counters.cells_in, counters.cells_delivered + counters.cells_lost);
    }
  }
  std::uint64_t lost_cells() {
    std::uint64_t lost = 0;
    for (const auto& [key, id] : channels_) lost += network_.connection(id).counters.cells_lost;
    return lost;
  }
  std::uint64_t joined_packets() {
    std::uint64_t joined = 0;
    for (const auto& [key, id] : channels_) joined += network_.connection(id).counters.packets_joined;
    return joined;
  }
  AtmNetwork& network() { return network_; }
  EventQueue& events() { return events_; }

 private:
  void handle(std::uint64_t train) override {
    if (train >= plan_.size()) return;
    const PlannedTrain& planned = plan_[train];
    network_.inject(CellTrain{UnitId{train}, channel(planned), planned.cells});
  }
  Fate& fate(UnitId id) { return fates_.at(static_cast<std::size_t>(id)); }
  void unit_departed(UnitId id, PortId from) override {
    EXPECT_FALSE(fate(id).departed || fate(id).delivered || fate(id).lost);
    EXPECT_EQ(from, PortId{plan_.at(static_cast<std::size_t>(id)).from});
    fate(id).departed = events_.now();
  }
  void unit_delivered(UnitId id, PortId to) override {
    EXPECT_TRUE(fate(id).departed && !fate(id).delivered && !fate(id).lost);
    EXPECT_EQ(to, PortId{plan_.at(static_cast<std::size_t>(id)).to});
    fate(id).delivered = events_.now();
  }
  void unit_lost(UnitId id) override {
    EXPECT_TRUE(fate(id).departed && !fate(id).delivered && !fate(id).lost);
    fate(id).lost = events_.now();
  }

  EventQueue events_;
  AtmNetwork network_;
  std::vector<PlannedTrain> plan_;
  std::vector<Fate> fates_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, ServiceCategory>, ChannelId> channels_;
};

}  // namespace morgana::testing
