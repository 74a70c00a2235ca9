#pragma once

#include <cstdint>
#include <optional>

#include "emulator/messaging/leg_number.h"
#include "emulator/messaging/library_costs.h"
#include "emulator/messaging/library_message.h"
#include "emulator/messaging/losses.h"
#include "emulator/messaging/machine.h"
#include "emulator/messaging/message_endpoints.h"
#include "emulator/messaging/socket_copies.h"

namespace morgana {

/// Hands the legs of the library's messages to the transport, addressed to the endpoints that they are for,
/// and notes what becomes of those that do not arrive. Machine::under_way counts what has been handed over.
class LibraryShipments {
 public:
  using Number = LegNumber<LibraryLeg>;

  /// The references must outlive this object. @param listener, writer  of all shipments, whose numbers are a
  /// Number
  LibraryShipments(Machine& machine, LibraryMessageTable& messages, const LibraryCosts& costs,
                   const SocketCopies& sockets, Losses& losses, ShipmentListener& listener,
                   EndpointWriter& writer)
      : machine_(machine),
        messages_(messages),
        costs_(costs),
        sockets_(sockets),
        losses_(losses),
        listener_(listener),
        writer_(writer),
        endpoints_(machine) {}

  void ship(std::uint32_t message, LibraryLeg leg);
  /// In a shipment's number: nothing waits for its departure.
  static bool departs_unnoticed(MessageId id);
  /// The transport has delivered it, or something of it: for how long that has waited for timers.
  void note_timer_wait(MessageId id);
  void note_undelivered(MessageId id, std::optional<Outcome> returned);
  /// The receiver takes a message out of its endpoint's queue.
  void take_out(LibraryMessage& message);
  const MessageEndpoints& endpoints() const { return endpoints_; }

 private:
  bool goes_to_receiver(LibraryLeg leg) const;
  Stripes stripes_of(const LibraryMessage& message, LibraryLeg leg) const;
  Bytes size_of(const LibraryMessage& message, LibraryLeg leg) const;

  Machine& machine_;
  LibraryMessageTable& messages_;
  const LibraryCosts& costs_;
  const SocketCopies& sockets_;
  Losses& losses_;
  ShipmentListener& listener_;
  EndpointWriter& writer_;
  MessageEndpoints endpoints_;
};

}  // namespace morgana
