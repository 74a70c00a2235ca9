#pragma once

#include "emulator/transport/transport.h"

namespace morgana::modern_papers {

/// Of messages that are longer than what is looked at.
class NoListener : public ShipmentListener {
 public:
  void shipment_departed(MessageId) override {}
  void shipment_delivered(MessageId) override {}
  void shipment_lost(MessageId) override {}
  void shipment_returned(MessageId, Outcome) override {}
};

}  // namespace morgana::modern_papers
