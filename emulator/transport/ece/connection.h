#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "emulator/core/counter_table.h"
#include "emulator/core/time.h"
#include "emulator/transport/assured/connection.h"
#include "emulator/transport/ece/clock.h"
#include "emulator/transport/ece/counters.h"
#include "emulator/transport/ece/receiver.h"
#include "emulator/transport/ece/sender.h"
#include "emulator/transport/latency_classes.h"
#include "emulator/transport/pcaal/cutting.h"

namespace morgana::ece {

enum Timer : std::uint8_t { monitoring_timer, missing_timer, resynchronisation_timer, no_response_timer };

/// The connections of a pair of hosts in one direction, at both ends. There is a channel for the clock only
/// where that is resynchronised.
struct Connection : assured::Connection<Sender, Receiver, pcaal::Cutting, paths, 4> {
  HostClock clock;          ///< the sender's
  SenderTime time;          ///< as the receiver knows it
  SimTime next_monitoring;  ///< on the sender's clock
  /// This protocol's additional counters, with those of the connection's earlier incarnations.
  std::uint64_t late = 0, past_lstats = 0, past_changes = 0, past_missing = 0;
  std::array<LatencyClasses, paths> cell_latency = {};  ///< of cells that came through
  SimTime high_since = {},
          high_for = {};  ///< when the sender's mode became high last; how long it was before
};

/// What both halves and the connection have counted.
EceCounters total(const Connection& connection);
/// What all connections have counted together.
EceCounters total(const std::deque<Connection>& connections);
/// What each pair's connections have counted up to now; what each of them carried; how long messages took,
/// and cells on each.
std::vector<CounterTable> tables_of(const std::deque<Connection>& connections, SimTime now);

}  // namespace morgana::ece
