#include "emulator/messaging/library_message.h"

#include <algorithm>

namespace morgana {

void LibraryMessageTable::forget(std::uint32_t number) {
  LibraryMessage& message = messages_[number];
  if (message.recalling) {
    message.over = true;
    return;
  }
  if (message.rare != LibraryMessage::nothing) rare_.give_back(message.rare);
  messages_.give_back(number);
}

void LibraryMessageTable::note_timer_wait(LibraryMessage& message, bool with_data, SimTime wait) {
  if (wait == SimTime()) return;
  Rare& rare = make_rare(message);
  if (with_data)
    rare.data_waited = std::max(rare.data_waited, wait);
  else
    rare.agreeing_waited += wait;
}

Origin LibraryMessageTable::origin(const LibraryMessage& message, SimTime now) const {
  const SimTime ready = message.receiver_was_late ? message.asked : message.send.ready;
  const Rank by = message.receiver_was_late ? message.send.receiver : message.send.envelope.source;
  const SimTime came = message.came > SimTime() ? message.came : now;
  const Rare& rare = rare_of(message);
  Origin origin{by, ready, SimTime(), came, message.local, rare.agreeing_waited + rare.data_waited};
  origin.wire = in_network(message, origin);
  if (!message.local)
    origin.carried = {message.send.envelope.source, message.send.receiver,
                      message.left > Bytes() ? message.left : message.send.bytes};
  return origin;
}

/// While its data were with the transport, but for what they waited for timers.
SimTime LibraryMessageTable::in_network(const LibraryMessage& message, const Origin& origin) const {
  if (message.local) return SimTime();
  return std::max(origin.came - std::max(message.shipped, origin.ready) - rare_of(message).data_waited,
                  SimTime());
}

Origin LibraryMessageTable::departure(const LibraryMessage& message, SimTime now) const {
  Origin left = origin(message, now);
  left.came = now;
  left.wire = in_network(message, left);
  if (const SimTime left_at = rare_of(message).left_at; left_at > SimTime())
    left.wire = std::max(left.wire - (left.came - left_at), SimTime());
  return left;
}

}  // namespace morgana
