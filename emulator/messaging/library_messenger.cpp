#include "emulator/messaging/library_messenger.h"

#include <algorithm>
#include <utility>

#include "emulator/core/end_of_time.h"
#include "emulator/messaging/process_channel.h"
#include "emulator/operations/endpoint_tag.h"

namespace morgana {
namespace {

/// In a shipment's number, above what LegNumber has: nobody waits for its departure.
constexpr std::uint64_t departs_unnoticed = std::uint64_t{1} << 63;

}  // namespace

LibraryMessenger::LibraryMessenger(Machine& machine, MessengerClient& client)
    : Messenger(machine.host_of.size()),
      machine_(machine),
      endpoints_(machine),
      transport_works_(machine.transport && machine.transport->works_on_processors()),
      client_(client),
      copying_until_(machine.host_of.size()),
      unexpected_(machine.host_of.size()) {}

bool LibraryMessenger::goes_by_rendezvous(bool local, Bytes bytes, SendMode mode) const {
  // A ready send's receive is posted already: there is nothing to agree on.
  const MessageLayer& layer = machine_.messages;
  // Nor is there where the first push brings all.
  return mode != SendMode::ready && bytes > (local ? std::max(layer.local_eager_limit, layer.local_push)
                                                   : std::max(layer.eager_limit, layer.push));
}

LibraryMessenger::Push LibraryMessenger::push_of(bool local, Bytes bytes) const {
  const MessageLayer& layer = machine_.messages;
  const Bytes first = std::min(bytes, local ? layer.local_push : layer.push);
  return {first, local ? Bytes() : std::min(bytes - first, layer.second_push)};
}

/// What the transport's library does within the call of a send: with the message or, by rendezvous, its
/// request and what is pushed.
SimTime LibraryMessenger::transports_work(bool local, bool rendezvous, Bytes bytes) const {
  if (local || !transport_works_) return SimTime();
  const MessageLayer& layer = machine_.messages;
  if (!rendezvous) return machine_.transport->sending_work(bytes + layer.envelope);
  const Push push = push_of(local, bytes);
  const SimTime work = machine_.transport->sending_work(layer.control + push.first);
  return push.second == Bytes() ? work
                                : work + machine_.transport->sending_work(push.second + layer.envelope);
}

Messenger::SendCost LibraryMessenger::send_cost(Rank sender, Rank receiver, Bytes bytes,
                                                SendMode mode) const {
  const MessageLayer& layer = machine_.messages;
  const bool local = machine_.share_host(sender, receiver);
  // A rendezvous moves the data from where they lie, but a buffered send has always copied them.
  const bool copies = mode == SendMode::buffered || !goes_by_rendezvous(local, bytes, mode);
  SimTime overhead = local ? layer.local_overhead : layer.send_overhead;
  if (!local && goes_by_rendezvous(local, bytes, mode)) overhead += layer.rendezvous_overhead;
  const Push push = push_of(local, bytes);
  const Bytes copied = copies ? bytes : push.first + push.second;
  const MemoryWork copy{copied, local ? layer.copy_per_byte : layer.send_per_byte};
  SendCost cost{time_before_end(overhead + time_before_end(copy.cost, copied) +
                                transports_work(local, goes_by_rendezvous(local, bytes, mode), bytes)),
                SimTime()};
  if (machine_.memory && machine_.memory->may_slow(machine_.host_of[index(sender)], copy)) cost.copied = copy;
  return cost;
}

Messenger::Begun LibraryMessenger::send(const Send& send) {
  const std::uint32_t number = messages_.take(Message());
  Message& message = messages_[number];
  message.send = send;
  message.local = machine_.share_host(send.envelope.source, send.receiver);
  if (is_of_program(send)) machine_.count(send.envelope.source, send.receiver, message.local, send.bytes);
  message.rendezvous = goes_by_rendezvous(message.local, send.bytes, send.mode);
  Bytes pushed;
  if (message.rendezvous) {
    const Push push = push_of(message.local, send.bytes);
    pushed = push.first + push.second;
    if (pushed > Bytes()) {
      make_rare(message).pushed = push.first;
      make_rare(message).second = push.second;
    }
  }
  if (!send.elements.empty()) make_rare(message).elements = send.elements;
  message.left = send.bytes - pushed;
  message.held = !message.local && !message.rendezvous && !is_for_collectives(send.envelope.context) &&
                 endpoints_.named_by(send.envelope.tag);
  message.suspended = send.may_suspend && !message.local &&
                      endpoints_.suspends(send.envelope.source, send.receiver, send.envelope.tag, send.nic);
  message.pushed_whole = message.rendezvous && message.left == Bytes();
  const bool complete =
      send.mode == SendMode::buffered || (!message.rendezvous && send.mode != SendMode::synchronous);
  message.acknowledged = complete;
  message.streamed = send.has_parts && (message.rendezvous || complete) && !message.local && !may_drop() &&
                     machine_.transport && machine_.transport->guarantees().streams;
  Begun begun;
  if (!complete) begun.under_way = number;
  if (message.suspended)
    begun.suspended = machine_.endpoints.page_fault == EndpointSettings::Suspends::thread
                          ? Suspended::thread
                          : Suspended::process;
  // The transport's work is its own: it begins with what is handed to it.
  const SimTime handed_over = send.ready - transports_work(message.local, message.rendezvous, send.bytes);
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
    ship(message, leg);
  if (rare_of(messages_[message]).second > Bytes()) ship(message, Leg::second_push);
  messages_[message].started = true;
  if (messages_[message].recall_sent) ask_back(message);
}

void LibraryMessenger::ship(std::uint32_t message, Leg leg) {
  const Sent& send = messages_[message].send;
  const bool forth = leg == Leg::data || leg == Leg::request || leg == Leg::second_push ||
                     leg == Leg::recall || (leg == Leg::finish && rendezvous_by() == RendezvousBy::write);
  const bool writes = completes(messages_[message], leg);
  Bytes size = machine_.messages.control;
  if (leg == Leg::data) size = messages_[message].left + machine_.messages.envelope;
  if (leg == Leg::read || writes) size = messages_[message].left;
  if (leg == Leg::request) size += rare_of(messages_[message]).pushed;
  if (leg == Leg::second_push) size = rare_of(messages_[message]).second + machine_.messages.envelope;
  const HostId sender = machine_.port_of(send.envelope.source, send.nic);
  const HostId receiver = machine_.port_of(send.receiver, send.nic);
  const bool streamed = leg == Leg::data && messages_[message].streamed;
  if (brings_data(leg)) messages_[message].shipped = machine_.events->now();
  const std::uint64_t unnoticed = messages_[message].rendezvous ? 0 : departs_unnoticed;
  Shipment shipment{{Number{message, leg}.packed() | unnoticed, this},
                    forth ? sender : receiver,
                    forth ? receiver : sender,
                    size,
                    streamed};
  if (leg == Leg::data && is_read_from_socket(messages_[message]))
    shipment.piece = socket_piece(messages_[message]);
  const bool is_written = messages_[message].suspended && (leg == Leg::data || leg == Leg::request) &&
                          !messages_[message].started;
  EndpointWriter* const writer = is_written ? this : nullptr;
  endpoints_.address({send.envelope.source, send.receiver, send.envelope.tag, !forth,
                      leg == Leg::data && messages_[message].held, writer, message});
  if (leg == Leg::data && messages_[message].left == send.bytes)
    shipment.elements = rare_of(messages_[message]).elements;
  shipment.completes = writes;
  if (leg == Leg::read)
    shipment.verb = Verb::read;
  else if (writes || machine_.messages.eager == EagerBy::write)
    shipment.verb = Verb::write;
  shipment.channel = channel_between(*machine_.transport, send.envelope.source, send.receiver);
  ++machine_.under_way;
  machine_.transport->send(shipment);
}

/// The receiver takes a message out of its endpoint's queue.
void LibraryMessenger::take_out(Message& message) {
  if (!std::exchange(message.held, false)) return;
  const Sent& send = message.send;
  endpoints_.take_out(send.envelope.source, send.receiver, send.envelope.tag, send.nic);
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

/// Legs that are under way at once wait for the same timers.
void LibraryMessenger::note_timer_wait(MessageId id) {
  const SimTime wait = machine_.transport->timer_wait();
  if (wait == SimTime()) return;
  const auto [number, leg] = Number::unpacked(id.number);
  Message& message = messages_[number];
  const bool with_data = leg == Leg::data || leg == Leg::second_push || leg == Leg::read ||
                         (leg == Leg::finish && rendezvous_by() == RendezvousBy::write);
  Rare& rare = make_rare(message);
  if (with_data)
    rare.data_waited = std::max(rare.data_waited, wait);
  else
    rare.agreeing_waited += wait;
}

void LibraryMessenger::shipment_delivered(MessageId id) {
  const auto [number, leg] = Number::unpacked(id.number);
  if (!completes(messages_[number], leg)) --machine_.under_way;
  note_timer_wait(id);
  if (transport_works_)
    if (const ProcessorWork work = machine_.transport->receiving_work(); work.cost > SimTime())
      make_rare(messages_[number]).work = work;
  handle(id.number);
}

void LibraryMessenger::shipment_departed(MessageId id) {
  if ((id.number & departs_unnoticed) != 0) return;  // without a look at the message
  const auto [number, leg] = Number::unpacked(id.number);
  Message& message = messages_[number];
  if (!message.rendezvous || message.acknowledged) return;
  if (leg == Leg::data && rendezvous_by() == RendezvousBy::write) return;  // complete when it is acknowledged
  // What has been pushed whole needs no clearance, unless the clearance has to show that the receive has
  // matched.
  const bool is_last_push = message.pushed_whole && message.send.mode != SendMode::synchronous;
  if (leg != (is_last_push ? Leg::second_push : Leg::data)) return;
  note_timer_wait(id);
  if (waits_for_copy(message)) {
    Rare& rare = make_rare(message);
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
  client_.sent(message.send.token, departure_of(number));
}

/// The sender learns that what it has written is there.
void LibraryMessenger::shipment_completed(MessageId id) {
  --machine_.under_way;
  const std::uint32_t number = Number::unpacked(id.number).message;
  note_timer_wait(id);
  messages_[number].written = true;
  send_is_over(number);
  forget_if_written(number);
}

void LibraryMessenger::forget_if_written(std::uint32_t number) {
  if (messages_[number].written && messages_[number].finished) forget(number);
}

/// Who has not moved the data itself learns that they are there.
void LibraryMessenger::finished(std::uint32_t number) {
  if (rendezvous_by() == RendezvousBy::write) {
    messages_[number].finished = true;
    return data_arrived(number);
  }
  send_is_over(number);
  forget(number);
}

void LibraryMessenger::note_undelivered(MessageId id, std::optional<Outcome> returned) {
  constexpr const char* names[] = {
      "message", "request to send",    "clearance",           "acknowledgement", "second push",
      "recall",  "answer to a recall", "answer to a request", "RDMA read",       "end of a rendezvous"};
  const auto [number, leg] = Number::unpacked(id.number);
  const Sent& send = messages_[number].send;
  --machine_.under_way;
  losses_.add({names[static_cast<std::size_t>(leg)], send.envelope.context, send.envelope.source,
               send.receiver, send.envelope.tag, send.bytes, machine_.events->now(), returned,
               machine_.transport->how_lost()});
}

// What waits for the lost message waits for ever, as it would.
void LibraryMessenger::shipment_lost(MessageId id) {
  note_undelivered(id, std::nullopt);
  const auto [number, leg] = Number::unpacked(id.number);
  if (leg == Leg::recall || leg == Leg::recalled) return recall_over(number);
  if (brings_data(leg)) drop(number);
}

bool LibraryMessenger::brings_data(Leg leg) {
  return leg == Leg::request || leg == Leg::second_push || leg == Leg::data || leg == Leg::read;
}

/// @return the payload of a message that does not arrive; 0 if that has been given to somebody
std::uint64_t LibraryMessenger::take_payload(std::uint32_t number) {
  Message& message = messages_[number];
  return message.head_is_taken ? 0 : std::exchange(message.send.payload, 0);
}

void LibraryMessenger::drop(std::uint32_t number) {
  if (const std::uint64_t payload = take_payload(number); payload != 0) client_.dropped(payload);
}

void LibraryMessenger::shipment_returned(MessageId id, Outcome why) {
  note_undelivered(id, why);
  const auto [number, leg] = Number::unpacked(id.number);
  Message& message = messages_[number];
  switch (leg) {
    case Leg::request:
    case Leg::second_push:
    case Leg::data:
      if (std::exchange(message.acknowledged, true)) return message.held ? turn_back(number) : drop(number);
      // What has been handed over is the receiver's.
      return client_.returned(message.send.token, message.send.envelope,
                              message.finished ? 0 : take_payload(number), why);
    case Leg::clearance:
    case Leg::read:
      return client_.returned(message.receive, message.send.envelope, take_payload(number), why);
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
  back.send.payload = take_payload(number);
  std::swap(back.send.envelope.source, back.send.receiver);
  back.send.envelope.tag = Tag{tag.packed()};
  back.left = message.left;
  back.acknowledged = true;
  come_to(messages_.take(back));
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
      if (message.rendezvous && message.local && !copies_.empty()) local_copy_done(number);
      if (waits_for_copy(message)) return later(rare_of(message).copied, number, Leg::data);
      data_arrived(number);
      break;
    case Leg::clearance:
      if (passes_sockets(message)) return copy_into_socket(number);
      ship(number, Leg::data);
      if (rendezvous_by() == RendezvousBy::write) ship(number, Leg::finish);
      break;
    case Leg::prepared:
      answer_request(number);
      break;
    case Leg::read:
      ship(number, Leg::finish);
      data_arrived(number);
      break;
    case Leg::finish:
      return finished(number);
    case Leg::acknowledgement: {
      const Token token = message.send.token;
      const Origin origin = origin_of(number);
      const bool has_failed = std::exchange(message.acknowledged, true);
      if (has_second_push(message)) forget(number);
      if (!has_failed) client_.sent(token, origin);
      break;
    }
    case Leg::recall:
      return recall_came(number);
    case Leg::recalled:
      return recall_answered(number);
    case Leg::in_socket:
      ship(number, Leg::data);
      break;
    case Leg::all_in_socket:
      return send_is_over(number);
    case Leg::piece:
      make_rare(message).piece_is_due = false;
      return came_into_socket(number, rare_of(message).in_socket);
    case Leg::start:
      break;
  }
}

Origin LibraryMessenger::origin_of(std::uint32_t number) const {
  const Message& message = messages_[number];
  const SimTime ready = message.receiver_was_late ? message.asked : message.send.ready;
  const Rank by = message.receiver_was_late ? message.send.receiver : message.send.envelope.source;
  const SimTime came = message.came > SimTime() ? message.came : machine_.events->now();
  const Rare& rare = rare_of(message);
  Origin origin{by, ready, SimTime(), came, message.local, rare.agreeing_waited + rare.data_waited};
  origin.wire = on_wire(message, origin);
  return origin;
}

/// While its data were with the transport, but for what they waited for timers.
SimTime LibraryMessenger::on_wire(const Message& message, const Origin& origin) const {
  if (message.local) return SimTime();
  return std::max(origin.came - std::max(message.shipped, origin.ready) - rare_of(message).data_waited,
                  SimTime());
}

/// What lets a sender go on whose data have left.
Origin LibraryMessenger::departure_of(std::uint32_t number) const {
  Origin origin = origin_of(number);
  origin.came = machine_.events->now();
  origin.wire = on_wire(messages_[number], origin);
  if (const SimTime left_at = rare_of(messages_[number]).left_at; left_at > SimTime())
    origin.wire = std::max(origin.wire - (origin.came - left_at), SimTime());
  return origin;
}

void LibraryMessenger::forget(std::uint32_t number) {
  Message& message = messages_[number];
  if (message.recalling) {
    message.over = true;
    return;
  }
  if (message.rare != nothing) rare_.give_back(message.rare);
  messages_.give_back(number);
}

}  // namespace morgana
