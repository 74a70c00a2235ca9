#pragma once

#include <cstdint>
#include <deque>

#include "emulator/core/lazy_timer.h"
#include "emulator/host/host_id.h"
#include "emulator/network/cells.h"
#include "emulator/transport/latency_classes.h"
#include "emulator/transport/pcaal/counters.h"
#include "emulator/transport/pcaal/parameters.h"
#include "emulator/transport/pcaal/receiver.h"
#include "emulator/transport/pcaal/sender.h"
#include "emulator/transport/transport.h"

namespace morgana::pcaal {

struct Undelivered {
  MessageId message;
  bool streamed;
  SimTime since;    ///< when it was handed over
  Bytes prefix{0};  ///< that has come in order
};

/// One direction between two hosts, at both ends.
struct Connection {
  HostId from, to;
  ChannelId forth, back;  ///< SD and POLL go forth, STAT and USTAT back
  Sender sender;
  Receiver receiver;
  std::uint32_t incarnation = 0;   ///< cells of an earlier one, before a release, count for nothing
  std::uint32_t in_interface = 0;  ///< SDs handed to the interface that haven't left it
  bool holds = false;              ///< the event queue, as data are unacknowledged
  std::deque<Undelivered> undelivered = {};
  LazyTimer poll = LazyTimer::of_upkeep(), no_response = LazyTimer::of_upkeep();
  PcAalCounters counters = {};  ///< what neither half counts, and both of earlier incarnations
  LatencyClasses latency = {};  ///< of messages that have been delivered

  /// Both ends as before the first SD; only counters, and SDs in the interface, are of the past.
  void begin_anew(const PcAalParameters& parameters);
};
Connection open_connection(CellNetwork& network, HostId from, HostId to, const PcAalParameters& parameters);

/// What both halves and the connection have counted.
PcAalCounters total(const Connection& connection);
/// What all connections have counted together.
PcAalCounters total(const std::deque<Connection>& connections);
/// What each connection has counted, a row for each; and how long its messages took.
std::vector<CounterTable> tables_of(const std::deque<Connection>& connections);

}  // namespace morgana::pcaal
