#include "emulator/messaging/library_messenger.h"

#include <algorithm>
#include <utility>

#include "emulator/core/end_of_time.h"
#include "emulator/messaging/process_channel.h"
#include "emulator/operations/endpoint_tag.h"

namespace morgana {
LibraryMessenger::LibraryMessenger(Machine& machine, MessengerClient& client)
    : Messenger(machine.host_of.size()),
      machine_(machine),
      client_(client),
      costs_(machine),
      nics_(machine),
      unexpected_(machine.host_of.size(), costs_, messages_),
      sockets_(machine),
      shipments_(machine, messages_, costs_, sockets_, losses_, *this, *this),
      within_host_(machine, messages_, *this) {}

Messenger::Begun LibraryMessenger::send(const Send& send) {
  const std::uint32_t number = messages_.add();
  Message& message = messages_[number];
  message.send = send;
  message.local = machine_.share_host(send.envelope.source, send.receiver);
  if (is_of_program(send)) machine_.count(send.envelope.source, send.receiver, message.local, send.bytes);
  if (!message.local && machine_.chooses_nics()) {
    message.send.nic = nics_.next(send.envelope.source);
    if (machine_.messages.nic == NicChoice::round_robin)
      messages_.make_rare(message).turn = order_.number({send.envelope.source, send.receiver});
  }
  message.rendezvous = costs_.goes_by_rendezvous(message.local, send.bytes, send.mode);
  Bytes pushed;
  if (message.rendezvous) {
    const LibraryCosts::Push push = costs_.push_of(message.local, send.bytes);
    pushed = push.first + push.second;
    if (pushed > Bytes()) {
      messages_.make_rare(message).pushed = push.first;
      messages_.make_rare(message).second = push.second;
    }
  }
  if (!send.elements.empty()) messages_.make_rare(message).elements = send.elements;
  message.left = send.bytes - pushed;
  message.held = !message.local && !message.rendezvous && !is_for_collectives(send.envelope.context) &&
                 shipments_.endpoints().named_by(send.envelope.tag);
  message.suspended = send.may_suspend && !message.local &&
                      shipments_.endpoints().suspends(send.envelope.source, send.receiver, send.envelope.tag,
                                                      message.send.nic);
  message.pushed_whole = message.rendezvous && message.left == Bytes();
  message.holds_buffer = costs_.holds_buffer(message.local, send.bytes, send.mode);
  const bool complete = send.mode == SendMode::buffered ||
                        (!message.rendezvous && send.mode != SendMode::synchronous && !message.holds_buffer);
  message.acknowledged = complete;
  message.streamed = send.has_parts && (message.rendezvous || complete) && !message.local &&
                     !costs_.may_drop() && machine_.transport && machine_.transport->guarantees().streams;
  Begun begun;
  if (!complete) begun.under_way = number;
  if (message.suspended)
    begun.suspended = machine_.endpoints.page_fault == EndpointSettings::Suspends::thread
                          ? Suspended::thread
                          : Suspended::process;
  // The transport's work is its own: it begins with what is handed to it.
  const SimTime handed_over =
      send.ready - costs_.transports_work(message.local, message.rendezvous, send.bytes);
  if (handed_over > machine_.events->now())
    later(handed_over, number, Leg::start);
  else
    start(number);
  return begun;
}

void LibraryMessenger::start(std::uint32_t message) {
  const Leg leg = messages_[message].rendezvous ? Leg::request : Leg::data;
  if (messages_[message].local)
    later(machine_.events->now() + machine_.messages.local_latency, message, leg);
  else
    shipments_.ship(message, leg);
  if (messages_.rare_of(messages_[message]).second > Bytes()) shipments_.ship(message, Leg::second_push);
  messages_[message].started = true;
  if (messages_[message].recall_sent) ask_back(message);
}

void LibraryMessenger::endpoint_written(std::uint64_t message) {
  client_.resumed(messages_[static_cast<std::uint32_t>(message)].send.token);
}

void LibraryMessenger::later(SimTime at, std::uint32_t message, Leg leg) {
  machine_.events->schedule(at, *this, Number{message, leg}.packed());
}

void LibraryMessenger::handle(std::uint64_t what) {
  const auto [message, leg] = Number::unpacked(what);
  if (leg == Leg::start)
    start(message);
  else
    leg_done(message, leg);
}

void LibraryMessenger::shipment_delivered(MessageId id) {
  const auto [number, leg] = Number::unpacked(id.number);
  if (!costs_.completes(messages_[number], leg)) --machine_.under_way;
  shipments_.note_timer_wait(id);
  if (costs_.transport_works())
    if (const ProcessorWork work = machine_.transport->receiving_work(); work.cost > SimTime())
      messages_.make_rare(messages_[number]).work = work;
  handle(id.number);
}

void LibraryMessenger::shipment_departed(MessageId id) {
  if (LibraryShipments::departs_unnoticed(id)) return;  // without a look at the message
  const auto [number, leg] = Number::unpacked(id.number);
  Message& message = messages_[number];
  if (!message.rendezvous || message.acknowledged) return;
  if (leg == Leg::data && rendezvous_by() == RendezvousBy::write) return;  // complete when it is acknowledged
  // What has been pushed whole needs no clearance, unless the clearance has to show that the receive has
  // matched.
  const bool is_last_push = message.pushed_whole && message.send.mode != SendMode::synchronous;
  if (leg != (is_last_push ? Leg::second_push : Leg::data)) return;
  shipments_.note_timer_wait(id);
  if (messages_.is_being_copied(message, machine_.events->now())) {
    Rare& rare = messages_.make_rare(message);
    rare.left_at = machine_.events->now();
    return later(rare.copied, number, Leg::all_in_socket);
  }
  send_is_over(number);
}

/// Nothing of the send waits any more, unless it is being recalled.
void LibraryMessenger::send_is_over(std::uint32_t number) {
  Message& message = messages_[number];
  if (message.acknowledged) return;
  if (message.recalling) {
    message.departed = true;
    return;
  }
  message.acknowledged = true;
  client_.sent(message.send.token, messages_.departure(messages_[number], machine_.events->now()));
}

/// The sender learns that what it has written is there.
void LibraryMessenger::shipment_completed(MessageId id) {
  --machine_.under_way;
  const std::uint32_t number = Number::unpacked(id.number).message;
  shipments_.note_timer_wait(id);
  messages_[number].written = true;
  send_is_over(number);
  forget_if_written(number);
}

void LibraryMessenger::forget_if_written(std::uint32_t number) {
  if (messages_[number].written && messages_[number].finished) messages_.forget(number);
}

/// The side that has not moved the data itself learns that they are there.
void LibraryMessenger::finished(std::uint32_t number) {
  if (rendezvous_by() == RendezvousBy::write) {
    messages_[number].finished = true;
    return data_arrived(number);
  }
  send_is_over(number);
  messages_.forget(number);
}

// What waits for the lost message waits without bound, as it would.
void LibraryMessenger::shipment_lost(MessageId id) {
  shipments_.note_undelivered(id, std::nullopt);
  const auto [number, leg] = Number::unpacked(id.number);
  if (leg == Leg::recall || leg == Leg::recalled) return recall_over(number);
  if (brings_data(leg)) drop(number);
}

void LibraryMessenger::drop(std::uint32_t number) {
  if (const std::uint64_t payload = messages_[number].take_payload(); payload != 0) client_.dropped(payload);
}

void LibraryMessenger::shipment_returned(MessageId id, Outcome why) {
  shipments_.note_undelivered(id, why);
  const auto [number, leg] = Number::unpacked(id.number);
  Message& message = messages_[number];
  switch (leg) {
    case Leg::request:
    case Leg::second_push:
    case Leg::data:
      if (std::exchange(message.acknowledged, true)) return message.held ? turn_back(number) : drop(number);
      // What has been handed over is the receiver's.
      return client_.returned(message.send.token, message.send.envelope,
                              message.finished || (message.holds_buffer && message.has_come)
                                  ? 0
                                  : messages_[number].take_payload(),
                              why);
    case Leg::clearance:
    case Leg::read:
      return client_.returned(message.receive, message.send.envelope, messages_[number].take_payload(), why);
    case Leg::recall:
    case Leg::recalled:
      return recall_over(number);
    case Leg::acknowledgement:
    case Leg::finish:
    case Leg::prepared:
    case Leg::start:
    case Leg::in_socket:
    case Leg::all_in_socket:
    case Leg::piece:
      return;
  }
}

/// The original's number is still known to the transport.
void LibraryMessenger::turn_back(std::uint32_t number) {
  Message& message = messages_[number];
  EndpointTag tag = EndpointTag::unpacked(static_cast<std::int32_t>(message.send.envelope.tag));
  if (tag.returned) return drop(number);
  std::swap(tag.to, tag.from);
  tag.returned = true;
  Message back;
  back.send = message.send;
  back.send.payload = messages_[number].take_payload();
  std::swap(back.send.envelope.source, back.send.receiver);
  back.send.envelope.tag = Tag{tag.packed()};
  back.left = message.left;
  back.acknowledged = true;
  come_to(messages_.add(back));
}

void LibraryMessenger::leg_done(std::uint32_t number, Leg leg) {
  Message& message = messages_[number];
  switch (leg) {
    case Leg::request:
      come_to(number);
      break;
    case Leg::second_push:
      second_push_arrived(number);
      break;
    case Leg::data:
      if (message.rendezvous && !message.local && rendezvous_by() == RendezvousBy::write) break;
      if (messages_.is_being_copied(message, machine_.events->now()))
        return later(messages_.rare_of(message).copied, number, Leg::data);
      data_arrived(number);
      break;
    case Leg::clearance:
      if (sockets_.pass(message)) {
        if (sockets_.are_free()) return shipments_.ship(number, Leg::data);
        const SocketCopies::Copied copied = sockets_.copy_in(message);
        messages_.make_rare(message).copied = copied.all;
        return later(copied.first_piece, number, Leg::in_socket);
      }
      shipments_.ship(number, Leg::data);
      if (rendezvous_by() == RendezvousBy::write) shipments_.ship(number, Leg::finish);
      break;
    case Leg::prepared:
      answer_request(number);
      break;
    case Leg::read:
      shipments_.ship(number, Leg::finish);
      data_arrived(number);
      break;
    case Leg::finish:
      return finished(number);
    case Leg::acknowledgement: {
      const Token token = message.send.token;
      const Origin origin = origin_of(number);
      const bool has_failed = std::exchange(message.acknowledged, true);
      if (messages_.has_second_push(message)) messages_.forget(number);
      if (!has_failed) client_.sent(token, origin);
      break;
    }
    case Leg::recall:
      return recall_came(number);
    case Leg::recalled:
      return recall_answered(number);
    case Leg::in_socket:
      shipments_.ship(number, Leg::data);
      break;
    case Leg::all_in_socket:
      return send_is_over(number);
    case Leg::piece:
      messages_.make_rare(message).piece_is_due = false;
      return came_into_socket(number, messages_.rare_of(message).in_socket);
    case Leg::start:
      break;
  }
}

}  // namespace morgana
