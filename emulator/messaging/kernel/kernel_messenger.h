#pragma once

#include <cstdint>
#include <optional>

#include "emulator/messaging/kernel/host_push_pull.h"
#include "emulator/messaging/kernel/kernel_message.h"
#include "emulator/messaging/kernel/kernel_shipments.h"
#include "emulator/messaging/kernel/push_channels.h"
#include "emulator/messaging/kernel/push_pull_costs.h"
#include "emulator/messaging/kernel/pushed_buffers.h"
#include "emulator/messaging/leg_number.h"
#include "emulator/messaging/machine.h"
#include "emulator/messaging/messenger.h"

namespace morgana {

/// Push-pull messaging: the hosts' kernels carry the messages, and their reception handlers do what need not
/// wait for a rank. K.-P. Wong and C.-L. Wang, "Push-Pull Messaging: A High-Performance Communication
/// Mechanism for Commodity SMP Clusters", 1999, sections 1 and 2.
///
/// Between hosts: the sender's processor brings the first push to the NIC, and the second one right
/// behind it; then, or before, it has the addresses of its buffer translated, and the message stands in the
/// send queue. A message no longer than both pushes is pushed whole, in one piece, when its addresses are
/// translated: there is no pull behind which to hide that. A push that finds its receive in the receive queue
/// is copied to where it belongs. One that does not is copied to the receiver's pushed buffer, whole slots a
/// unit, and the message stands in the buffer queue; where too few slots are free the unit is dropped. The
/// request for the rest is sent by the handler, if the receive was there first, else by the receiving
/// process, which then copies what it finds in the pushed buffer. It requests all that has not come: what
/// was dropped, too. What was dropped of a message that is pushed whole is brought again by go-back-n. The
/// sender's handler sends the rest, which is copied straight to its place. Copies of what comes are the
/// handlers' (ReceptionHandlers).
///
/// Within a host: the sender has the addresses of what it pushes translated, and pushes it: to where it
/// belongs, if the receive is there; else into the pushed buffer, if slots are free, and it is copied twice.
/// What is left is pulled: the party that comes later enters the kernel once more, reads the other's entry in
/// the kernel's queue and copies, once, from buffer to buffer (the cross-space zero buffer); only the other's
/// addresses have to be translated for that. Copies take the processor of the rank that makes them, and share
/// the host's memory bus.
///
/// Of MPI's modes: a synchronous send that has been pushed whole is complete when a receipt of the match has
/// come; a buffered one is copied first. What is pushed whole is complete when the sender's call has brought
/// it to the interface. What the transport returns is reported as by LibraryMessenger.
class KernelMessenger final : public Messenger,
                              private ShipmentListener,
                              private EventHandler,
                              private HostPushPullListener {
 public:
  /// The machine has kernels that are interrupted, and its transport asks for admission.
  KernelMessenger(Machine& machine, MessengerClient& client);

  SendCost send_cost(Rank sender, Rank receiver, Bytes bytes, SendMode mode) const override;
  Begun send(const Send& send) override;
  void recall(std::uint32_t message) override;
  bool receives_cost() const override { return true; }
  SimTime receive_cost(Rank receiver, const Envelope& pattern, Bytes bytes) override;
  Posted receive(Rank receiver, const Envelope& pattern, Token token) override;
  Bytes match_matters_beyond() const override { return Bytes(-1); }
  SimTime receive_taken(std::uint32_t message, Token token) override { return match(message, token); }

 private:
  using Leg = KernelLeg;
  using Number = LegNumber<Leg>;
  using Message = KernelMessage;

  void meet(Message& message, Token receive);
  const Sent& send_of(std::uint32_t message) const override { return messages_[message].send; }
  Origin origin_of(std::uint32_t message) const override {
    return messages_[message].origin(machine_.events->now());
  }
  void handle(std::uint64_t what) override;
  void shipment_departed(MessageId id) override;
  Admission shipment_admitted(MessageId id, Bytes before, Bytes size) override;
  void shipment_delivered(MessageId id) override;
  void shipment_lost(MessageId id) override;
  void shipment_returned(MessageId id, Outcome why) override;

  void withdrawn_rests(std::uint32_t number) override { take_back(number); }
  void push_copied(std::uint32_t number) override;
  void all_copied(std::uint32_t number) override;

  // At the sender:
  void start(std::uint32_t number);
  void push_second(std::uint32_t number);
  void sender_done(std::uint32_t number);
  void ask_back(std::uint32_t number);
  void recall_answered(std::uint32_t number);
  void recall_failed(std::uint32_t number);
  void end_if_withdrawn(std::uint32_t number);
  // At the receiver:
  Admission push_admitted(std::uint32_t number, Bytes before, Bytes size);
  void see(std::uint32_t number);
  void drop(Message& message);
  void push_delivered(std::uint32_t number, Leg leg);
  SimTime match(std::uint32_t number, Token receive);
  void look_whether_whole(std::uint32_t number);
  void recall_came(std::uint32_t number);
  void take_back(std::uint32_t number);
  void whole(std::uint32_t number);
  void report_delivered(Message& message);
  // Within a host:
  void become_visible(std::uint32_t number);

  void later(SimTime at, std::uint32_t number, Leg leg);

  Machine& machine_;
  const KernelMessages& costs_;
  MessengerClient& client_;
  PushPullCosts push_pull_;
  PushedBuffers buffers_;
  PushChannels channels_;
  KernelMessageTable messages_;
  KernelShipments shipments_;
  HostPushPull within_host_;
};

}  // namespace morgana
