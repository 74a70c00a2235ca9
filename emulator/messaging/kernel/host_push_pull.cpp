#include "emulator/messaging/kernel/host_push_pull.h"

#include <algorithm>
#include <utility>

#include "emulator/core/end_of_time.h"

namespace morgana {

using push_pull::Receiver;
using push_pull::Sender;

void HostPushPull::push(std::uint32_t number) {
  KernelMessage& message = messages_[number];
  const bool fits = buffers_.take(message, costs_.slots_for(message.push1));
  if (!fits) message.rest += std::exchange(message.push1, Bytes());
  if (message.push1 == Bytes() && message.rest > Bytes()) return find_addresses(number);
  messages_.enter(message, Sender::push1);
  message.copying = KernelMessage::Copying::push;
  message.by_sender = true;
  message.left = message.push1;
  copy_piece(number);
}

void HostPushPull::copy_all(std::uint32_t number, bool by_sender) {
  KernelMessage& message = messages_[number];
  message.copying = KernelMessage::Copying::all;
  message.by_sender = by_sender;
  message.left = message.send.bytes;
  if (message.rest > Bytes()) message.entry = machine_.kernel_messages->system_call;
  messages_.enter(message, Receiver::pulling);
  if (!message.sender.is(Sender::done)) messages_.enter(message, Sender::pulling);
  copy_piece(number);
}

void HostPushPull::later(SimTime at, std::uint32_t number, Work work) {
  ++messages_[number].pending;
  machine_.events->schedule(at, *this, LegNumber<Work>{number, work}.packed());
}

void HostPushPull::handle(std::uint64_t what) {
  const auto [number, work] = LegNumber<Work>::unpacked(what);
  --messages_[number].pending;
  if (work == Work::addressed)
    addressed(number);
  else
    piece_copied(number);
}

/// The kernel works for a rank of this host, on its processor if it has one. @return when that is done
SimTime HostPushPull::work(Rank rank, SimTime cost) {
  const auto processor = client_.processor_of(rank);
  if (!processor) return time_before_end(machine_.events->now() + cost);
  return machine_.kernel->work(machine_.host_of[index(rank)], *processor, cost);
}

void HostPushPull::find_addresses(std::uint32_t number) {
  KernelMessage& message = messages_[number];
  message.copying = KernelMessage::Copying::addresses;
  messages_.enter(message, Sender::wait_req);
  later(work(message.send.envelope.source, costs_.translation(message.send.bytes)), number, Work::addressed);
}

void HostPushPull::addressed(std::uint32_t number) {
  KernelMessage& message = messages_[number];
  message.copying = KernelMessage::Copying::nothing;
  if (message.withdrawn) return listener_.withdrawn_rests(number);
  if (message.matched) copy_all(number, false);
}

void HostPushPull::copy_piece(std::uint32_t number) {
  KernelMessage& message = messages_[number];
  const HostId host = machine_.host_of[index(message.send.receiver)];
  const auto processor =
      client_.processor_of(message.by_sender ? message.send.envelope.source : message.send.receiver);
  const SimTime now = machine_.events->now();
  const SimTime begin = processor ? std::max(now, machine_.kernel->busy_until(host, *processor)) : now;
  const SimTime from = time_before_end(begin + std::exchange(message.entry, SimTime()));
  message.piece = machine_.bus ? std::min(message.left, machine_.kernel_messages->page) : message.left;
  const SimTime done =
      machine_.bus ? machine_.bus->copy(host, message.piece, message.send.bytes, from)
                   : time_before_end(from + time_before_end(machine_.messages.copy_per_byte, message.piece));
  if (processor) machine_.kernel->work(host, *processor, done - begin);
  later(done, number, Work::copied);
}

void HostPushPull::piece_copied(std::uint32_t number) {
  KernelMessage& message = messages_[number];
  message.left -= message.piece;
  if (message.left > Bytes()) return copy_piece(number);
  const auto copied = std::exchange(message.copying, KernelMessage::Copying::nothing);
  if (copied == KernelMessage::Copying::all) return listener_.all_copied(number);
  message.buffered = message.push1;
  if (message.withdrawn) return listener_.withdrawn_rests(number);
  if (message.rest > Bytes()) return find_addresses(number);
  messages_.enter(message, Sender::done);
  listener_.push_copied(number);
  if (messages_[number].matched) copy_all(number, false);
}

}  // namespace morgana
