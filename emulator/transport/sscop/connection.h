#pragma once

#include <cstdint>
#include <deque>

#include "emulator/core/lazy_timer.h"
#include "emulator/host/host_id.h"
#include "emulator/network/cells.h"
#include "emulator/transport/latency_classes.h"
#include "emulator/transport/sscop/counters.h"
#include "emulator/transport/sscop/parameters.h"
#include "emulator/transport/sscop/receiver.h"
#include "emulator/transport/sscop/sender.h"
#include "emulator/transport/transport.h"

namespace morgana::sscop {

struct Undelivered {
  MessageId message;
  SimTime since;  ///< when it was handed over
};

/// One direction between two hosts, at both ends.
struct Connection {
  HostId from, to;
  ChannelId forth, back;  ///< SD and POLL go forth, STAT and USTAT back
  Sender sender;
  Receiver receiver;
  std::uint32_t incarnation = 0;   ///< frames of an earlier one, before a release, count for nothing
  std::uint32_t in_interface = 0;  ///< SDs handed to the interface that haven't left it
  bool holds = false;              ///< the event queue, as data are unacknowledged
  std::deque<Undelivered> undelivered = {};
  LazyTimer poll = LazyTimer::of_upkeep(), keep_alive = LazyTimer::of_upkeep(),
            no_response = LazyTimer::of_upkeep(), idle = LazyTimer::of_upkeep();
  SscopCounters counters = {};  ///< what neither half counts, and both of earlier incarnations
  LatencyClasses latency = {};  ///< of messages that have been delivered

  /// Both ends as before the first SD; only counters, and SDs in the interface, are of the past.
  void begin_anew(const SscopParameters& parameters);
};
Connection open_connection(CellNetwork& network, HostId from, HostId to, const SscopParameters& parameters);

/// What both halves and the connection have counted.
SscopCounters total(const Connection& connection);
/// What all connections have counted together.
SscopCounters total(const std::deque<Connection>& connections);
/// What each connection has counted, a row for each; and how long its messages took.
std::vector<CounterTable> tables_of(const std::deque<Connection>& connections);

}  // namespace morgana::sscop
