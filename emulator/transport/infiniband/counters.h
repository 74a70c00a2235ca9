#pragma once

#include <cstdint>
#include <optional>

#include "emulator/transport/congestion/congestion_control.h"

namespace morgana {

/// What reliable connections did so far.
struct RcCounters {
  std::uint64_t requests = 0;            ///< request packets sent for the first time
  std::uint64_t repeated = 0;            ///< request packets sent again
  std::uint64_t read_responses = 0;      ///< packets, first sent or sent again
  std::uint64_t responses_repeated = 0;  ///< of these, packets sent again
  std::uint64_t acknowledgements = 0;    ///< packets
  std::uint64_t sequence_errors = 0;     ///< NAKs
  std::uint64_t not_ready = 0;           ///< RNR NAKs
  std::uint64_t kept = 0;                ///< early packets
  std::uint64_t timeouts = 0;
  std::uint64_t failed = 0;         ///< queue pairs
  std::uint64_t marked = 0;         ///< requests and read responses that came marked
  std::uint64_t notifications = 0;  ///< CNPs
  // Of flows with a window
  std::uint64_t reports = 0;   ///< that came and were news
  std::uint64_t feedback = 0;  ///< packets that only report
  std::uint64_t held = 0;      ///< times that a window kept a flow from sending
  std::uint64_t no_space = 0;  ///< reports that lack ports: telemetry_header is too small
  Bytes least_window = CongestionControl::unlimited;  ///< of any flow, ever
  std::optional<BitRate> least_rate;                  ///< likewise, after a report; TIMELY only
};

}  // namespace morgana
