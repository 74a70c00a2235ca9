#pragma once

#include "emulator/network/network.h"
#include "emulator/transport/transport.h"

namespace morgana {

/// A message is one unit of the network, and the interface does nothing else. For networks that carry
/// messages of any length (LogGP). A unit that is lost is a message lost, or returned, if the network's
/// interfaces tell the sending host (Network::returns). Host n is at port n, and a unit bears its message's
/// number. A message must not be longer than the network's largest unit.
class DirectTransport : public Transport, private UnitListener {
 public:
  /// The network reports to this transport from now on, and must outlive it.
  explicit DirectTransport(Network& network);
  /// @throws Error if the message is longer than the network's largest unit
  void send(const Shipment& shipment) override;
  bool returns() const override { return network_.returns(); }
  std::string how_lost() const override;
  /// Against the first loss.
  std::string remedy() const override;

 private:
  void unit_departed(UnitId id, PortId from) override;
  void unit_delivered(UnitId id, PortId to) override;
  void unit_lost(UnitId id) override;

  Network& network_;
  Bytes largest_;
  bool has_lost_ = false;
  std::string networks_remedy_;
};

}  // namespace morgana
