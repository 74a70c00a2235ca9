#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "emulator/core/event_queue.h"
#include "emulator/core/pool.h"
#include "emulator/messaging/kernel/kernel_messages.h"
#include "emulator/messaging/kernel/push_pull_states.h"
#include "emulator/messaging/leg_number.h"
#include "emulator/messaging/messenger.h"

namespace morgana {

/// What an event or a shipment of push-pull messaging is about.
enum class KernelLeg : std::uint8_t {
  push1,
  push2,
  request,
  pull,
  receipt,
  recall,            ///< the sender wants the message back
  recalled,          ///< no receive had matched it, and none will
  start,             ///< the sender's call has come so far
  visible,           ///< within a host: the message stands in the send queue
  second,            ///< the second push is at the NIC
  request_is_ready,  ///< the receiving process sends the request
  receipt_is_ready,  ///< the receiving process sends the receipt
  serve,             ///< the sender's kernel knows the addresses and sends the rest
  emptied,           ///< what was in the pushed buffer has been copied
  whole,             ///< the receiver has all
  sender_learns,     ///< within a host: the sender learns that the receiver has copied
};

/// A message that the hosts' kernels carry, from its send until both parties are done and nothing of it is
/// under way.
struct KernelMessage {
  /// Within a host: what a processor does for the message.
  enum class Copying : std::uint8_t { nothing, push, addresses, all };

  Messenger::Send send;
  push_pull::Progress<push_pull::Sender> sender;
  push_pull::Progress<push_pull::Receiver> receiver;
  Token receive{};
  bool local = false, matched = false;
  bool acknowledged = false;  ///< the sender knows that its buffer is free, or that the send has failed
  bool pull_came = false, confirmed = false, delivery_reported = false;
  std::uint64_t ordinal = 0;  ///< among those of the same sender to the same receiver
  std::uint32_t channel = 0;  ///< of the pushes, while they are under way
  bool seen = false;          ///< it stands in the buffer queue, or has met its receive
  bool refused = false;       ///< its next unit has found no space
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

  /// All of the pushes has come.
  bool has_pushes() const { return came == push1 + push2; }
  /// Both parties are done, and nothing of it is under way.
  bool is_done() const {
    const bool pushes_come =
        !given_up && ((withdrawn && !local && !has_pushes()) || (pulled && channel != 0));
    return receiver.is(push_pull::Receiver::done) && acknowledged && pending == 0 &&
           sender.is(push_pull::Sender::done) && !pushes_come;
  }
  /// @return the payload of a message that does not arrive; 0 if it has been given away
  std::uint64_t take_payload() { return std::exchange(send.payload, 0); }
  void note_timer_wait(KernelLeg leg, SimTime wait) {
    if (leg == KernelLeg::push1 || leg == KernelLeg::push2)
      push_waited = std::max(push_waited, wait);
    else
      (leg == KernelLeg::pull ? pull_waited : agreeing_waited) += wait;
  }
  /// What lets a rank continue that has waited for the message until now.
  Origin origin(SimTime now) const;
  /// The receive is there, and only the time-out of what was refused continues: it is not idle upkeep.
  void hold(EventQueue& events) {
    held = true;
    events.hold();
  }
  /// Nothing of the message's pushes will come any more.
  void release(EventQueue& events) {
    if (std::exchange(held, false)) events.release();
  }
};

/// The messages that the hosts' kernels carry, by number, and how many have come to each state. A number is
/// free again once its message is forgotten.
class KernelMessageTable {
 public:
  explicit KernelMessageTable(KernelMessageCounters& counters) : counters_(counters) {}

  std::uint32_t add() { return messages_.take(KernelMessage()); }
  /// Frees the message's number if both parties are done and nothing of it is under way.
  void forget_if_done(std::uint32_t number) {
    if (messages_[number].is_done()) messages_.give_back(number);
  }
  KernelMessage& operator[](std::uint32_t number) { return messages_[number]; }
  const KernelMessage& operator[](std::uint32_t number) const { return messages_[number]; }

  void enter(KernelMessage& message, push_pull::Sender state) {
    message.sender.enter(state);
    ++counters_.sender[static_cast<std::size_t>(state)];
  }
  void enter(KernelMessage& message, push_pull::Receiver state) {
    message.receiver.enter(state);
    ++counters_.receiver[static_cast<std::size_t>(state)];
  }

 private:
  Pool<KernelMessage> messages_;
  KernelMessageCounters& counters_;
};

}  // namespace morgana
