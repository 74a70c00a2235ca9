#pragma once

#include <cstddef>

#include "emulator/network/logp_ports.h"

namespace morgana {

/// A network that is nothing but its ports (LogpPorts). Nothing is lost.
class LogpNetwork : public Network, public LogpPortNetwork {
 public:
  LogpNetwork(EventQueue& events, std::size_t ports, const LogpParameters& parameters);
  void inject(const Unit& unit) override;
  Bytes largest_unit() const override;
  SimTime least_latency() const override;
  NetworkCapabilities capabilities() const override { return {.lossless = true}; }
  NetworkExtensions extensions() override { return {.ports = this}; }
  PortTimes port_times(Bytes size) const override;
  const LogpParameters& parameters() const override { return ports_.parameters(); }

 private:
  using Ports = LogpPorts<UnitId, LogpNetwork>;
  friend Ports;
  void departed(UnitId unit, PortId from) { listener_->unit_departed(unit, from); }
  void delivered(UnitId unit, PortId /*from*/, PortId to, Bytes /*size*/) {
    listener_->unit_delivered(unit, to);
  }

  Ports ports_;
};

}  // namespace morgana
