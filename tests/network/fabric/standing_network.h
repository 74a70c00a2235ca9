#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>

#include "emulator/core/event_queue.h"
#include "emulator/network/fabric/fabric_network.h"
#include "emulator/network/network.h"

namespace morgana::testing {

/// Runs until nothing happens any more.
class StandingNetwork : private UnitListener {
 public:
  StandingNetwork(const CabledGraph& network, const fabric::FabricParameters& parameters,
                  std::shared_ptr<const Routing> routing)
      : fabric_(events_, network, parameters, std::move(routing)) {
    fabric_.report_to(*this);
  }
  void send(HostNumber from, HostNumber to, int packets) { send(from, to, packets, fabric_.largest_unit()); }
  void send(HostNumber from, HostNumber to, int packets, Bytes size) {
    for (int n = 0; n < packets; ++n) fabric_.inject({UnitId{sent_++}, PortId{from}, PortId{to}, size});
  }
  void run() {
    while (!events_.empty()) events_.handle_next();
  }
  /// @return whether anything happens later
  bool step() {
    if (!events_.empty()) events_.handle_next();
    return !events_.empty();
  }
  std::uint64_t left() const { return sent_ - delivered_; }
  std::string standstill() const { return fabric_.standstill(); }

 private:
  void unit_departed(UnitId, PortId) override {}
  void unit_delivered(UnitId, PortId) override { ++delivered_; }
  void unit_lost(UnitId) override { FAIL(); }

  EventQueue events_;
  FabricNetwork fabric_;
  std::uint64_t sent_ = 0, delivered_ = 0;
};

/// Buffers of one packet.
inline fabric::FabricParameters shallow(fabric::Queueing queueing) {
  fabric::FabricParameters parameters;
  parameters.queueing = queueing;
  parameters.packet.largest = Bytes(1'024);
  parameters.buffer = Bytes(1'024);
  return parameters;
}

}  // namespace morgana::testing
