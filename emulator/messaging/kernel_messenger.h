#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "emulator/core/pool.h"
#include "emulator/messaging/leg_number.h"
#include "emulator/messaging/machine.h"
#include "emulator/messaging/messenger.h"
#include "emulator/messaging/push_pull_states.h"

namespace morgana {

/// Push-pull messaging: the hosts' kernels carry the messages, and their reception handlers do what need not
/// wait for a rank. K.-P. Wong and C.-L. Wang, "Push-Pull Messaging: A High-Performance Communication
/// Mechanism for Commodity SMP Clusters", 1999, sections 1 and 2.
///
/// Between hosts: the sender's processor brings the first push to the interface, and the second one right
/// behind it; then, or before, it has the addresses of its buffer translated, and the message stands in the
/// send queue. A message no longer than both pushes is pushed whole, in one piece, when its addresses are
/// translated: there is no pull behind which to hide that. A push that finds its receive in the receive queue
/// is copied to where it belongs. One that does not is copied to the receiver's pushed buffer, whole slots a
/// unit, and the message stands in the buffer queue; where too few slots are free the unit is dropped. The
/// request for the rest is sent by the handler, if the receive was there first, else by the receiving
/// process, which then copies what it finds in the pushed buffer. It asks for all that has not come: for what
/// was dropped, too. What was dropped of a message that is pushed whole is brought again by go-back-n. The
/// sender's handler sends the rest, which is copied straight to its place. Copies of what comes are the
/// handlers' (ReceptionHandlers).
///
/// Within a host: the sender has the addresses of what it pushes translated, and pushes it: to where it
/// belongs, if the receive is there; else into the pushed buffer, if slots are free, and it is copied twice.
/// What is left is pulled: whoever comes later enters the kernel once more, reads the other's entry in the
/// kernel's queue and copies, once, from buffer to buffer (the cross-space zero buffer); only the other's
/// addresses have to be translated for that. Copies take the processor of the rank that makes them, and share
/// the host's memory bus.
///
/// Of MPI's modes: a synchronous send that has been pushed whole is complete when a receipt of the match has
/// come; a buffered one is copied first. What is pushed whole is complete when the sender's call has brought
/// it to the interface. What the transport returns is told as by LibraryMessenger.
class KernelMessenger final : public Messenger, private ShipmentListener, private EventHandler {
 public:
  /// The machine has kernels that are interrupted, and its transport asks.
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
  /// What an event or a shipment is about.
  enum class Leg : std::uint8_t {
    push1,
    push2,
    request,
    pull,
    receipt,
    recall,     ///< the sender wants it back
    recalled,   ///< no receive had matched it, and none will
    start,      ///< the sender's call has come so far
    visible,    ///< within a host: the message stands in the send queue
    second,     ///< the second push is at the interface
    ask,        ///< the receiving process sends the request
    confirm,    ///< the receiving process sends the receipt
    serve,      ///< the sender's kernel knows the addresses and sends the rest
    emptied,    ///< what was in the pushed buffer has been copied
    copied,     ///< within a host: a piece has been copied
    addressed,  ///< within a host: the sender's addresses are known
    whole,      ///< the receiver has all
    told,       ///< within a host: the sender learns that the receiver has copied
  };
  using Number = LegNumber<Leg>;
  /// Within a host: what a processor does for the message.
  enum class Copying : std::uint8_t { nothing, push, addresses, all };
  struct Message {
    Send send;
    push_pull::Progress<push_pull::Sender> sender;
    push_pull::Progress<push_pull::Receiver> receiver;
    Token receive{};
    bool local = false, matched = false;
    bool acknowledged = false;  ///< the sender has been told that its buffer is free, or that it has failed
    bool pull_came = false, confirmed = false, was_told = false;
    std::uint64_t ordinal = 0;  ///< among those of the same sender to the same receiver
    std::uint32_t channel = 0;  ///< of the pushes, while they are under way
    bool seen = false;          ///< it stands in the buffer queue, or has met its receive
    bool refused = false;       ///< its next unit has found no room
    bool held = false;          ///< its receiver waits for a unit that was refused
    bool given_up = false;      ///< a push of it was returned: what is missing will never come
    bool pulled = false;        ///< its request asks for what was refused of the pushes, too
    Bytes push1, push2, rest;
    Bytes came;      ///< of the pushes
    Bytes buffered;  ///< of these: in the pushed buffer
    std::int64_t slots = 0;
    std::uint32_t pending = 0;  ///< events and shipments of a recall that must find the message
    bool recall_sent = false;
    bool withdrawn = false;  ///< no receive will match it any more
    SimTime registered;      ///< when the sender's kernel knows its addresses
    SimTime copied;          ///< when the receiving process has copied what it found
    // Within a host:
    Copying copying = Copying::nothing;
    bool by_sender = false;
    SimTime entry;  ///< to enter the kernel before the next piece is copied
    Bytes piece, left;
    // What the message waits for:
    bool receiver_was_late = false;  ///< its receive, at `asked`; else its sender
    SimTime asked;
    SimTime shipped;  ///< when its data were last handed to the transport
    // For retransmission timers, since it was sent or, of a late receive, since `asked`:
    SimTime push_waited;  ///< its pushes, which go at once
    SimTime pull_waited;  ///< what is pulled
    SimTime agreeing_waited;
  };

