#include "emulator/messaging/socket_copies.h"

#include <algorithm>

#include "emulator/core/end_of_time.h"

namespace morgana {

bool SocketCopies::pass(const LibraryMessage& message) const {
  return message.rendezvous && !message.local && message.left > Bytes() && machine_.transport &&
         machine_.transport->copies_in_kernels();
}

Bytes SocketCopies::piece(const LibraryMessage& message) const {
  return std::clamp(machine_.messages.eager_limit, Bytes(1), message.left);
}

SocketCopies::Copied SocketCopies::copy_in(const LibraryMessage& message) {
  const ByteCost cost = machine_.messages.send_per_byte;
  SimTime& until =
      until_.try_emplace(static_cast<std::uint32_t>(index(message.send.envelope.source))).first.value();
  const SimTime from = std::max(until, machine_.events->now());
  until = time_before_end(from + time_before_end(cost, message.left));
  return {time_before_end(from + time_before_end(cost, piece(message))), until};
}

SocketCopies::Readable SocketCopies::readable(const LibraryMessage& message, Bytes come,
                                              SimTime copied) const {
  const Bytes left = message.left, size = piece(message);
  const auto end_of_pieces = [&](Bytes bytes) {
    return left - std::min(left, pieces_to_come(left - bytes, size) * size);
  };
  Readable result{end_of_pieces(come), {}};
  const SimTime now = machine_.events->now();
  if (copied <= now) return result;
  const ByteCost cost = machine_.messages.send_per_byte;
  const __int128 fs = static_cast<__int128>((copied - now).ps()) * 1000;
  const Bytes uncopied(static_cast<std::int64_t>((fs + cost.fs() - 1) / cost.fs()));
  const Bytes in_time = end_of_pieces(left - std::min(left, uncopied));
  if (in_time >= result.bytes) return result;
  result.bytes = in_time;
  const Bytes behind_next = (pieces_to_come(left - in_time, size) - 1) * size;
  const SimTime next = std::max(copied - cost.time_for(behind_next), now + SimTime::from_ps(1));
  if (next < copied) result.more_at = next;
  return result;
}

}  // namespace morgana
