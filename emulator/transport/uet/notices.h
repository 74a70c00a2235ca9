#pragma once

#include <cstdint>

#include "emulator/transport/notices.h"
#include "emulator/transport/uet/connection.h"

namespace morgana::uet {

/// What a listener is to learn, or a read request that its host carries out.
struct Notice {
  enum class Kind : std::uint8_t { delivered, completed, returned, read } kind{};
  MessageId message;
  SimTime timer_wait{};
  // Of a read:
  ConnectionId connection = 0;
  Bytes bytes{};
};

using Notices = morgana::Notices<Notice>;

/// The message's sender is to know that it is complete, if it asked for it.
inline void add_completion(Notices& notices, const Message& message, SimTime at) {
  if (message.completes && message.part == Message::Part::whole)
    notices.add(
        {.kind = Notice::Kind::completed, .message = message.id, .timer_wait = message.timer_wait.total()},
        at);
}

}  // namespace morgana::uet
