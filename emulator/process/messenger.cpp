#include "emulator/process/messenger.h"

#include <algorithm>
#include <cassert>

#include "emulator/core/end_of_time.h"

namespace morgana {
namespace {

constexpr unsigned leg_bits = 3;

}  // namespace

Messenger::Messenger(Machine& machine, Carrier& carrier, MessengerClient& client)
    : machine_(machine),
      carrier_(carrier),
      client_(client),
      matchers_(machine.host_of.size()),
      copying_until_(machine.host_of.size()) {
  carrier_.serve(Carrier::Desk::messages, *this);
}

bool Messenger::goes_by_rendezvous(bool local, Bytes bytes, SendMode mode) const {
  // A ready send's receive is posted already: there is nothing to agree on.
  const MessageLayer& layer = machine_.messages;
  return mode != SendMode::ready && bytes > (local ? layer.local_eager_limit : layer.eager_limit);
}

SimTime Messenger::send_cost(Rank sender, Rank receiver, Bytes bytes, SendMode mode) const {
  const MessageLayer& layer = machine_.messages;
  const bool local = carrier_.is_local(sender, receiver);
  // A rendezvous moves the data from where they lie, but a buffered send has always copied them.
  const bool copies = mode == SendMode::buffered || !goes_by_rendezvous(local, bytes, mode);
  const SimTime overhead = local ? layer.local_overhead : layer.send_overhead;
  if (!copies) return overhead;
  return time_before_end(overhead +
                         time_before_end(local ? layer.copy_per_byte : layer.send_per_byte, bytes));
}

bool Messenger::send(const Send& send) {
  const std::uint32_t number = messages_.take(Message());
  Message& message = messages_[number];
  message.send = send;
  message.local = carrier_.is_local(send.envelope.source, send.receiver);
  if (!send.serves) carrier_.count(message.local, send.bytes);
  message.rendezvous = goes_by_rendezvous(message.local, send.bytes, send.mode);
  const bool complete =
      send.mode == SendMode::buffered || (!message.rendezvous && send.mode != SendMode::synchronous);
  message.acknowledged = complete;
  message.streamed =
      send.has_parts && (message.rendezvous || complete) && !message.local && carrier_.streams();
  if (send.ready > machine_.events->now())
    later(send.ready, number, Leg::start);
  else
    start(number);
  return complete;
}

void Messenger::start(std::uint32_t message) {
  const Leg leg = messages_[message].rendezvous ? Leg::request : Leg::data;
  if (messages_[message].local)
    later(machine_.events->now() + machine_.messages.local_latency, message, leg);
  else
    ship(message, leg);
}

void Messenger::ship(std::uint32_t message, Leg leg) {
  const Send& send = messages_[message].send;
  const bool forth = leg == Leg::data || leg == Leg::request;
  const Bytes size = leg == Leg::data ? send.bytes + machine_.messages.envelope : machine_.messages.control;
  const std::uint64_t id = std::uint64_t{message} << leg_bits | static_cast<std::uint64_t>(leg);
  const bool streamed = leg == Leg::data && messages_[message].streamed;
  if (forth)
    carrier_.ship(Carrier::Desk::messages, id, send.envelope.source, send.receiver, size, streamed);
  else
    carrier_.ship(Carrier::Desk::messages, id, send.receiver, send.envelope.source, size);
}

void Messenger::later(SimTime at, std::uint32_t message, Leg leg) {
  machine_.events->schedule(at, *this,
                            (std::uint64_t{message} << leg_bits) | static_cast<std::uint64_t>(leg));
}

void Messenger::handle(std::uint64_t what) {
  const auto message = static_cast<std::uint32_t>(what >> leg_bits);
  const auto leg = static_cast<Leg>(what & ((1U << leg_bits) - 1));
  if (leg == Leg::start)
    start(message);
  else
    leg_done(message, leg);
}

void Messenger::shipment_delivered(MessageId id) {
  handle(static_cast<std::uint64_t>(id));
}

void Messenger::shipment_reached(MessageId id, Bytes prefix) {
  const auto number = static_cast<std::uint32_t>(static_cast<std::uint64_t>(id) >> leg_bits);
  Message& message = messages_[number];
  if (prefix < machine_.messages.envelope) return;
  message.there = prefix - machine_.messages.envelope;
  if (message.head_is_taken) return client_.more_came(message.receive, message.send.bytes - message.there);
  if (message.head_is_there) return;
  message.head_is_there = true;
  if (!message.rendezvous) return come_to(number);
  if (client_.takes_heads(message.receive)) hand_over(number);
}

void Messenger::shipment_departed(MessageId id) {
  const auto what = static_cast<std::uint64_t>(id);
  const auto leg = static_cast<Leg>(what & ((1U << leg_bits) - 1));
  Message& message = messages_[static_cast<std::uint32_t>(what >> leg_bits)];
  if (leg != Leg::data || !message.rendezvous || message.acknowledged) return;
  message.acknowledged = true;
  client_.sent(message.send.token);
}

void Messenger::note_undelivered(MessageId id, std::optional<Outcome> returned) {
  constexpr const char* names[] = {"message", "request to send", "clearance", "acknowledgement"};
  const auto what = static_cast<std::uint64_t>(id);
  const Send& send = messages_[static_cast<std::uint32_t>(what >> leg_bits)].send;
  losses_.add({names[what & ((1U << leg_bits) - 1)], send.envelope.context, send.envelope.source,
               send.receiver, send.envelope.tag, send.bytes, machine_.events->now(), returned,
               machine_.transport->how_lost()});
}

// What waits for the lost message waits for ever, as it would.
void Messenger::shipment_lost(MessageId id) {
  note_undelivered(id, std::nullopt);
}

void Messenger::shipment_returned(MessageId id, Outcome why) {
  note_undelivered(id, why);
  const auto what = static_cast<std::uint64_t>(id);
  Message& message = messages_[static_cast<std::uint32_t>(what >> leg_bits)];
  switch (static_cast<Leg>(what & ((1U << leg_bits) - 1))) {
    case Leg::request:
    case Leg::data:
      if (message.acknowledged) return;
      message.acknowledged = true;
      return client_.returned(message.send.token, message.send.envelope, message.send.payload, why);
    case Leg::clearance:
      return client_.returned(message.receive, message.send.envelope, message.send.payload, why);
    case Leg::acknowledgement:
    case Leg::start:
      return;
  }
}

void Messenger::leg_done(std::uint32_t number, Leg leg) {
  Message& message = messages_[number];
  switch (leg) {
    case Leg::request:
      come_to(number);
      break;
    case Leg::data:
      data_arrived(number);
      break;
    case Leg::clearance:
      ship(number, Leg::data);
      break;
    case Leg::acknowledgement: {
      const Token token = message.send.token;
      forget(number);
      client_.sent(token);
      break;
    }
    case Leg::start:
      break;
  }
}

/// All bytes of the message are at its receiver.
void Messenger::data_arrived(std::uint32_t number) {
  Message& message = messages_[number];
  message.streamed = false;
  if (message.rendezvous && !message.acknowledged) {  // a local rendezvous: one copy serves both sides
    message.acknowledged = true;
    client_.sent(message.send.token);
  }
  const Send& send = messages_[number].send;
  client_.delivered(send.envelope, send.receiver, send.bytes, send.begun);
  if (!messages_[number].rendezvous && !messages_[number].head_is_there) return come_to(number);
  if (!messages_[number].matched) return;  // its head waits for a receive
  if (messages_[number].head_is_taken)
    client_.more_came(messages_[number].receive, Bytes());
  else
    hand_over(number);
  forget(number);
}

void Messenger::come_to(std::uint32_t number) {
  const Send& send = messages_[number].send;
  const auto receive = matchers_[index(send.receiver)].arrive(send.envelope, number);
  if (!receive) return client_.waits_unmatched(send.receiver, send.envelope, send.bytes);
  client_.matched(Token{*receive});
  match(number, Token{*receive});
}

Matcher::Place Messenger::receive(Rank receiver, const Envelope& pattern, Token token) {
  const Matcher::Posted posted = matchers_[index(receiver)].post(pattern, static_cast<std::uint32_t>(token));
  if (posted.message) match(*posted.message, token);
  return posted.place;
}

void Messenger::match(std::uint32_t number, Token receive) {
  Message& message = messages_[number];
  message.receive = receive;
  message.matched = true;
  const SimTime now = machine_.events->now();
  if (message.rendezvous) {
    if (message.local)
      copy_within_host(number);
    else
      ship(number, Leg::clearance);
    return;
  }
  if (message.streamed) {
    if (client_.takes_heads(receive)) hand_over(number);
    return;
  }
  if (message.acknowledged) {
    hand_over(number);
    forget(number);
    return;
  }
  if (message.local)
    later(now + machine_.messages.local_latency, number, Leg::acknowledgement);
  else
    ship(number, Leg::acknowledgement);
  hand_over(number);
}

void Messenger::copy_within_host(std::uint32_t number) {
  const Send& send = messages_[number].send;
  SimTime& until = copying_until_[index(send.receiver)];
  until =
      std::max(until, machine_.events->now()) + time_before_end(machine_.messages.copy_per_byte, send.bytes);
  later(until, number, Leg::data);
}

void Messenger::hand_over(std::uint32_t number) {
  Message& message = messages_[number];
  const MessageLayer& layer = machine_.messages;
  message.head_is_taken = message.streamed;
  ReceivedMessage received;
  received.envelope = message.send.envelope;
  received.bytes = message.send.bytes;
  received.payload = message.send.payload;
  received.cost = message.local ? layer.local_overhead : layer.receive_overhead;
  if (!message.rendezvous) received.copy = message.local ? layer.copy_per_byte : layer.receive_per_byte;
  if (message.streamed) received.coming = message.send.bytes - message.there;
  client_.received(message.receive, received);
}

void Messenger::forget(std::uint32_t number) {
  messages_.give_back(number);
}

void Messenger::cancel(Rank receiver, const Envelope& pattern, Matcher::Place place) {
  matchers_[index(receiver)].cancel(pattern, place);
}

std::optional<Messenger::Found> Messenger::find(Rank receiver, const Envelope& pattern) {
  const auto number = matchers_[index(receiver)].find(pattern);
  if (!number) return std::nullopt;
  return Found{messages_[*number].send.envelope, messages_[*number].send.bytes, *number};
}

std::optional<Messenger::Found> Messenger::take(Rank receiver, const Envelope& pattern) {
  const auto number = matchers_[index(receiver)].take(pattern);
  if (!number) return std::nullopt;
  return Found{messages_[*number].send.envelope, messages_[*number].send.bytes, *number};
}

std::uint64_t Messenger::unreceived() const {
  std::uint64_t count = 0;
  for (const Matcher& matcher : matchers_) count += matcher.messages_waiting();
  return count;
}

}  // namespace morgana
