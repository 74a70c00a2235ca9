#pragma once

#include "emulator/network/network.h"
#include "emulator/transport/transport.h"

namespace morgana {

/// A message is one unit of the network, and the interface does nothing else. For networks that carry
/// messages of any length (LogGP). A unit that is lost is a message lost.
class DirectTransport : public Transport, private UnitListener {
 public:
  explicit DirectTransport(Network& network);
  void send(const Shipment& shipment) override;

 private:
  void unit_departed(UnitId id, PortId from) override;
  void unit_delivered(UnitId id, PortId to) override;
  void unit_lost(UnitId id) override;
};

}  // namespace morgana
