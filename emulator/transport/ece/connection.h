#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "emulator/core/counter_table.h"
#include "emulator/core/lazy_timer.h"
#include "emulator/host/host_id.h"
#include "emulator/network/cells.h"
#include "emulator/transport/ece/clock.h"
#include "emulator/transport/ece/counters.h"
#include "emulator/transport/ece/parameters.h"
#include "emulator/transport/ece/receiver.h"
#include "emulator/transport/ece/sender.h"
#include "emulator/transport/latency_classes.h"
#include "emulator/transport/transport.h"

namespace morgana::ece {

struct Undelivered {
  MessageId message;
  bool streamed;
  SimTime since;          ///< when it was handed over
  bool departed = false;  ///< as its listener has been told
  Bytes prefix{0};        ///< that has come in order
};

/// The connections of a pair of hosts in one direction, at both ends.
struct Connection {
  HostId from, to;
  std::array<ChannelId, paths> channels;  ///< by path; that of the clock only where it is resynchronised
  HostClock clock;                        ///< the sender's
  SenderTime time;                        ///< as the receiver knows it
  SimTime next_monitoring;                ///< on the sender's clock
  Sender sender;
  Receiver receiver;
  std::uint32_t incarnation = 0;  ///< cells of an earlier one, before a release, count for nothing
  std::array<std::uint32_t, paths> in_interface = {};  ///< SDs handed to the interface that haven't left it
  bool holds = false;                                  ///< the event queue, as data are unacknowledged
  std::deque<Undelivered> undelivered = {};
  LazyTimer monitoring = LazyTimer::of_upkeep(), missing = LazyTimer::of_upkeep(),
            resynchronisation = LazyTimer::of_upkeep(), no_response = LazyTimer::of_upkeep();
  EceCounters counters = {};    ///< what neither half counts, and both of earlier incarnations
  LatencyClasses latency = {};  ///< of messages that have been delivered
  std::array<LatencyClasses, paths> cell_latency = {};  ///< of cells that came through
  SimTime high_since = {},
          high_for = {};  ///< when the sender's mode became high last; how long it was before

  ChannelId channel(Path path) const { return channels[static_cast<std::size_t>(path)]; }
  std::uint32_t& in_interface_of(Path path) { return in_interface[static_cast<std::size_t>(path)]; }
  /// Both ends as before the first SD; the monitoring goes on.
  void begin_anew(const EceParameters& parameters, SimTime now);
};
/// @param hosts  all that there are
Connection open_connection(CellNetwork& network, HostId from, HostId to, std::size_t hosts,
                           const EceParameters& parameters, SimTime now);

/// What both halves and the connection have counted.
EceCounters total(const Connection& connection);
/// What all connections have counted together.
EceCounters total(const std::deque<Connection>& connections);
/// What each pair's connections have counted up to now; what each of them carried; how long messages took,
/// and cells on each.
std::vector<CounterTable> tables_of(const std::deque<Connection>& connections, SimTime now);

}  // namespace morgana::ece
