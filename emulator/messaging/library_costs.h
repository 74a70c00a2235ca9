#pragma once

#include "emulator/messaging/library_message.h"
#include "emulator/messaging/machine.h"
#include "emulator/messaging/messenger.h"

namespace morgana {

/// Which messages of the library go by rendezvous, what is pushed of them, and what processors do for them.
class LibraryCosts {
 public:
  struct Push {
    Bytes first, second;
  };

  /// @param machine  must outlive this object
  explicit LibraryCosts(const Machine& machine)
      : machine_(machine), transport_works_(machine.transport && machine.transport->works_on_processors()) {}

  /// The transport works on the ranks' processors.
  bool transport_works() const { return transport_works_; }
  bool goes_by_rendezvous(bool local, Bytes bytes, SendMode mode) const;
  /// Whether the NIC fetches an eager message from the memory that the sender has it in.
  bool goes_without_copy(bool local, Bytes bytes, SendMode mode) const;
  /// Whether that is the program's buffer, so that the send waits until it is free. A synchronous send waits
  /// for the receiver's match in any case.
  bool holds_buffer(bool local, Bytes bytes, SendMode mode) const {
    return mode != SendMode::buffered && mode != SendMode::synchronous &&
           goes_without_copy(local, bytes, mode);
  }
  /// With the request of a rendezvous and right behind it.
  Push push_of(bool local, Bytes bytes) const;
  /// What the transport's library does within the call of a send: with the message or, by rendezvous, its
  /// request and what is pushed.
  SimTime transports_work(bool local, bool rendezvous, Bytes bytes) const;
  Messenger::SendCost send_cost(Rank sender, Rank receiver, Bytes bytes, SendMode mode) const;
  /// Receivers have space for a limited number of pushed bytes, and drop what finds none.
  bool may_drop() const { return unexpected_space() < MessageLayer().unexpected_buffer; }
  Bytes unexpected_space() const { return machine_.messages.unexpected_buffer; }
  /// As Messenger's. The match sends the CTS of a rendezvous, or of bytes that found no space before.
  Bytes match_matters_beyond() const;
  /// Whether the leg is the sender's write of a rendezvous into the receiver's memory.
  bool writes(const LibraryMessage& message, LibraryLeg leg) const {
    return leg == LibraryLeg::data && message.rendezvous &&
           machine_.messages.rendezvous != RendezvousBy::send;
  }
  /// Whether the sender learns of the leg's delivery (Shipment::completes).
  bool completes(const LibraryMessage& message, LibraryLeg leg) const {
    return writes(message, leg) || (leg == LibraryLeg::data && message.holds_buffer);
  }

 private:
  /// To another host, by a copy in a buffer that is registered.
  bool is_buffered(Bytes bytes) const;

  const Machine& machine_;
  bool transport_works_;
};

}  // namespace morgana
