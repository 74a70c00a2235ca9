#include "emulator/network/logp/logp_network.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "emulator/core/end_of_time.h"

namespace morgana {
namespace {

// What an event is about stands in the lowest bits, the message's slot above them.
enum What : std::uint64_t { departure, delivery, departure_and_delivery };
constexpr unsigned what_bits = 2;

std::uint64_t event(What what, std::uint32_t slot) {
  return std::uint64_t{slot} << what_bits | what;
}

}  // namespace

LogpNetwork::LogpNetwork(EventQueue& events, std::size_t ports, const LogpParameters& parameters)
    : events_(events), parameters_(parameters), interfaces_(ports) {}

Bytes LogpNetwork::largest_unit() const {
  return Bytes(std::numeric_limits<std::int64_t>::max());
}

SimTime LogpNetwork::least_latency() const {
  return parameters_.latency;
}

SimTime LogpNetwork::transfer_of(Bytes size) const {
  return time_before_end(parameters_.gap_per_byte, Bytes(std::max<std::int64_t>(size.count(), 1) - 1));
}

SimTime LogpNetwork::latency_of(Bytes size) const {
  if (parameters_.latency_per_byte == ByteCost()) return parameters_.latency;
  return parameters_.latency +
         time_before_end(parameters_.latency_per_byte, std::min(size, parameters_.latency_bytes));
}

PortTimes LogpNetwork::port_times(Bytes size) const {
  const SimTime transfer = transfer_of(size);
  return {transfer, time_before_end(transfer + parameters_.gap), latency_of(size)};
}

// When a message will start is known at once. Where it queues at its receiver is not, as long as others
// may be injected that start earlier: that is settled once its start has come, at the latest when
// it departs, which is never after its delivery.
void LogpNetwork::inject(const Unit& unit) {
  assert(unit.from != unit.to && static_cast<std::size_t>(unit.to) < interfaces_.size());
  const Slot slot = store(unit);
  const SimTime now = events_.now();
  const SimTime transfer = messages_[slot].transfer;
  Interface& sender = interface(unit.from);
  const SimTime start = time_before_end(std::max(now, sender.sending_free));
  sender.sending_free = time_before_end(start + transfer) + parameters_.gap;

  if (start > now) return wait_in_line(slot, sender, start);
  Interface& receiver = interface(unit.to);
  settle_starts_until_now(receiver);
  const SimTime received_from = take_receiver(receiver, now, messages_[slot]);
  if (received_from == now) {
    events_.schedule(now + transfer, *this, event(departure_and_delivery, slot));
  } else {
    events_.schedule(now + transfer, *this, event(departure, slot));
    events_.schedule(received_from + transfer, *this, event(delivery, slot));
  }
}

void LogpNetwork::wait_in_line(Slot slot, Interface& sender, SimTime start) {
  Message& message = messages_[slot];
  message.start = start;
  message.injected = injected_++;
  message.turn = events_.take_turn();
  if (announced_early()) announce_start(slot);
  if (sender.first_to_send == none) {
    sender.first_to_send = sender.last_to_send = slot;
    come_first(slot);
  } else {
    messages_[sender.last_to_send].next = slot;
    sender.last_to_send = slot;
  }
}

void LogpNetwork::come_first(Slot slot) {
  const Message& message = messages_[slot];
  if (!announced_early()) announce_start(slot);
  events_.schedule_in_turn(message.start + message.transfer, message.turn, *this, event(departure, slot));
}

void LogpNetwork::announce_start(Slot slot) {
  const Message& message = messages_[slot];
  auto& starts = interface(message.unit.to).starts_to_come;
  starts.push_back({message.start, message.injected, slot});
  std::push_heap(starts.begin(), starts.end(), later);
}

/// @return when the receiving interface begins to take a message that has started at `start`
SimTime LogpNetwork::take_receiver(Interface& receiver, SimTime start, const Message& message) {
  const SimTime received_from =
      time_before_end(std::max(start + latency_of(message.unit.size), receiver.receiving_free));
  receiver.receiving_free = time_before_end(received_from + message.transfer) + parameters_.gap;
  return received_from;
}

void LogpNetwork::settle_starts_until_now(Interface& receiver) {
  auto& starts = receiver.starts_to_come;
  while (!starts.empty() && starts.front().at <= events_.now()) {
    const Start start = starts.front();
    std::pop_heap(starts.begin(), starts.end(), later);
    starts.pop_back();
    const Message& message = messages_[start.slot];
    events_.schedule(take_receiver(receiver, start.at, message) + message.transfer, *this,
                     event(delivery, start.slot));
  }
}

void LogpNetwork::handle(std::uint64_t what) {
  const auto slot = static_cast<Slot>(what >> what_bits);
  const auto kind = static_cast<What>(what & ((1U << what_bits) - 1));
  const Unit unit = messages_[slot].unit;  // a copy: the listener may inject
  if (kind == departure) {
    Interface& sender = interface(unit.from);
    if (slot == sender.first_to_send) {  // else it has not waited
      sender.first_to_send = messages_[slot].next;
      if (sender.first_to_send != none) come_first(sender.first_to_send);
    }
    settle_starts_until_now(interface(unit.to));
  }
  if (kind != delivery) listener_->unit_departed(unit.id, unit.from);
  if (kind == departure) return;
  messages_[slot].next = first_free_;
  first_free_ = slot;
  listener_->unit_delivered(unit.id, unit.to);
}

LogpNetwork::Slot LogpNetwork::store(const Unit& unit) {
  const SimTime transfer = transfer_of(unit.size);
  if (first_free_ == none) {
    messages_.emplace_back();
    first_free_ = static_cast<Slot>(messages_.size() - 1);
  }
  const Slot slot = first_free_;
  Message& message = messages_[slot];
  first_free_ = message.next;
  message.unit = unit;
  message.transfer = transfer;
  message.next = none;
  return slot;
}

}  // namespace morgana
