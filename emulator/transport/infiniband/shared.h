#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "emulator/core/event_queue.h"
#include "emulator/core/pool.h"
#include "emulator/network/network.h"
#include "emulator/network/telemetry.h"
#include "emulator/transport/infiniband/counters.h"
#include "emulator/transport/infiniband/nics.h"
#include "emulator/transport/infiniband/packet.h"
#include "emulator/transport/infiniband/rules.h"
#include "emulator/transport/notices.h"

namespace morgana::rc {

// What the timers of a queue pair, and other events of the transport, are about (TimerEvent::kind).
inline constexpr std::uint8_t acknowledgement_timeout = 0, rnr_wait = 1, ready = 2, told = 3;

/// What a listener is to learn of a message.
struct Notice {
  enum class Kind : std::uint8_t { delivered, completed, returned } kind{};
  MessageId message;
  SimTime timer_wait{};
};

/// What all queue pairs of a transport have in common.
struct Shared {
  /// @param handler  of the events of this transport
  /// @throws Error as Rules
  Shared(EventQueue& queue, EventHandler& timers, Network& below, std::size_t hosts,
         const RcParameters& parameters, const PcieParameters& pcie)
      : events(queue),
        handler(timers),
        network(below),
        rules(parameters, below),
        marking(parameters.control == RcParameters::Control::none ? nullptr : below.extensions().marking),
        telemetry(parameters.control == RcParameters::Control::none ? nullptr : below.extensions().telemetry),
        nics(queue, rules, pcie, hosts),
        notices(queue, timers, told) {}

  SimTime now() const { return events.now(); }

  EventQueue& events;
  EventHandler& handler;
  Network& network;
  const Rules rules;
  MarkingNetwork* const marking;      ///< null: without congestion control
  TelemetryNetwork* const telemetry;  ///< likewise
  Nics nics;
  RcCounters counters;
  Pool<Header> headers;  ///< of the packets under way
  Pool<Echo> echoes;     ///< likewise, with windows
  Notices<Notice> notices;
  std::string how_lost, remedy;  ///< of what was given up last
};

}  // namespace morgana::rc
