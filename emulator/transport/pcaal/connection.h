#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "emulator/core/counter_table.h"
#include "emulator/transport/assured/connection.h"
#include "emulator/transport/pcaal/counters.h"
#include "emulator/transport/pcaal/cutting.h"
#include "emulator/transport/pcaal/receiver.h"
#include "emulator/transport/pcaal/sender.h"

namespace morgana::pcaal {

// Paths, and timers.
enum : std::uint8_t {
  forth,  ///< SD and POLL
  back,   ///< STAT and USTAT
};
enum : std::uint8_t { poll_timer, no_response_timer };  ///< timers
struct Connection : assured::Connection<Sender, Receiver, Cutting, 2, 2> {
  std::uint64_t past_stat_cells = 0;  ///< of earlier incarnations
};

/// What both halves and the connection have counted.
PcAalCounters total(const Connection& connection);
/// What all connections have counted together.
PcAalCounters total(const std::deque<Connection>& connections);
/// What each connection has counted, a row for each; and how long its messages took.
std::vector<CounterTable> tables_of(const std::deque<Connection>& connections);

}  // namespace morgana::pcaal
