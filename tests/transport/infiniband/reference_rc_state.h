#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "emulator/transport/transport.h"

/// What ReferenceRc knows of queue pairs, hosts and packets. Times in ps.
namespace morgana::testing::rc_reference {

/// From, to, channel: of the requests.
using Direction = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>;

struct Wr {
  std::size_t message;
  Verb verb;
  std::int64_t bytes;
  std::int64_t first, end;
  std::int64_t ready;
  bool completes;
};

struct Requester {
  std::vector<Wr> queue;
  std::int64_t unacked = 0, next = 0, high = 0, total = 0;
  bool at_port = false, in_line = false, waiting = false, failed = false;
  unsigned retries = 0, rnr_retries = 0;
  std::int64_t acted_on = -1;
  std::optional<std::int64_t> timeout_at, wait_ends;
  std::int64_t memory = 0;  // all responses are there
};

struct Owed {
  char kind;  // a: acknowledgement, n: sequence error, r: not ready, d: data of a read
  std::int64_t psn, end, bytes;
  std::int64_t ready;
  bool begun = false;
};

struct Responder {
  std::int64_t expected = 0;
  bool quiet = false;
  std::int64_t memory = 0;  // all packets are there
  bool at_port = false, in_line = false;
  std::deque<Owed> owed;
  std::int64_t taken = 0;
  std::vector<std::int64_t> posted_again;
};

struct Host {
  bool sends = false;
  std::deque<std::pair<Direction, bool>> line;
  std::uint64_t injected = 0;
  std::int64_t takes_next = 0;
  std::int64_t wakes = -1;  // looks again whether its bus is free
};

struct Packet {
  std::size_t wr = 0;
  std::int64_t psn = 0;
  bool first = false, last = false, asks = false, first_time = false;
};

inline bool needs_receive(const Wr& wr, const Packet& packet) {
  return (wr.verb == Verb::send && packet.first) || (wr.verb == Verb::write_immediate && packet.last);
}

struct Entry {
  std::int64_t at;
  std::function<void()> what;
};

}  // namespace morgana::testing::rc_reference
