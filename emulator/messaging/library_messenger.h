#pragma once

#include <cstdint>
#include <optional>

#include "emulator/messaging/host_copies.h"
#include "emulator/messaging/leg_number.h"
#include "emulator/messaging/library_costs.h"
#include "emulator/messaging/library_message.h"
#include "emulator/messaging/library_shipments.h"
#include "emulator/messaging/machine.h"
#include "emulator/messaging/messenger.h"
#include "emulator/messaging/nic_choice.h"
#include "emulator/messaging/socket_copies.h"
#include "emulator/messaging/unexpected_buffers.h"

namespace morgana {

/// The message-passing library carries messages: eager, by rendezvous or synchronous, in the ranks' calls.
///
/// A message with parts is streamed where the transport streams and the sender does not wait for an
/// acknowledgement: it is matched when its head is there, which is the envelope and whatever the transport
/// reports with it; of a rendezvous, the head of the data. Operations that need the whole message wait for
/// it.
///
/// The NICs carry out a rendezvous (RTS, CTS, data): once a receive has matched, it costs
/// network time but does not wait for either processor. Within a host the data are copied once, from one
/// rank's memory to the other's, as soon as the receive has matched (HostCopies). An eager synchronous send
/// completes when an acknowledgement of the match has come back.
///
/// In general a message is pushed in part and pulled for the rest, of which eager (all is pushed) and
/// rendezvous (nothing is) are the two ends: its RTS brings the first bytes, others follow at once, and the
/// CTS requests the rest. If there is no rest, there is no CTS. A receiver has space for a limited number of
/// pushed bytes whose receive is not posted (UnexpectedBuffers); what finds none is dropped and pulled with
/// the rest. K.-P. Wong and C.-L. Wang, "Push-Pull Messaging", 1999, sections 2 and 3.
///
/// Where kernels copy what passes sockets (Transport::copies_in_kernels), a rendezvous spares no copy either
/// (SocketCopies). What is left of it is copied at the sender once the CTS has come, while data are
/// under way. So the first piece is copied before the data leave, the sender's buffer is free when all is
/// copied at the earliest, and the data are there no sooner than that. Each piece that has come into the
/// receiver's socket is reported to the client, whose processor has to read it.
///
/// Where hosts read and write each other's memory (RendezvousBy), a receiver that has matched a request reads
/// what is left and then sends a message, with which the sender completes the send. Or the sender that is
/// cleared writes it and then sends a message, with which the receiver completes the receive; the send
/// completes when the write is acknowledged.
///
/// An eager message of at least MessageLayer::zero_copy_from bytes is fetched from the sender's buffer. Its
/// send completes when the transport says that it is delivered (a NIC's completion of a work request), which
/// may be before or after its receive has it; it is not taken back (recall).
///
/// A receiver copies an eager message when its receive completes; or (ReceiveCopies::in_progress) its
/// processor does so as the message comes, as it reads sockets: while the rank is in a call that makes
/// progress, be it for that receive or not, or in its next such call.
///
/// What the transport returns ends whatever still waits at the host that had sent it: the send, if its
/// message or request is returned before it was complete, or the receive that had cleared a rendezvous. The
/// other host does not learn of it, and what waits there waits without bound. There is no report where
/// nothing waits: of a send that was complete when it began or when all of it had been pushed, or of an
/// acknowledgement. But where tags name endpoints (EndpointSettings) such a message comes back: its sender
/// can receive it, with a tag that says so, from the rank that it was for.
class LibraryMessenger final : public Messenger,
                               private ShipmentListener,
                               private EventHandler,
                               private EndpointWriter,
                               private HostCopyListener {
 public:
  LibraryMessenger(Machine& machine, MessengerClient& client);

  SendCost send_cost(Rank sender, Rank receiver, Bytes bytes, SendMode mode) const override {
    return costs_.send_cost(sender, receiver, bytes, mode);
  }
  Begun send(const Send& send) override;
  void recall(std::uint32_t message) override;
  Posted receive(Rank receiver, const Envelope& pattern, Token token) override;
  Bytes match_matters_beyond() const override { return costs_.match_matters_beyond(); }
  SimTime receive_taken(std::uint32_t message, Token token) override {
    match(message, token, true);
    return SimTime();
  }

 private:
  using Leg = LibraryLeg;
  using Number = LegNumber<Leg>;
  using Message = LibraryMessage;
  using Rare = LibraryMessageTable::Rare;

  const Sent& send_of(std::uint32_t message) const override { return messages_[message].send; }
  Origin origin_of(std::uint32_t message) const override {
    return messages_.origin(messages_[message], machine_.events->now());
  }
  void handle(std::uint64_t what) override;
  bool serves_program() const override { return true; }
  void shipment_departed(MessageId id) override;
  void endpoint_written(std::uint64_t message) override;
  void copied_within_host(std::uint32_t message) override { data_arrived(message); }
  void shipment_reached(MessageId id, Bytes prefix) override;
  void shipment_delivered(MessageId id) override;
  void shipment_completed(MessageId id) override;
  void shipment_lost(MessageId id) override;
  void shipment_returned(MessageId id, Outcome why) override;

  void second_push_arrived(std::uint32_t message);
  void whole(std::uint32_t message);
  void start(std::uint32_t message);
  RendezvousBy rendezvous_by() const { return machine_.messages.rendezvous; }
  void send_is_over(std::uint32_t message);
  void finished(std::uint32_t message);
  void answer_request(std::uint32_t message);
  void came_into_socket(std::uint32_t message, Bytes there);
  void forget_if_written(std::uint32_t message);
  void turn_back(std::uint32_t message);
  void later(SimTime at, std::uint32_t message, Leg leg);
  bool come_to(std::uint32_t message);
  bool take_in(std::uint32_t message);
  /// @param late  the message was there before the receive
  void match(std::uint32_t message, Token receive, bool late);
  void hand_over(std::uint32_t message);
  void data_arrived(std::uint32_t message);
  void leg_done(std::uint32_t message, Leg leg);
  void ask_back(std::uint32_t message);
  void recall_came(std::uint32_t message);
  void recall_answered(std::uint32_t message);
  void recall_over(std::uint32_t message);
  void forget_if_withdrawn(std::uint32_t message);
  void drop(std::uint32_t message);

  Machine& machine_;
  MessengerClient& client_;
  LibraryCosts costs_;
  LibraryMessageTable messages_;
  NicsOfRanks nics_;
  PairOrder order_;
  UnexpectedBuffers unexpected_;
  SocketCopies sockets_;
  LibraryShipments shipments_;
  HostCopies within_host_;
};

}  // namespace morgana
