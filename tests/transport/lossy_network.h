#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/network/network.h"

namespace morgana::testing {

/// A network for protocol tests: a port sends one unit at a time, at `byte_time` a byte, a unit arrives
/// `latency` after it has left, and a script says which are lost (at the time at which they would have
/// arrived).
class LossyNetwork : public Network, private EventHandler {
 public:
  /// @return whether the `ordinal`-th unit (from 0) injected at its port is lost
  using Script = std::function<bool(const Unit& unit, std::uint64_t ordinal)>;

  LossyNetwork(EventQueue& events, std::size_t ports, Script script = nullptr)
      : events_(events), script_(std::move(script)), injected_(ports), port_free_(ports) {}

  Bytes largest{1500};
  SimTime byte_time = SimTime::from_ps(1000);
  std::function<SimTime(PortId from, PortId to)> latency = [](PortId, PortId) {
    return SimTime::from_ps(1'000'000);
  };

  void inject(const Unit& unit) override {
    const auto from = static_cast<std::size_t>(unit.from);
    const bool lost = script_ && script_(unit, injected_[from]);
    ++injected_[from];
    lost_ += lost ? 1 : 0;
    SimTime& port_free = port_free_[from];
    port_free = std::max(port_free, events_.now()) + unit.size.count() * byte_time;
    happenings_.push_back({unit, true, false});
    events_.schedule(port_free, *this, happenings_.size() - 1);
    happenings_.push_back({unit, false, lost});
    events_.schedule(port_free + latency(unit.from, unit.to), *this, happenings_.size() - 1);
  }
  Bytes largest_unit() const override { return largest; }

  std::uint64_t lost() const { return lost_; }
  std::uint64_t injected(std::size_t port) const { return injected_[port]; }

 private:
  struct Happening {
    Unit unit;
    bool departure, loss;
  };
  void handle(std::uint64_t what) override {
    const Happening happening = happenings_[what];
    if (happening.departure)
      listener_->unit_departed(happening.unit.id, happening.unit.from);
    else if (happening.loss)
      listener_->unit_lost(happening.unit.id);
    else
      listener_->unit_delivered(happening.unit.id, happening.unit.to);
  }

  EventQueue& events_;
  Script script_;
  std::vector<std::uint64_t> injected_;  // by port
  std::vector<SimTime> port_free_;
  std::vector<Happening> happenings_;
  std::uint64_t lost_ = 0;
};

}  // namespace morgana::testing
