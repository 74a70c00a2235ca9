// What LibraryMessenger does with the data of a rendezvous that pass the sockets of both hosts.

#include <algorithm>

#include "emulator/core/end_of_time.h"
#include "emulator/messaging/library_messenger.h"

namespace morgana {

bool LibraryMessenger::passes_sockets(const Message& message) const {
  return message.rendezvous && !message.local && message.left > Bytes() && machine_.transport &&
         machine_.transport->copies_in_kernels();
}

/// What is copied in one go.
Bytes LibraryMessenger::socket_piece(const Message& message) const {
  return std::min(message.left, machine_.messages.eager_limit);
}

/// By the sender's kernel, after what it copies for other messages of the rank.
void LibraryMessenger::copy_into_socket(std::uint32_t number) {
  Message& message = messages_[number];
  const ByteCost cost = machine_.messages.send_per_byte;
  if (cost == ByteCost()) return ship(number, Leg::data);
  SimTime& until = in_sockets_at_.try_emplace(static_cast<std::uint32_t>(index(message.send.envelope.source)))
                       .first.value();
  const SimTime from = std::max(until, machine_.events->now());
  make_rare(message).copied = until = time_before_end(from + time_before_end(cost, message.left));
  later(time_before_end(from + time_before_end(cost, socket_piece(message))), number, Leg::in_socket);
}

/// By the receiver's, which has copied what had come while the rank waited, but for the last piece. Data do
/// not come before they are sent.
void LibraryMessenger::copy_out_of_socket(const Message& message, ReceivedMessage& received) const {
  const ByteCost cost = machine_.messages.receive_per_byte;
  const SimTime all = time_before_end(cost, message.left);
  received.cost = time_before_end(received.cost + all);
  received.early =
      std::min(all - time_before_end(cost, socket_piece(message)), machine_.events->now() - message.shipped);
}

}  // namespace morgana
