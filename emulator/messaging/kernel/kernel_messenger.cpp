#include "emulator/messaging/kernel/kernel_messenger.h"

#include <algorithm>
#include <utility>

#include "emulator/core/end_of_time.h"

namespace morgana {
using push_pull::Receiver;
using push_pull::Sender;

KernelMessenger::KernelMessenger(Machine& machine, MessengerClient& client)
    : Messenger(machine.host_of.size()),
      machine_(machine),
      costs_(*machine.kernel_messages),
      client_(client),
      push_pull_(machine.messages, costs_,
                 machine.network->largest_unit() - machine.transport->unit_header()),
      buffers_(machine.host_of.size(), machine.messages.unexpected_buffer.count() / costs_.slot.count(),
               machine.kernel_message_counters),
      messages_(machine.kernel_message_counters),
      shipments_(machine, messages_, losses_, *this),
      within_host_(machine, client, messages_, push_pull_, buffers_, *this) {}

Messenger::SendCost KernelMessenger::send_cost(Rank sender, Rank receiver, Bytes bytes, SendMode mode) const {
  return push_pull_.send_cost(machine_.share_host(sender, receiver), bytes, mode);
}

Messenger::Begun KernelMessenger::send(const Send& send) {
  const std::uint32_t number = messages_.add();
  Message& message = messages_[number];
  message.send = send;
  message.local = machine_.share_host(send.envelope.source, send.receiver);
  if (is_of_program(send)) machine_.count(send.envelope.source, send.receiver, message.local, send.bytes);
  const PushPullCosts::Pushes pushes = push_pull_.pushes_of(message.local, send.bytes);
  message.push1 = pushes.first;
  message.push2 = pushes.second;
  message.rest = send.bytes - pushes.first - pushes.second;
  const bool pushed_whole = !message.local && message.rest == Bytes();
  message.acknowledged =
      send.mode == SendMode::buffered || (pushed_whole && send.mode != SendMode::synchronous);
  message.registered = time_before_end(
      send.ready + send_cost(send.envelope.source, send.receiver, send.bytes, send.mode).after);
  const bool complete = message.acknowledged;
  if (send.ready > machine_.events->now())
    later(send.ready, number, Leg::start);
  else
    start(number);
  return {complete ? std::nullopt : std::optional(number)};
}

void KernelMessenger::start(std::uint32_t number) {
  Message& message = messages_[number];
  messages_.enter(message, Sender::registered);
  if (message.local) {
    later(machine_.events->now() + machine_.messages.local_latency, number, Leg::visible);
    if (message.recall_sent) ask_back(number);
    return;
  }
  messages_.enter(message, Sender::push1);
  channels_.begin(message);
  if (message.push2 > Bytes())
    later(time_before_end(machine_.events->now() + push_pull_.second_launched(message.push1, message.push2)),
          number, Leg::second);
  else if (message.rest > Bytes())
    messages_.enter(message, Sender::wait_req);
  shipments_.ship(number, Leg::push1, true);
  if (messages_[number].recall_sent) ask_back(number);
}

/// The first unit of the second push is at the interface.
void KernelMessenger::push_second(std::uint32_t number) {
  Message& message = messages_[number];
  messages_.enter(message, Sender::push2);
  if (message.rest > Bytes()) messages_.enter(message, Sender::wait_req);
  shipments_.ship(number, Leg::push2, true);
  end_if_withdrawn(number);
}

void KernelMessenger::later(SimTime at, std::uint32_t number, Leg leg) {
  ++messages_[number].pending;
  machine_.events->schedule(at, *this, Number{number, leg}.packed());
}

void KernelMessenger::handle(std::uint64_t what) {
  const auto [number, leg] = Number::unpacked(what);
  --messages_[number].pending;
  switch (leg) {
    case Leg::start:
      return start(number);
    case Leg::visible:
      return become_visible(number);
    case Leg::second:
      return push_second(number);
    case Leg::request_is_ready:
      return shipments_.ship(number, Leg::request, true);
    case Leg::receipt_is_ready:
      return shipments_.ship(number, Leg::receipt, true);
    case Leg::serve:
      messages_.enter(messages_[number], Sender::pulling);
      return shipments_.ship(number, Leg::pull, false);
    case Leg::emptied:
      buffers_.free(messages_[number]);
      return messages_.forget_if_done(number);
    case Leg::whole:
      return whole(number);
    case Leg::sender_learns:
      sender_done(number);
      return messages_.forget_if_done(number);
    case Leg::recall:
      return recall_came(number);
    case Leg::recalled:
      return recall_answered(number);
    case Leg::push1:
    case Leg::push2:
    case Leg::request:
    case Leg::pull:
    case Leg::receipt:
      return;
  }
}

void KernelMessenger::shipment_departed(MessageId id) {
  const auto [number, leg] = Number::unpacked(id.number);
  Message& message = messages_[number];
  switch (leg) {
    case Leg::push1:
      if (message.push2 == Bytes() && message.rest == Bytes()) messages_.enter(message, Sender::done);
      return;
    case Leg::push2:
      if (message.rest == Bytes()) messages_.enter(message, Sender::done);
      return;
    case Leg::pull:
      return sender_done(number);
    default:
      return;
  }
}

/// The sender's buffer is free, and the receive has matched.
void KernelMessenger::sender_done(std::uint32_t number) {
  Message& message = messages_[number];
  if (!message.sender.is(Sender::done)) messages_.enter(message, Sender::done);
  if (!std::exchange(message.acknowledged, true)) client_.sent(message.send.token, origin_of(number));
}

Admission KernelMessenger::shipment_admitted(MessageId id, Bytes before, Bytes size) {
  const auto [number, leg] = Number::unpacked(id.number);
  if (leg != Leg::pull) return push_admitted(number, before, size);
  if (before == Bytes()) messages_.enter(messages_[number], Receiver::pulling);
  return Admission::taken;
}

void KernelMessenger::shipment_delivered(MessageId id) {
  const auto [number, leg] = Number::unpacked(id.number);
  Message& message = messages_[number];
  message.note_timer_wait(leg, machine_.transport->timer_wait());
  switch (leg) {
    case Leg::push1:
    case Leg::push2:
      return push_delivered(number, leg);
    case Leg::request:
      return later(std::max(machine_.events->now(), message.registered), number, Leg::serve);
    case Leg::pull:
      message.pull_came = true;
      return look_whether_whole(number);
    case Leg::receipt:
      if (!std::exchange(message.acknowledged, true)) client_.sent(message.send.token, origin_of(number));
      return messages_.forget_if_done(number);
    case Leg::recall:
    case Leg::recalled:
      return handle(id.number);
    default:
      return;
  }
}

void KernelMessenger::recall(std::uint32_t number) {
  Message& message = messages_[number];
  if (!std::exchange(message.recall_sent, true) && !message.sender.is(Sender::idle)) ask_back(number);
}

void KernelMessenger::ask_back(std::uint32_t number) {
  Message& message = messages_[number];
  if (message.local)
    return later(machine_.events->now() + machine_.messages.local_latency, number, Leg::recall);
  ++message.pending;
  shipments_.ship(number, Leg::recall, true);
}

void KernelMessenger::recall_answered(std::uint32_t number) {
  Message& message = messages_[number];
  if (!std::exchange(message.acknowledged, true))
    client_.recalled(message.send.token, message.take_payload());
  end_if_withdrawn(number);
}

/// Of a message that has been taken back, what is pushed may still be under way, but nothing waits for its
/// rest.
void KernelMessenger::end_if_withdrawn(std::uint32_t number) {
  Message& message = messages_[number];
  if (!message.withdrawn || !message.acknowledged) return;
  if (message.sender.is(Sender::wait_req) || (message.local && !message.sender.is(Sender::done)))
    messages_.enter(message, Sender::done);
  messages_.forget_if_done(number);
}

// What waits for the lost message waits without bound, as it would.
void KernelMessenger::shipment_lost(MessageId id) {
  shipments_.note_undelivered(id, std::nullopt);
  const auto [number, leg] = Number::unpacked(id.number);
  if (leg == Leg::recall || leg == Leg::recalled) return recall_failed(number);
  if (leg == Leg::push1 || leg == Leg::push2 || leg == Leg::pull) drop(messages_[number]);
}

void KernelMessenger::drop(Message& message) {
  if (const std::uint64_t payload = message.take_payload(); payload != 0) client_.dropped(payload);
}

/// The send continues as if it had not been recalled.
void KernelMessenger::recall_failed(std::uint32_t number) {
  --messages_[number].pending;
  messages_.forget_if_done(number);
}

void KernelMessenger::shipment_returned(MessageId id, Outcome why) {
  const auto [number, leg] = Number::unpacked(id.number);
  Message& message = messages_[number];
  if (message.pulled && (leg == Leg::push1 || leg == Leg::push2)) {
    if (leg == Leg::push2 || message.push2 == Bytes()) channels_.end(message);
    return messages_.forget_if_done(number);  // nothing waits for it
  }
  shipments_.note_undelivered(id, why);
  switch (leg) {
    case Leg::push1:
    case Leg::push2:
      if (!message.seen) channels_.give_up(message);
      message.given_up = true;
      message.release(*machine_.events);
      if (message.push2 == Bytes() || !message.sender.is(Sender::push1)) channels_.end(message);
      [[fallthrough]];
    case Leg::pull:
      if (std::exchange(message.acknowledged, true)) return drop(message);
      return client_.returned(message.send.token, message.send.envelope, message.take_payload(), why);
    case Leg::request:
      return client_.returned(message.receive, message.send.envelope, message.take_payload(), why);
    case Leg::recall:
    case Leg::recalled:
      return recall_failed(number);
    default:
      return;
  }
}

}  // namespace morgana
