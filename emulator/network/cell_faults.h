#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/core/pool.h"
#include "emulator/network/cells.h"

namespace morgana {

/// A host, or the virtual path between two, that fails for the rest of the run.
struct CellFault {
  PortId a;
  std::optional<PortId> b;  ///< of a path: its other end
  SimTime when;             ///< >= 0
  std::string what;         ///< for people: "server 1"
};

/// Another network of cells, in which hosts and virtual paths fail. What has not come out by then is lost
/// when it would have; it still takes its time on the links before, as no switch knows.
class CellFaults final : public CellNetwork, private UnitListener {
 public:
  CellFaults(EventQueue& events, std::unique_ptr<CellNetwork> network, std::vector<CellFault> faults);

  ChannelId open(PortId from, PortId to, const TrafficContract& contract) override;
  void report_to(ChannelId channel, UnitListener& listener) override;
  using CellNetwork::report_to;
  void inject(const CellTrain& train) override;
  void inject(const Unit& unit) override;
  Bytes largest_unit() const override { return network_->largest_unit(); }
  SimTime least_latency() const override { return network_->least_latency(); }
  NetworkCapabilities capabilities() const override {
    NetworkCapabilities all = network_->capabilities();
    if (!faults_.empty()) all.fails = true, all.lossless = false;
    return all;
  }
  std::string how_lost() const override { return how_lost_.empty() ? network_->how_lost() : how_lost_; }
  std::string remedy() const override { return network_->remedy(); }
  std::vector<CounterTable> counted(SimTime until) override { return network_->counted(until); }
  NetworkLinks links(SimTime until) override { return network_->links(until); }
  bool follow_ports(const std::vector<bool>& ports) override { return network_->follow_ports(ports); }

 private:
  struct UnderWay {
    UnitId id;
    PortId from, to;
    UnitListener* listener;  ///< null: the network's
  };
  struct Ends {
    PortId from, to;
    UnitListener* listener = nullptr;
  };
  UnderWay& at(UnitId slot) { return under_way_[static_cast<std::uint32_t>(slot)]; }
  UnitListener& listener_of(const UnderWay& unit) { return unit.listener ? *unit.listener : *listener_; }
  const CellFault* fault_on(PortId from, PortId to) const;
  void unit_departed(UnitId slot, PortId from) override;
  void unit_delivered(UnitId slot, PortId to) override;
  void unit_lost(UnitId slot) override;

  EventQueue& events_;
  std::unique_ptr<CellNetwork> network_;
  std::vector<CellFault> faults_;
  std::vector<Ends> channels_;  // by number
  Pool<UnderWay> under_way_;    // by the number that the other network gets
  std::string how_lost_;        // of what a fault has taken
};

}  // namespace morgana
