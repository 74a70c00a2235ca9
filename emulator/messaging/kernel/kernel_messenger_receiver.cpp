// What KernelMessenger does at a message's receiver, and within a host.

#include <algorithm>
#include <utility>

#include "emulator/core/end_of_time.h"
#include "emulator/messaging/kernel/kernel_messenger.h"

namespace morgana {

using push_pull::Receiver;
using push_pull::Sender;

/// The handler has a unit of a push: it copies it to where it belongs, or to the pushed buffer, or drops it.
Admission KernelMessenger::push_admitted(std::uint32_t number, Bytes before, Bytes size) {
  if (!messages_[number].seen) {
    if (!channels_.is_next(messages_[number])) return Admission::dropped;
    see(number);
  }
  Message& message = messages_[number];
  if (message.pulled) return Admission::taken;  // and thrown away
  const Bytes data = before == Bytes() ? size - machine_.messages.envelope : size;
  message.refused =
      !message.matched && !message.withdrawn && !buffers_.take(message, push_pull_.slots_for(data));
  if (message.refused) return Admission::no_room;
  message.came += data;
  if (!message.matched && !message.withdrawn) message.buffered += data;
  return Admission::taken;
}

/// The receive and the message are matched.
void KernelMessenger::meet(Message& message, Token receive) {
  message.receive = receive;
  message.matched = true;
  const bool sender_goes_on = message.rest == Bytes() && message.send.mode != SendMode::synchronous;
  if (!message.acknowledged && !sender_goes_on) client_.met(message.send.token, receive);
}

/// The first unit of a message has come, in the order of the sender's messages.
void KernelMessenger::see(std::uint32_t number) {
  Message& message = messages_[number];
  message.seen = true;
  channels_.see(message);
  if (message.withdrawn) {
    messages_.enter(message, Receiver::buffered);
    return messages_.enter(message, Receiver::done);
  }
  const Send send = message.send;
  if (const auto receive = matchers_[index(send.receiver)].arrive(send.envelope, number)) {
    meet(message, Token{*receive});
    messages_.enter(message, Receiver::posted);
    return client_.matched(message.receive);
  }
  messages_.enter(message, Receiver::buffered);
  client_.waits_unmatched(send.receiver, send.envelope, send.bytes);
}

void KernelMessenger::push_delivered(std::uint32_t number, Leg leg) {
  Message& message = messages_[number];
  if (leg == Leg::push1 && message.receiver.is(Receiver::posted)) {
    if (message.rest > Bytes()) {
      messages_.enter(message, Receiver::req_sent);
      shipments_.ship(number, Leg::request, false);
    } else if (!message.acknowledged && !std::exchange(message.confirmed, true)) {
      shipments_.ship(number, Leg::receipt, false);
    }
  }
  const bool all_came = message.pulled || message.has_pushes();
  if (all_came && (leg == Leg::push2 || message.push2 == Bytes())) {
    channels_.end(message);
    message.release(*machine_.events);
  }
  if (message.withdrawn || message.pulled) return messages_.forget_if_done(number);
  look_whether_whole(number);
}

SimTime KernelMessenger::receive_cost(Rank receiver, const Envelope& pattern, Bytes bytes) {
  const auto number = matchers_[index(receiver)].find(pattern);
  const bool masked = push_pull_.masks_translation();
  return number && (masked || messages_[*number].local) ? SimTime() : push_pull_.translation(bytes);
}

Messenger::Posted KernelMessenger::receive(Rank receiver, const Envelope& pattern, Token token) {
  const Matcher::Posted posted = matchers_[index(receiver)].post(pattern, static_cast<std::uint32_t>(token));
  return {posted.place, posted.message ? match(*posted.message, token) : SimTime()};
}

/// The receive is late. @return processor time that the receiving process spends on what it finds
SimTime KernelMessenger::match(std::uint32_t number, Token receive) {
  Message& message = messages_[number];
  meet(message, receive);
  const SimTime now = machine_.events->now();
  const bool on_its_way = !message.local && message.rest == Bytes() && message.came < message.send.bytes;
  message.receiver_was_late = !on_its_way && message.copying == Message::Copying::nothing;
  message.asked = now;
  if (message.receiver_was_late)
    message.push_waited = message.pull_waited = message.agreeing_waited = SimTime();
  if (message.local) {
    if (message.copying == Message::Copying::nothing) within_host_.copy_all(number, false);
    return SimTime();
  }
  SimTime at = now;
  const bool asks = message.rest > Bytes();
  if (asks && message.refused && !message.given_up) {
    message.pulled = true;
    message.rest = message.send.bytes - message.came;
  }
  const bool confirms = !asks && !message.acknowledged && !std::exchange(message.confirmed, true);
  if (asks || confirms) at += costs_.launch;
  if (asks) {
    messages_.enter(message, Receiver::req_sent);
    later(at, number, Leg::request_is_ready);
  } else if (confirms) {
    later(at, number, Leg::receipt_is_ready);
  }
  const bool has_all = message.came == message.send.bytes;
  if (message.refused && !message.given_up && !message.pulled) message.hold(*machine_.events);
  if (push_pull_.masks_translation() && !has_all)
    at = time_before_end(at + push_pull_.translation(message.send.bytes));
  if (message.buffered > Bytes()) {
    const HostId host = machine_.host_of[index(message.send.receiver)];
    at = machine_.bus
             ? machine_.bus->copy(host, message.buffered, message.send.bytes, at)
             : time_before_end(at + time_before_end(machine_.messages.copy_per_byte, message.buffered));
  }
  message.copied = at;
  if (message.slots > 0) later(at, number, Leg::emptied);
  // The process has it when its call ends: it can't ask before.
  if (has_all)
    whole(number);
  else
    look_whether_whole(number);
  return at - now;
}

void KernelMessenger::look_whether_whole(std::uint32_t number) {
  Message& message = messages_[number];
  if (!message.has_pushes() && !message.pulled) return;
  if (message.rest > Bytes() && !message.pull_came) return;
  if (message.rest == Bytes()) report_delivered(message);
  if (!messages_[number].matched) return;
  const SimTime copied = messages_[number].copied;
  if (copied > machine_.events->now()) return later(copied, number, Leg::whole);
  whole(number);
}

/// A message that has matched, or that a probe has taken, is answered by what follows from that.
void KernelMessenger::recall_came(std::uint32_t number) {
  Message& message = messages_[number];
  const bool has_come = !message.receiver.is(Receiver::none);
  const bool is_over = message.matched || (message.local && message.acknowledged);
  if (is_over || (has_come && !matchers_[index(message.send.receiver)].withdraw(number)))
    return messages_.forget_if_done(number);
  message.withdrawn = true;
  if (message.copying == Message::Copying::nothing) take_back(number);
}

/// What was stored of it is thrown away, and the answer goes to the sender.
void KernelMessenger::take_back(std::uint32_t number) {
  Message& message = messages_[number];
  buffers_.free(message);
  if (message.receiver.is(Receiver::buffered)) messages_.enter(message, Receiver::done);
  if (message.local)
    return later(machine_.events->now() + machine_.messages.local_latency, number, Leg::recalled);
  ++message.pending;
  shipments_.ship(number, Leg::recalled, false);
}

void KernelMessenger::report_delivered(Message& message) {
  if (std::exchange(message.delivery_reported, true)) return;
  const Send send = message.send;
  client_.delivered(send.envelope, send.receiver, send.bytes, send.begun);
}

void KernelMessenger::whole(std::uint32_t number) {
  const MessageLayer& layer = machine_.messages;
  if (messages_[number].receiver.is(Receiver::done)) return;
  messages_.enter(messages_[number], Receiver::done);
  report_delivered(messages_[number]);
  const Message& message = messages_[number];
  ReceivedMessage received = received_of(message.send);
  received.origin = origin_of(number);
  received.cost = message.local ? layer.local_overhead : layer.receive_overhead;
  const Token token = message.receive;
  messages_.forget_if_done(number);
  client_.received(token, received);
}

Origin KernelMessage::origin(SimTime now) const {
  const SimTime ready = receiver_was_late ? asked : send.ready;
  const Rank by = receiver_was_late ? send.receiver : send.envelope.source;
  const SimTime data_waited = rest > Bytes() ? pull_waited : push_waited;
  const SimTime wire = local ? SimTime() : std::max(now - std::max(shipped, ready) - data_waited, SimTime());
  return {by, ready, wire, now, local, push_waited + pull_waited + agreeing_waited};
}

void KernelMessenger::become_visible(std::uint32_t number) {
  Message& message = messages_[number];
  const Send send = message.send;
  if (const auto receive = matchers_[index(send.receiver)].arrive(send.envelope, number)) {
    meet(message, Token{*receive});
    messages_.enter(message, Receiver::posted);
    client_.matched(message.receive);
    return within_host_.copy_all(number, true);
  }
  messages_.enter(message, Receiver::buffered);
  within_host_.push(number);
  client_.waits_unmatched(send.receiver, send.envelope, send.bytes);
}

void KernelMessenger::push_copied(std::uint32_t number) {
  if (messages_[number].send.mode != SendMode::synchronous) sender_done(number);
}

/// The later party has copied, and the other one learns of it.
void KernelMessenger::all_copied(std::uint32_t number) {
  Message& message = messages_[number];
  const SimTime other_party = machine_.events->now() + machine_.messages.local_latency;
  buffers_.free(message);
  if (message.by_sender) {
    sender_done(number);
    return later(other_party, number, Leg::whole);
  }
  later(other_party, number, Leg::sender_learns);
  whole(number);
}

}  // namespace morgana
