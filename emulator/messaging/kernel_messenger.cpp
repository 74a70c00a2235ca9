#include "emulator/messaging/kernel_messenger.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "emulator/core/end_of_time.h"

namespace morgana {
namespace {

using push_pull::Receiver;
using push_pull::Sender;

std::int64_t whole_parts(Bytes bytes, Bytes part) {
  return (bytes.count() + part.count() - 1) / part.count();
}

/// What waits for room must hold up nothing else. @param number  of the channel for pushes; 0: all else
std::uint64_t channel_between(Rank a, Rank b, std::uint32_t number) {
  constexpr unsigned rank_bits = 20;
  const std::uint64_t low = std::min(index(a), index(b)), high = std::max(index(a), index(b));
  return (std::uint64_t{number} << rank_bits | low) << rank_bits | high;
}

}  // namespace

void push_pull::refuse(int from, int to) {
  throw std::logic_error("a message's state can't go from " + std::to_string(from) + " to " +
                         std::to_string(to));
}

CounterTable KernelMessageCounters::table() const {
  CounterTable table{"push-pull messages", {{"party"}, {"state"}, {"messages"}}, {}};
  const auto add = [&](const char* party, const auto& names, const auto& counts) {
    for (std::size_t state = 1; state < names.size(); ++state)
      table.rows.push_back({party, std::string(names[state]), counts[state]});
  };
  add("sender", push_pull::names_of_sender, sender);
  add("receiver", push_pull::names_of_receiver, receiver);
  return table;
}

CounterTable KernelMessageCounters::buffer_table() const {
  return {"pushed buffers", {{"slots each"}, {"most taken at once"}}, {{slots, most_slots_taken}}};
}

KernelMessenger::KernelMessenger(Machine& machine, MessengerClient& client)
    : Messenger(machine.host_of.size()),
      machine_(machine),
      costs_(*machine.kernel_messages),
      client_(client),
      slots_taken_(machine.host_of.size()),
      slots_(machine.messages.unexpected_buffer.count() / costs_.slot.count()),
      unit_(machine.network->largest_unit() - machine.transport->unit_header()) {
  machine_.kernel_message_counters.slots = slots_;
}

/// How many units carry a push, with its envelope.
std::int64_t KernelMessenger::units(Bytes push) const {
  return std::max<std::int64_t>(whole_parts(machine_.messages.envelope + push, unit_), 1);
}

Bytes KernelMessenger::in_first_unit(Bytes push) const {
  return std::min(push, std::max(unit_ - machine_.messages.envelope, Bytes()));
}

/// How many slots of the pushed buffer bytes take that come together.
std::int64_t KernelMessenger::slots_for(Bytes bytes) const {
  return whole_parts(bytes, costs_.slot);
}

/// The translation grows linearly with the size (section 2.3), within a page, too: buffers that begin at a
/// page and end within it take longer the more bytes they have (section 3.1).
SimTime KernelMessenger::addresses(Bytes bytes) const {
  return time_before_end(static_cast<__int128>(costs_.translate_page.ps()) * bytes.count() /
                         costs_.page.count());
}

SimTime KernelMessenger::translation(Bytes bytes) const {
  return bytes == Bytes() ? SimTime() : time_before_end(costs_.system_call + addresses(bytes));
}

KernelMessenger::Pushes KernelMessenger::pushes_of(bool local, Bytes bytes) const {
  const MessageLayer& layer = machine_.messages;
  const Bytes first = local ? layer.local_push : layer.push, second = local ? Bytes() : layer.second_push;
  // The second push overlaps with the request: where nothing is left to be asked for there is one piece.
  const Bytes whole = std::max(local ? layer.local_eager_limit : layer.eager_limit, first + second);
  return bytes <= whole ? Pushes{bytes, Bytes()} : Pushes{first, second};
}

/// The processor copies a unit of a push to the interface while the wire is busy with the one before.
Messenger::SendCost KernelMessenger::send_cost(Rank sender, Rank receiver, Bytes bytes, SendMode mode) const {
  const MessageLayer& layer = machine_.messages;
  const bool local = machine_.share_host(sender, receiver);
  const SimTime kept = mode == SendMode::buffered ? time_before_end(layer.copy_per_byte, bytes) : SimTime();
  const Pushes pushes = pushes_of(local, bytes);
  if (local) return {time_before_end(layer.local_overhead + kept + addresses(pushes.first)), SimTime()};
  const Bytes first = in_first_unit(pushes.first);
  const std::int64_t others = units(pushes.first) - 1 + (pushes.second > Bytes() ? units(pushes.second) : 0);
  const SimTime launched = costs_.launch + time_before_end(layer.send_per_byte, first);
  const SimTime others_launched =
      time_before_end(time_before_end(static_cast<__int128>(costs_.launch.ps()) * others) +
                      time_before_end(layer.send_per_byte, pushes.first - first + pushes.second));
  const bool masked =
      costs_.translation == KernelMessages::Translation::masked && pushes.first + pushes.second < bytes;
  const SimTime before = layer.send_overhead + kept + launched;
  return {time_before_end(masked ? before : before + translation(bytes)),
          time_before_end(masked ? others_launched + translation(bytes) : others_launched)};
}

Messenger::Begun KernelMessenger::send(const Send& send) {
  const std::uint32_t number = messages_.take(Message());
  Message& message = messages_[number];
  message.send = send;
  message.local = machine_.share_host(send.envelope.source, send.receiver);
  if (is_of_program(send)) machine_.count(send.envelope.source, send.receiver, message.local, send.bytes);
  const Pushes pushes = pushes_of(message.local, send.bytes);
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
  enter(message, Sender::registered);
  if (message.local) {
    later(machine_.events->now() + machine_.messages.local_latency, number, Leg::visible);
    if (message.recall_sent) ask_back(number);
    return;
  }
  enter(message, Sender::push1);
  Pair& pair = pair_of(message);
  message.ordinal = pair.sent++;
  if (pair.free.empty()) pair.free.push_back(++pair.channels);
  message.channel = pair.free.back();
  pair.free.pop_back();
  if (message.push2 > Bytes())
    later(second_launched(message), number, Leg::second);
  else if (message.rest > Bytes())
    enter(message, Sender::wait_req);
  ship(number, Leg::push1, true);
  if (messages_[number].recall_sent) ask_back(number);
}

/// The first unit of the second push is at the interface.
SimTime KernelMessenger::second_launched(const Message& message) const {
  const MessageLayer& layer = machine_.messages;
  const Bytes before = message.push1 - in_first_unit(message.push1) + in_first_unit(message.push2);
  return time_before_end(machine_.events->now() + costs_.launch * units(message.push1) +
                         time_before_end(layer.send_per_byte, before));
}

void KernelMessenger::push_second(std::uint32_t number) {
  Message& message = messages_[number];
  enter(message, Sender::push2);
  if (message.rest > Bytes()) enter(message, Sender::wait_req);
  ship(number, Leg::push2, true);
  end_if_withdrawn(number);
}

void KernelMessenger::serve(std::uint32_t number) {
  enter(messages_[number], Sender::pulling);
  ship(number, Leg::pull, false);
}

void KernelMessenger::ship(std::uint32_t number, Leg leg, bool by_program) {
  Message& message = messages_[number];
  const MessageLayer& layer = machine_.messages;
  const Rank sender = message.send.envelope.source, receiver = message.send.receiver;
  const bool brings = leg == Leg::push1 || leg == Leg::push2 || leg == Leg::pull;
  const bool forth = brings || leg == Leg::recall;
  if (brings) message.shipped = machine_.events->now();
  const HostId from = machine_.host_of[index(forth ? sender : receiver)];
  const HostId to = machine_.host_of[index(forth ? receiver : sender)];
  Shipment shipment{{Number{number, leg}.packed(), this}, from, to, layer.control};
  if (leg == Leg::push1) shipment.bytes = layer.envelope + message.push1;
  if (leg == Leg::push2) shipment.bytes = layer.envelope + message.push2;
  if (leg == Leg::pull) shipment.bytes = layer.envelope + message.rest;
  shipment.by_program = by_program;
  shipment.asks = brings;
  const bool pushes = leg == Leg::push1 || leg == Leg::push2;
  shipment.channel = channel_between(sender, receiver, pushes ? message.channel : 0);
  machine_.transport->send(shipment);
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
    case Leg::ask:
      return ship(number, Leg::request, true);
    case Leg::confirm:
      return ship(number, Leg::receipt, true);
    case Leg::serve:
      return serve(number);
    case Leg::emptied:
      free_slots(number);
      return forget_if_done(number);
    case Leg::copied:
      return piece_copied(number);
    case Leg::addressed:
      return addressed(number);
    case Leg::whole:
      return whole(number);
    case Leg::told:
      sender_done(number);
      return forget_if_done(number);
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
      if (message.push2 == Bytes() && message.rest == Bytes()) enter(message, Sender::done);
      return;
    case Leg::push2:
      if (message.rest == Bytes()) enter(message, Sender::done);
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
  if (!message.sender.is(Sender::done)) enter(message, Sender::done);
  if (!std::exchange(message.acknowledged, true)) client_.sent(message.send.token, origin_of(number));
}

Admission KernelMessenger::shipment_admitted(MessageId id, Bytes before, Bytes size) {
  const auto [number, leg] = Number::unpacked(id.number);
  if (leg != Leg::pull) return push_admitted(number, before, size);
  if (before == Bytes()) enter(messages_[number], Receiver::pulling);
  return Admission::taken;
}

void KernelMessenger::note_timer_wait(Message& message, Leg leg, SimTime wait) {
  if (leg == Leg::push1 || leg == Leg::push2)
    message.push_waited = std::max(message.push_waited, wait);
  else
    (leg == Leg::pull ? message.pull_waited : message.agreeing_waited) += wait;
}

void KernelMessenger::shipment_delivered(MessageId id) {
  const auto [number, leg] = Number::unpacked(id.number);
  Message& message = messages_[number];
  note_timer_wait(message, leg, machine_.transport->timer_wait());
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
      return forget_if_done(number);
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
  ship(number, Leg::recall, true);
}

void KernelMessenger::recall_answered(std::uint32_t number) {
  Message& message = messages_[number];
  if (!std::exchange(message.acknowledged, true)) client_.recalled(message.send.token, take_payload(message));
  end_if_withdrawn(number);
}

/// Of a message that has been taken back, what is pushed may still be under way, but nobody waits for its
/// rest.
void KernelMessenger::end_if_withdrawn(std::uint32_t number) {
  Message& message = messages_[number];
  if (!message.withdrawn || !message.acknowledged) return;
  if (message.sender.is(Sender::wait_req) || (message.local && !message.sender.is(Sender::done)))
    enter(message, Sender::done);
  forget_if_done(number);
}

void KernelMessenger::note_undelivered(MessageId id, std::optional<Outcome> returned) {
  constexpr const char* names[] = {"push",    "second push", "request for the rest", "rest of a message",
                                   "receipt", "recall",      "answer to a recall"};
  const auto [number, leg] = Number::unpacked(id.number);
  const Send& send = messages_[number].send;
  losses_.add({names[static_cast<std::size_t>(leg)], send.envelope.context, send.envelope.source,
               send.receiver, send.envelope.tag, send.bytes, machine_.events->now(), returned,
               machine_.transport->how_lost()});
}

// What waits for the lost message waits for ever, as it would.
void KernelMessenger::shipment_lost(MessageId id) {
  note_undelivered(id, std::nullopt);
  const auto [number, leg] = Number::unpacked(id.number);
  if (leg == Leg::recall || leg == Leg::recalled) return recall_failed(number);
  if (leg == Leg::push1 || leg == Leg::push2 || leg == Leg::pull) drop(messages_[number]);
}

/// @return the payload of a message that does not arrive; 0 if that has been given to somebody
std::uint64_t KernelMessenger::take_payload(Message& message) {
  return std::exchange(message.send.payload, 0);
}

void KernelMessenger::drop(Message& message) {
  if (const std::uint64_t payload = take_payload(message); payload != 0) client_.dropped(payload);
}

/// The send goes on as if it had not been asked for.
void KernelMessenger::recall_failed(std::uint32_t number) {
  --messages_[number].pending;
  forget_if_done(number);
}

void KernelMessenger::shipment_returned(MessageId id, Outcome why) {
  const auto [number, leg] = Number::unpacked(id.number);
  Message& message = messages_[number];
  if (message.pulled && (leg == Leg::push1 || leg == Leg::push2)) {
    if (leg == Leg::push2 || message.push2 == Bytes()) end_pushes(message);
    return forget_if_done(number);  // nobody waits for it
  }
  note_undelivered(id, why);
  switch (leg) {
    case Leg::push1:
    case Leg::push2:
      if (!message.seen) {
        Pair& pair = pair_of(message);
        pair.given_up.insert(message.ordinal);
        while (pair.given_up.erase(pair.seen) > 0) ++pair.seen;
      }
      message.given_up = true;
      release(message);
      if (message.push2 == Bytes() || !message.sender.is(Sender::push1)) end_pushes(message);
      [[fallthrough]];
    case Leg::pull:
      if (std::exchange(message.acknowledged, true)) return drop(message);
      return client_.returned(message.send.token, message.send.envelope, take_payload(message), why);
    case Leg::request:
      return client_.returned(message.receive, message.send.envelope, take_payload(message), why);
    case Leg::recall:
    case Leg::recalled:
      return recall_failed(number);
    default:
      return;
  }
}

void KernelMessenger::forget_if_done(std::uint32_t number) {
  const Message& message = messages_[number];
  const bool pushes_come =
      !message.given_up &&
      ((message.withdrawn && !message.local && message.came < message.push1 + message.push2) ||
       (message.pulled && message.channel != 0));
  if (message.receiver.is(Receiver::done) && message.acknowledged && message.pending == 0 &&
      message.sender.is(Sender::done) && !pushes_come)
    messages_.give_back(number);
}

}  // namespace morgana
