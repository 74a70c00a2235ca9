#pragma once

#include "emulator/network/cells.h"
#include "tests/transport/lossy_network.h"

namespace morgana::testing {

/// A lossy network of trains of cells: a cell is 53 bytes of its units, and a train is lost as a whole.
class LossyCells : public CellNetwork, private UnitListener {
 public:
  LossyCells(EventQueue& events, std::size_t ports, LossyNetwork::Script script = nullptr)
      : units(events, ports, std::move(script)) {
    units.report_to(*this);
  }
  LossyNetwork units;

  ChannelId open(PortId from, PortId to, const TrafficContract&) override {
    channels_.emplace_back(from, to);
    return static_cast<ChannelId>(channels_.size() - 1);
  }
  void report_to(ChannelId, UnitListener&) override { FAIL() << "channels have no listeners here"; }
  using CellNetwork::report_to;
  void inject(const CellTrain& train) override {
    const auto [from, to] = channels_.at(static_cast<std::size_t>(train.channel));
    units.inject({train.id, from, to, Bytes(53 * std::int64_t{train.cells})});
  }
  void inject(const Unit& unit) override { units.inject(unit); }
  Bytes largest_unit() const override { return units.largest_unit(); }

 private:
  void unit_departed(UnitId id, PortId from) override { listener_->unit_departed(id, from); }
  void unit_delivered(UnitId id, PortId to) override { listener_->unit_delivered(id, to); }
  void unit_lost(UnitId id) override { listener_->unit_lost(id); }

  std::vector<std::pair<PortId, PortId>> channels_;
};

}  // namespace morgana::testing
