// What KernelMessenger does at a message's receiver, and within a host.

#include <algorithm>
#include <utility>

#include "emulator/core/end_of_time.h"
#include "emulator/messaging/kernel_messenger.h"

namespace morgana {

using push_pull::Receiver;
using push_pull::Sender;

bool KernelMessenger::take_slots(Message& message, std::int64_t count) {
  std::int64_t& taken = slots_taken_[index(message.send.receiver)];
  if (count > slots_ - taken) return false;
  taken += count;
  message.slots += count;
  KernelMessageCounters& counters = machine_.kernel_message_counters;
  counters.slots_taken += count;
  counters.most_slots_taken = std::max(counters.most_slots_taken, taken);
  return true;
}

void KernelMessenger::free_slots(std::uint32_t number) {
  Message& message = messages_[number];
  machine_.kernel_message_counters.slots_taken -= message.slots;
  slots_taken_[index(message.send.receiver)] -= std::exchange(message.slots, 0);
  message.buffered = Bytes();
}

/// The handler has a unit of a push: it copies it to where it belongs, or to the pushed buffer, or drops it.
Admission KernelMessenger::push_admitted(std::uint32_t number, Bytes before, Bytes size) {
  if (!messages_[number].seen) {
    if (messages_[number].ordinal != pair_of(messages_[number]).seen) return Admission::dropped;
    see(number);
  }
  Message& message = messages_[number];
  if (message.pulled) return Admission::taken;  // and thrown away
  const Bytes data = before == Bytes() ? size - machine_.messages.envelope : size;
  message.refused = !message.matched && !message.withdrawn && !take_slots(message, slots_for(data));
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
  Pair& pair = pair_of(message);
  ++pair.seen;
  while (pair.given_up.erase(pair.seen) > 0) ++pair.seen;
  if (message.withdrawn) {
    enter(message, Receiver::buffered);
    return enter(message, Receiver::done);
  }
  const Send send = message.send;
  if (const auto receive = matchers_[index(send.receiver)].arrive(send.envelope, number)) {
    meet(message, Token{*receive});
    enter(message, Receiver::posted);
    return client_.matched(message.receive);
  }
  enter(message, Receiver::buffered);
  client_.waits_unmatched(send.receiver, send.envelope, send.bytes);
}

/// The receive is there, and only the time-out of what was refused goes on.
void KernelMessenger::hold(Message& message) {
  message.held = true;
  machine_.events->hold();
}

/// Nothing of the message's pushes will come any more.
void KernelMessenger::release(Message& message) {
  if (std::exchange(message.held, false)) machine_.events->release();
}

/// None of the message's pushes is under way any more: another message may use their channel.
void KernelMessenger::end_pushes(Message& message) {
  if (message.channel != 0) pair_of(message).free.push_back(std::exchange(message.channel, 0));
}

void KernelMessenger::push_delivered(std::uint32_t number, Leg leg) {
  Message& message = messages_[number];
  if (leg == Leg::push1 && message.receiver.is(Receiver::posted)) {
    if (message.rest > Bytes()) {
      enter(message, Receiver::req_sent);
      ship(number, Leg::request, false);
    } else if (!message.acknowledged && !std::exchange(message.confirmed, true)) {
      ship(number, Leg::receipt, false);
    }
  }
  const bool all_came = message.pulled || message.came == message.push1 + message.push2;
  if (all_came && (leg == Leg::push2 || message.push2 == Bytes())) {
    end_pushes(message);
    release(message);
  }
  if (message.withdrawn || message.pulled) return forget_if_done(number);
  look_whether_whole(number);
}

SimTime KernelMessenger::receive_cost(Rank receiver, const Envelope& pattern, Bytes bytes) {
  const auto number = matchers_[index(receiver)].find(pattern);
  const bool masked = costs_.translation == KernelMessages::Translation::masked;
  return number && (masked || messages_[*number].local) ? SimTime() : translation(bytes);
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
  message.receiver_was_late = !on_its_way && message.copying == Copying::nothing;
  message.asked = now;
  if (message.receiver_was_late)
    message.push_waited = message.pull_waited = message.agreeing_waited = SimTime();
  if (message.local) {
    if (message.copying == Copying::nothing) begin_copy(number, Copying::all, false, message.send.bytes);
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
    enter(message, Receiver::req_sent);
    later(at, number, Leg::ask);
  } else if (confirms) {
    later(at, number, Leg::confirm);
  }
  const bool has_all = message.came == message.send.bytes;
  if (message.refused && !message.given_up && !message.pulled) hold(message);
  if (costs_.translation == KernelMessages::Translation::masked && !has_all)
    at = time_before_end(at + translation(message.send.bytes));
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
  if (message.came < message.push1 + message.push2 && !message.pulled) return;
  if (message.rest > Bytes() && !message.pull_came) return;
  if (message.rest == Bytes()) tell_delivered(message);
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
    return forget_if_done(number);
  message.withdrawn = true;
  if (message.copying == Copying::nothing) take_back(number);
}

/// What was kept of it is thrown away, and the sender is told.
void KernelMessenger::take_back(std::uint32_t number) {
  Message& message = messages_[number];
  free_slots(number);
  if (message.receiver.is(Receiver::buffered)) enter(message, Receiver::done);
  if (message.local)
    return later(machine_.events->now() + machine_.messages.local_latency, number, Leg::recalled);
  ++message.pending;
  ship(number, Leg::recalled, false);
}

void KernelMessenger::tell_delivered(Message& message) {
  if (std::exchange(message.was_told, true)) return;
  const Send send = message.send;
  client_.delivered(send.envelope, send.receiver, send.bytes, send.begun);
}

void KernelMessenger::whole(std::uint32_t number) {
  const MessageLayer& layer = machine_.messages;
  if (messages_[number].receiver.is(Receiver::done)) return;
  enter(messages_[number], Receiver::done);
  tell_delivered(messages_[number]);
  const Message& message = messages_[number];
  ReceivedMessage received = received_of(message.send);
  received.origin = origin_of(number);
  received.cost = message.local ? layer.local_overhead : layer.receive_overhead;
  const Token token = message.receive;
  forget_if_done(number);
  client_.received(token, received);
}

Origin KernelMessenger::origin_of(std::uint32_t number) const {
  const Message& message = messages_[number];
  const SimTime now = machine_.events->now();
  const SimTime ready = message.receiver_was_late ? message.asked : message.send.ready;
  const Rank by = message.receiver_was_late ? message.send.receiver : message.send.envelope.source;
  const SimTime data_waited = message.rest > Bytes() ? message.pull_waited : message.push_waited;
  const SimTime wire =
      message.local ? SimTime() : std::max(now - std::max(message.shipped, ready) - data_waited, SimTime());
  return {by,  ready,         wire,
          now, message.local, message.push_waited + message.pull_waited + message.agreeing_waited};
}

void KernelMessenger::become_visible(std::uint32_t number) {
  Message& message = messages_[number];
  const Send send = message.send;
  if (const auto receive = matchers_[index(send.receiver)].arrive(send.envelope, number)) {
    meet(message, Token{*receive});
    enter(message, Receiver::posted);
    client_.matched(message.receive);
    return begin_copy(number, Copying::all, true, send.bytes);
  }
  enter(message, Receiver::buffered);
  const bool fits = take_slots(message, slots_for(message.push1));
  if (!fits) message.rest += std::exchange(message.push1, Bytes());
  if (message.push1 > Bytes() || message.rest == Bytes()) {
    enter(message, Sender::push1);
    begin_copy(number, Copying::push, true, message.push1);
  } else {
    find_addresses(number);
  }
  client_.waits_unmatched(send.receiver, send.envelope, send.bytes);
}

/// The kernel works for a rank of this host, on its processor if it has one. @return when that is done
SimTime KernelMessenger::work(Rank rank, SimTime cost) {
  const auto processor = client_.processor_of(rank);
  if (!processor) return time_before_end(machine_.events->now() + cost);
  return machine_.kernel->work(machine_.host_of[index(rank)], *processor, cost);
}

void KernelMessenger::find_addresses(std::uint32_t number) {
  Message& message = messages_[number];
  message.copying = Copying::addresses;
  enter(message, Sender::wait_req);
  later(work(message.send.envelope.source, translation(message.send.bytes)), number, Leg::addressed);
}

void KernelMessenger::addressed(std::uint32_t number) {
  Message& message = messages_[number];
  message.copying = Copying::nothing;
  if (message.withdrawn) return take_back(number);
  if (message.matched) begin_copy(number, Copying::all, false, message.send.bytes);
}

void KernelMessenger::begin_copy(std::uint32_t number, Copying what, bool by_sender, Bytes bytes) {
  Message& message = messages_[number];
  message.copying = what;
  message.by_sender = by_sender;
  message.left = bytes;
  if (what == Copying::all) {
    if (message.rest > Bytes()) message.entry = costs_.system_call;
    enter(message, Receiver::pulling);
    if (!message.sender.is(Sender::done)) enter(message, Sender::pulling);
  }
  copy_piece(number);
}

/// The kernel copies page after page on the processor of the rank whose call it serves.
void KernelMessenger::copy_piece(std::uint32_t number) {
  Message& message = messages_[number];
  const HostId host = machine_.host_of[index(message.send.receiver)];
  const auto processor =
      client_.processor_of(message.by_sender ? message.send.envelope.source : message.send.receiver);
  const SimTime now = machine_.events->now();
  const SimTime begin = processor ? std::max(now, machine_.kernel->busy_until(host, *processor)) : now;
  const SimTime from = time_before_end(begin + std::exchange(message.entry, SimTime()));
  message.piece = machine_.bus ? std::min(message.left, costs_.page) : message.left;
  const SimTime done =
      machine_.bus ? machine_.bus->copy(host, message.piece, message.send.bytes, from)
                   : time_before_end(from + time_before_end(machine_.messages.copy_per_byte, message.piece));
  if (processor) machine_.kernel->work(host, *processor, done - begin);
  later(done, number, Leg::copied);
}

void KernelMessenger::piece_copied(std::uint32_t number) {
  Message& message = messages_[number];
  message.left -= message.piece;
  if (message.left > Bytes()) return copy_piece(number);
  const SimTime later_party = machine_.events->now() + machine_.messages.local_latency;
  if (std::exchange(message.copying, Copying::nothing) == Copying::push) {
    message.buffered = message.push1;
    if (message.withdrawn) return take_back(number);
    if (message.rest > Bytes()) return find_addresses(number);
    enter(message, Sender::done);
    if (message.send.mode != SendMode::synchronous) sender_done(number);
    if (messages_[number].matched) begin_copy(number, Copying::all, false, messages_[number].send.bytes);
    return;
  }
  free_slots(number);
  if (message.by_sender) {
    sender_done(number);
    return later(later_party, number, Leg::whole);
  }
  later(later_party, number, Leg::told);
  whole(number);
}

}  // namespace morgana
