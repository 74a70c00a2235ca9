#pragma once

#include <string>

#include "emulator/core/pool.h"
#include "emulator/network/network.h"
#include "emulator/transport/transport.h"

namespace morgana {

/// A message is one unit of the network, and the NIC does nothing else. For networks that carry
/// messages of any length (LogGP). A unit that is lost is a message lost, or returned, if the network's
/// NICs report to the sending host (NetworkCapabilities::returns). Host n is at port n. A message must not
/// be longer than the network's largest unit.
class DirectTransport : public Transport, private UnitListener {
 public:
  /// The network reports to this transport from now on, and must outlive it.
  explicit DirectTransport(Network& network);
  /// @throws Error if the message is longer than the network's largest unit
  void send(const Shipment& shipment) override;
  bool sends_single_units() const override { return true; }
  TransportGuarantees guarantees() const override {
    const NetworkCapabilities network = network_.capabilities();
    return {.ordered = network.order == NetworkCapabilities::Order::of_port_pair,
            .reliable = network.lossless,
            .returns = network.returns};
  }
  std::string how_lost() const override;
  /// Against the first loss.
  std::string remedy() const override;

 private:
  void unit_departed(UnitId id, PortId from) override;
  void unit_delivered(UnitId id, PortId to) override;
  void unit_lost(UnitId id) override;

  const MessageId& message(UnitId unit) const { return under_way_[static_cast<std::uint32_t>(unit)]; }

  Network& network_;
  Bytes largest_;
  Pool<MessageId> under_way_;  // by unit
  bool has_lost_ = false;
  std::string networks_remedy_;
};

}  // namespace morgana