  /// Pushes of one rank to another, each on a channel of its own, so that one which waits for room holds up
  /// no other. They are matched in their order all the same.
  struct Pair {
    std::uint64_t sent = 0, seen = 0;
    std::uint32_t channels = 0;
    std::vector<std::uint32_t> free;   // of these
    std::set<std::uint64_t> given_up;  // ordinals that will never be seen
  };
  Pair& pair_of(const Message& message) {
    return pairs_[std::uint64_t{index(message.send.envelope.source)} << 32 | index(message.send.receiver)];
  }

  void enter(Message& message, push_pull::Sender state) {
    message.sender.enter(state);
    ++machine_.kernel_message_counters.sender[static_cast<std::size_t>(state)];
  }
  void enter(Message& message, push_pull::Receiver state) {
    message.receiver.enter(state);
    ++machine_.kernel_message_counters.receiver[static_cast<std::size_t>(state)];
  }
  void meet(Message& message, Token receive);
  const Sent& send_of(std::uint32_t message) const override { return messages_[message].send; }
  Origin origin_of(std::uint32_t message) const override;
  void handle(std::uint64_t what) override;
  void shipment_departed(MessageId id) override;
  Admission shipment_admitted(MessageId id, Bytes before, Bytes size) override;
  void shipment_delivered(MessageId id) override;
  void shipment_lost(MessageId id) override;
  void shipment_returned(MessageId id, Outcome why) override;

  std::int64_t units(Bytes push) const;
  std::int64_t slots_for(Bytes bytes) const;
  Bytes in_first_unit(Bytes push) const;
  SimTime addresses(Bytes bytes) const;
  SimTime translation(Bytes bytes) const;
  struct Pushes {
    Bytes first, second;
  };
  Pushes pushes_of(bool local, Bytes bytes) const;
  SimTime second_launched(const Message& message) const;

  // At the sender:
  void start(std::uint32_t number);
  void push_second(std::uint32_t number);
  void serve(std::uint32_t number);
  void sender_done(std::uint32_t number);
  void ask_back(std::uint32_t number);
  void recall_answered(std::uint32_t number);
  void recall_failed(std::uint32_t number);
  void end_if_withdrawn(std::uint32_t number);
  // At the receiver:
  bool take_slots(Message& message, std::int64_t count);
  void free_slots(std::uint32_t number);
  Admission push_admitted(std::uint32_t number, Bytes before, Bytes size);
  void see(std::uint32_t number);
  void hold(Message& message);
  void release(Message& message);
  static std::uint64_t take_payload(Message& message);
  void drop(Message& message);
  void end_pushes(Message& message);
  void push_delivered(std::uint32_t number, Leg leg);
  SimTime match(std::uint32_t number, Token receive);
  void look_whether_whole(std::uint32_t number);
  void recall_came(std::uint32_t number);
  void take_back(std::uint32_t number);
  void whole(std::uint32_t number);
  void tell_delivered(Message& message);
  // Within a host:
  void become_visible(std::uint32_t number);
  void begin_copy(std::uint32_t number, Copying what, bool by_sender, Bytes bytes);
  void copy_piece(std::uint32_t number);
  void piece_copied(std::uint32_t number);
  void find_addresses(std::uint32_t number);
  void addressed(std::uint32_t number);
  SimTime work(Rank rank, SimTime cost);

  static void note_timer_wait(Message& message, Leg leg, SimTime wait);
  void ship(std::uint32_t number, Leg leg, bool by_program);
  void later(SimTime at, std::uint32_t number, Leg leg);
  void forget_if_done(std::uint32_t number);
  void note_undelivered(MessageId id, std::optional<Outcome> returned);

  Machine& machine_;
  const KernelMessages& costs_;
  MessengerClient& client_;
  std::vector<std::int64_t> slots_taken_;      // by receiver: of its pushed buffer
  std::int64_t slots_;                         // of each receiver
  Bytes unit_;                                 // what the network's largest has room for
  tsl::robin_map<std::uint64_t, Pair> pairs_;  // by sender and receiver
  Pool<Message> messages_;
};

}  // namespace morgana
