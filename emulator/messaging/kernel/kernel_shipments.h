#pragma once

#include <cstdint>
#include <optional>

#include "emulator/messaging/kernel/kernel_message.h"
#include "emulator/messaging/losses.h"
#include "emulator/messaging/machine.h"

namespace morgana {

/// Hands the legs of push-pull messages to the transport, each message's pushes on the channel that it has,
/// and notes what does not arrive.
class KernelShipments {
 public:
  using Number = LegNumber<KernelLeg>;

  /// The references must outlive this object. @param listener  of all shipments, whose numbers are a Number
  KernelShipments(Machine& machine, KernelMessageTable& messages, Losses& losses, ShipmentListener& listener)
      : machine_(machine), messages_(messages), losses_(losses), listener_(listener) {}

  /// @param by_program  the sending process brings it to the NIC, and not a handler in the kernel
  void ship(std::uint32_t message, KernelLeg leg, bool by_program);
  void note_undelivered(MessageId id, std::optional<Outcome> returned);

 private:
  Machine& machine_;
  KernelMessageTable& messages_;
  Losses& losses_;
  ShipmentListener& listener_;
};

}  // namespace morgana
