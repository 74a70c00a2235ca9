#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "emulator/core/counter_table.h"
#include "emulator/transport/assured/connection.h"
#include "emulator/transport/sscop/counters.h"
#include "emulator/transport/sscop/frame_cutting.h"
#include "emulator/transport/sscop/receiver.h"
#include "emulator/transport/sscop/sender.h"

namespace morgana::sscop {

// Paths, and timers.
enum : std::uint8_t {
  forth,  ///< SD and POLL
  back,   ///< STAT and USTAT
};
enum Timer : std::uint8_t { poll_timer, keep_alive_timer, no_response_timer, idle_timer };
using Connection = assured::Connection<Sender, Receiver, FrameCutting, 2, 4>;

/// What both halves and the connection have counted.
SscopCounters total(const Connection& connection);
/// What all connections have counted together.
SscopCounters total(const std::deque<Connection>& connections);
/// What each connection has counted, a row for each; and how long its messages took.
std::vector<CounterTable> tables_of(const std::deque<Connection>& connections);

}  // namespace morgana::sscop
