// What LibraryMessenger does with the data of a rendezvous that pass the sockets of both hosts.

#include <algorithm>
#include <utility>

#include "emulator/core/end_of_time.h"
#include "emulator/messaging/library_messenger.h"

namespace morgana {

bool LibraryMessenger::passes_sockets(const Message& message) const {
  return message.rendezvous && !message.local && message.left > Bytes() && machine_.transport &&
         machine_.transport->copies_in_kernels();
}

/// What is copied in one go.
Bytes LibraryMessenger::socket_piece(const Message& message) const {
  return std::clamp(machine_.messages.eager_limit, Bytes(1), message.left);
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

bool LibraryMessenger::is_read_from_socket(const Message& message) const {
  return machine_.messages.receive_per_byte != ByteCost() && passes_sockets(message);
}

/// The first piece is what is left over; each is told of when it is there wholly, and not before the sender's
/// kernel has copied it. @param there  of what is left, at the receiver
void LibraryMessenger::came_into_socket(std::uint32_t number, Bytes there) {
  Message& message = messages_[number];
  Rare& rare = make_rare(message);
  rare.in_socket = std::max(rare.in_socket, there);
  const Bytes left = message.left, piece = socket_piece(message);
  const auto end_of_pieces = [&](Bytes come) {
    return left - std::min(left, pieces_to_come(left - come, piece) * piece);
  };
  Bytes come = end_of_pieces(rare.in_socket);
  const SimTime now = machine_.events->now();
  if (rare.copied > now) {
    const ByteCost cost = machine_.messages.send_per_byte;
    const __int128 fs = static_cast<__int128>((rare.copied - now).ps()) * 1000;
    const Bytes uncopied(static_cast<std::int64_t>((fs + cost.fs() - 1) / cost.fs()));
    const Bytes copied = end_of_pieces(left - std::min(left, uncopied));
    if (copied < come) {
      come = copied;
      const Bytes behind_next = (pieces_to_come(left - come, piece) - 1) * piece;
      const SimTime next = std::max(rare.copied - cost.time_for(behind_next), now + SimTime::from_ps(1));
      if (next < rare.copied && !std::exchange(rare.piece_is_due, true)) later(next, number, Leg::piece);
    }
  }
  if (come <= rare.told) return;
  const ByteCost cost = machine_.messages.receive_per_byte;
  const SimTime copy = time_before_end(cost, come) - cost.time_for(std::exchange(rare.told, come));
  client_.came_into_socket(message.receive, copy, origin_of(number));
}

}  // namespace morgana
