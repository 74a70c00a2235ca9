#include "emulator/messaging/socket_copies.h"

#include <algorithm>

#include "emulator/core/end_of_time.h"

namespace morgana {

bool SocketCopies::pass(const LibraryMessage& message) const {
  return message.rendezvous && !message.local && message.left > Bytes() && machine_.transport &&
         machine_.transport->copies_in_kernels();
}

Bytes SocketCopies::piece(const LibraryMessage& message) const {
  return std::min(message.left, machine_.messages.eager_limit);
}

SocketCopies::Copied SocketCopies::copy_in(const LibraryMessage& message) {
  const ByteCost cost = machine_.messages.send_per_byte;
  SimTime& until =
      until_.try_emplace(static_cast<std::uint32_t>(index(message.send.envelope.source))).first.value();
  const SimTime from = std::max(until, machine_.events->now());
  until = time_before_end(from + time_before_end(cost, message.left));
  return {time_before_end(from + time_before_end(cost, piece(message))), until};
}

void SocketCopies::copy_out(const LibraryMessage& message, ReceivedMessage& received) const {
  const ByteCost cost = machine_.messages.receive_per_byte;
  const SimTime all = time_before_end(cost, message.left);
  received.cost = time_before_end(received.cost + all);
  received.early =
      std::min(all - time_before_end(cost, piece(message)), machine_.events->now() - message.shipped);
}

}  // namespace morgana
