// What LibraryMessenger does at a message's receiver, and within a host.

#include <algorithm>
#include <utility>

#include "emulator/core/end_of_time.h"
#include "emulator/messaging/library_messenger.h"

namespace morgana {

void LibraryMessenger::shipment_reached(MessageId id, Bytes prefix) {
  const std::uint32_t number = Number::unpacked(id.number).message;
  Message& message = messages_[number];
  if (prefix < machine_.messages.envelope) return;
  if (sockets_.are_read(message)) came_into_socket(number, prefix - machine_.messages.envelope);
  if (!message.streamed) return;
  const Bytes there = prefix - machine_.messages.envelope + message.send.bytes - message.left;
  messages_.make_rare(message).there = there;
  if (message.head_is_taken) return client_.more_came(message.receive, message.send.bytes - there);
  if (message.head_is_there) return;
  message.head_is_there = true;
  if (!message.rendezvous) {
    come_to(number);
    return;
  }
  if (client_.takes_heads(message.receive)) hand_over(number);
}

/// @param there  of what is left, at the receiver
void LibraryMessenger::came_into_socket(std::uint32_t number, Bytes there) {
  Message& message = messages_[number];
  Rare& rare = messages_.make_rare(message);
  rare.in_socket = std::max(rare.in_socket, there);
  const SocketCopies::Readable now = sockets_.readable(message, rare.in_socket, rare.copied);
  if (now.more_at && !std::exchange(rare.piece_is_due, true)) later(*now.more_at, number, Leg::piece);
  if (now.bytes <= rare.told) return;
  const ByteCost cost = machine_.messages.receive_per_byte;
  const SimTime copy = time_before_end(cost, now.bytes) - cost.time_for(std::exchange(rare.told, now.bytes));
  client_.came_into_socket(message.receive, copy, origin_of(number));
}

/// All bytes of the message are at its receiver.
void LibraryMessenger::data_arrived(std::uint32_t number) {
  Message& message = messages_[number];
  message.streamed = false;
  message.came = machine_.events->now();
  if (sockets_.are_read(message)) came_into_socket(number, message.left);
  // Of a rendezvous by read or write the data's mover and the other one learn of it by themselves.
  const bool moves_memory = message.rendezvous && !message.local && rendezvous_by() != RendezvousBy::send;
  if (message.rendezvous && !message.acknowledged && !moves_memory) {  // local: one copy serves both sides
    message.acknowledged = true;
    client_.sent(message.send.token, origin_of(number));
  }
  if (!messages_.has_second_push(messages_[number])) return;  // nor will it ever: it was sent before the data
  const Sent send = messages_[number].send;
  const bool comes = !messages_[number].rendezvous && !messages_[number].head_is_there;
  if (comes && costs_.may_drop()) {
    if (come_to(number)) client_.delivered(send.envelope, send.receiver, send.bytes, send.begun);
    return;
  }
  client_.delivered(send.envelope, send.receiver, send.bytes, send.begun);
  if (comes) {
    come_to(number);
    return;
  }
  if (!messages_[number].matched) return;  // its head waits for a receive
  if (messages_[number].head_is_taken)
    client_.more_came(messages_[number].receive, Bytes());
  else
    hand_over(number);
  if (!moves_memory) return messages_.forget(number);
  if (rendezvous_by() == RendezvousBy::write) forget_if_written(number);
}

/// @return whether the receiver has what has been pushed of it
bool LibraryMessenger::come_to(std::uint32_t number) {
  const std::uint64_t turn = messages_.rare_of(messages_[number]).turn;
  if (turn == 0) return take_in(number);
  const PairOrder::Pair pair{messages_[number].send.envelope.source, messages_[number].send.receiver};
  if (!order_.comes(pair, turn, number)) return true;
  const bool has = take_in(number);
  while (const auto next = order_.next(pair)) take_in(*next);
  return has;
}

/// The next message of its sender's: it meets the receives.
bool LibraryMessenger::take_in(std::uint32_t number) {
  messages_[number].has_come = true;
  messages_[number].came = machine_.events->now();
  if (messages_[number].withdrawn) {
    shipments_.take_out(messages_[number]);
    forget_if_withdrawn(number);
    return true;
  }
  const Sent& send = messages_[number].send;
  const auto receive = matchers_[index(send.receiver)].arrive(send.envelope, number);
  if (!receive) {
    const bool kept = unexpected_.keep(messages_[number]);
    client_.waits_unmatched(send.receiver, send.envelope, send.bytes);
    return kept;
  }
  client_.matched(Token{*receive});
  match(number, Token{*receive}, false);
  return true;
}

void LibraryMessenger::second_push_arrived(std::uint32_t number) {
  Message& message = messages_[number];
  if (!message.has_come) return;  // its request was lost
  message.second_is_there = true;
  if (message.withdrawn) return forget_if_withdrawn(number);
  message.came = machine_.events->now();
  if (!message.matched) {
    Rare& rare = messages_.make_rare(message);  // it has a second push
    if (!unexpected_.take(message, rare.second)) message.left += std::exchange(rare.second, Bytes());
  } else if (message.left == Bytes()) {
    whole(number);
  }
}

/// All of a message has been pushed, and its receive is there.
void LibraryMessenger::whole(std::uint32_t number) {
  messages_[number].streamed = false;
  const Sent send = messages_[number].send;
  client_.delivered(send.envelope, send.receiver, send.bytes, send.begun);
  hand_over(number);
  // Else the acknowledgement of a synchronous send is under way.
  if (messages_[number].acknowledged) messages_.forget(number);
}

Messenger::Posted LibraryMessenger::receive(Rank receiver, const Envelope& pattern, Token token) {
  const Matcher::Posted posted = matchers_[index(receiver)].post(pattern, static_cast<std::uint32_t>(token));
  if (posted.message) match(*posted.message, token, true);
  return {posted.place, SimTime()};
}

void LibraryMessenger::match(std::uint32_t number, Token receive, bool late) {
  Message& message = messages_[number];
  message.receive = receive;
  message.matched = true;
  shipments_.take_out(message);
  const SimTime now = machine_.events->now();
  // What has all been pushed needs nothing of the receiver's, unless the sender waits for the match.
  const bool asks = message.local || message.left > Bytes();
  if (late && (message.rendezvous ? asks || messages_.has_second_push(message) : !message.streamed)) {
    message.receiver_was_late = true;
    message.asked = now;
    if (message.rare != Message::nothing)
      messages_.make_rare(message).agreeing_waited = messages_.make_rare(message).data_waited = SimTime();
  }
  unexpected_.free(message);
  const bool sender_goes_on =
      message.holds_buffer || (message.pushed_whole && message.send.mode != SendMode::synchronous);
  if (!message.acknowledged && !sender_goes_on) client_.met(message.send.token, receive);
  if (message.rendezvous) {
    if (message.local) return within_host_.copy(number);
    if (message.left > Bytes()) {
      if (machine_.messages.rendezvous_overhead == SimTime()) return answer_request(number);
      return later(now + machine_.messages.rendezvous_overhead, number, Leg::prepared);
    }
    if (message.send.mode == SendMode::synchronous && !message.acknowledged)
      shipments_.ship(number, Leg::acknowledgement);
    if (messages_.has_second_push(message)) whole(number);
    return;
  }
  if (message.streamed) {
    if (client_.takes_heads(receive)) hand_over(number);
    return;
  }
  if (message.holds_buffer) {
    hand_over(number);
    messages_[number].finished = true;
    return forget_if_written(number);
  }
  if (message.acknowledged) {
    hand_over(number);
    messages_.forget(number);
    return;
  }
  if (message.local)
    later(now + machine_.messages.local_latency, number, Leg::acknowledgement);
  else
    shipments_.ship(number, Leg::acknowledgement);
  hand_over(number);
}

void LibraryMessenger::answer_request(std::uint32_t number) {
  shipments_.ship(number, rendezvous_by() == RendezvousBy::read ? Leg::read : Leg::clearance);
}

void LibraryMessenger::hand_over(std::uint32_t number) {
  Message& message = messages_[number];
  const MessageLayer& layer = machine_.messages;
  const Rare& rare = messages_.rare_of(message);
  message.head_is_taken = message.streamed;
  ReceivedMessage received = received_of(message.send);
  received.origin = origin_of(number);
  received.cost = message.local ? layer.local_overhead : layer.receive_overhead;
  const ByteCost copy = message.local ? layer.copy_per_byte : layer.receive_per_byte;
  const bool in_progress = layer.receive_copies == ReceiveCopies::in_progress && copy > ByteCost() &&
                           !message.local && !message.streamed;
  if (!message.rendezvous && in_progress)
    client_.came_into_socket(message.receive, time_before_end(copy, message.send.bytes), received.origin);
  else if (!message.rendezvous)
    received.copy = copy;
  else
    received.cost = time_before_end(received.cost + time_before_end(copy, rare.pushed + rare.second));
  received.cost = time_before_end(received.cost + rare.work.cost);
  if (rare.work.cost > SimTime()) received.early = machine_.events->now() - rare.work.released;
  if (message.streamed) received.coming = message.send.bytes - rare.there;
  client_.received(message.receive, received);
}

}  // namespace morgana
