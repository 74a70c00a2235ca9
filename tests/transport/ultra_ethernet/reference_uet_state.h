#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "emulator/transport/transport.h"
#include "tests/transport/reference_nscc.h"
#include "tests/transport/ultra_ethernet/reference_uet_parts.h"

/// What the plain model of Ultra Ethernet's transport keeps of messages, connections and ports.
namespace morgana::testing::uet_reference {

enum class Part : std::uint8_t { whole, request, data };
struct Message {
  MessageId id;
  Verb verb;
  Part part = Part::whole;
  bool completes = false;
  std::int64_t bytes = 0, asked = 0;
  std::int64_t ready = 0;
  Psn end = 0;
  std::int64_t to_come = 0, to_acknowledge = 0;
  std::int64_t in_memory = 0, acknowledged_at = 0, delivered_at = 0;
  bool delivered = false, completed = false;
};
struct Connection {
  std::uint32_t from, to;
  std::uint64_t channel;
  std::uint8_t data_class;
  std::vector<Message> messages;
  bool in_line = false, in_port = false, failed = false;
  ReferenceOutbound outbound;
  ReferenceInbound inbound;
  std::unique_ptr<ReferenceNscc> nscc;
  std::int64_t ordered = 0;

  bool has_to_send(std::int64_t now) const {
    if (outbound.any(Outgoing::State::to_repeat)) return true;
    const Psn next = outbound.first(Outgoing::State::new_one);
    if (next < 0) return false;
    return messages[outbound.packets[static_cast<std::size_t>(next)].message].ready <= now;
  }
  /// All that is ready is acknowledged.
  bool is_done(std::int64_t now) const {
    return !has_to_send(now) && !outbound.any(Outgoing::State::under_way);
  }
  /// -1: none.
  Psn next() const {
    const Psn again = outbound.first(Outgoing::State::to_repeat);
    return again >= 0 ? again : outbound.first(Outgoing::State::new_one);
  }
  std::int64_t window() const { return static_cast<std::int64_t>(nscc->w()); }
};
struct Port {
  bool busy = false;
  std::deque<std::size_t> line;
  std::int64_t takes = 0, happened_at = -1;
};

}  // namespace morgana::testing::uet_reference
