#pragma once

#include <cstdint>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/transport/congestion/cubic.h"
#include "emulator/transport/congestion/dctcp.h"
#include "emulator/transport/congestion/new_reno.h"

namespace morgana {

/// TCP and the kernels that carry it out. Tcp has the rules. Defaults: Linux.
struct TcpParameters {
  // Headers and options
  Bytes header{40};        ///< of each segment, without options: IPv4 20 and TCP 20
  bool timestamps = true;  ///< RFC 7323: 12 B of each segment, and every acknowledgement measures
  bool sack = true;        ///< RFC 2018, 6675; otherwise NewReno's recovery (RFC 6582)
  /// What goes in recovery with SACK.
  enum class Recovery : std::uint8_t {
    pipe,  ///< up to the window (RFC 6675)
    prr    ///< in proportion to what is delivered: Proportional Rate Reduction (RFC 6937)
  };
  Recovery recovery = Recovery::pipe;
  /// What says that a segment is lost, with SACK.
  enum class LossDetection : std::uint8_t {
    duplicates,  ///< how much beyond it has been acknowledged (RFC 6675)
    rack         ///< what was sent later has come; tail loss probes: RACK-TLP (RFC 8985)
  };
  LossDetection loss_detection = LossDetection::duplicates;
  Bytes message_header{64};  ///< of the MPI library, of each message, > 0

  // Buffers of a socket
  Bytes send_buffer{4 << 20};     ///< at least two segments
  Bytes receive_buffer{6 << 20};  ///< the window that is offered: at least two segments, below 2^30

  // Connections
  bool handshake = true;  ///< with the first message; otherwise connections stand from the begin
  bool nagle = false;     ///< RFC 896, which MPI libraries switch off (TCP_NODELAY)

  // Acknowledgements and repetition
  std::int64_t acknowledge_every = 2;  ///< segments, > 0
  SimTime acknowledge_delay = SimTime::from_ps(40'000'000'000);
  std::int64_t quick_acknowledgements = 16;  ///< segments of a connection that are acknowledged at once, >= 0
  SimTime first_timeout = SimTime::from_ps(1'000'000'000'000);   ///< until a round trip was measured, > 0
  SimTime least_timeout = SimTime::from_ps(200'000'000'000);     ///< > 0
  SimTime most_timeout = SimTime::from_ps(120'000'000'000'000);  ///< at least first_timeout
  SimTime timer_margin;     ///< with rack: what waits for probes and for reordered segments last longer
  std::int64_t tries = 15;  ///< repetitions without progress; then the connection fails; >= 0
  std::int64_t handshake_tries = 6;  ///< likewise of a SYN

  // Congestion
  enum class Control : std::uint8_t { new_reno, cubic, dctcp };
  Control control = Control::cubic;
  bool ecn = false;  ///< RFC 3168: marks are echoed and count as congestion. DCTCP has it anyway
  bool restart_after_idle = true;  ///< RFC 5681, 4.1
  WindowParameters window;         ///< without its segment, which follows from the network's units
  CubicParameters cubic;
  DctcpParameters dctcp;
  unsigned traffic_class = 0;

  // The kernel and the NIC
  SimTime send_latency;      ///< from the call until the bytes are in the socket's buffer and may leave
  SimTime receive_latency;   ///< from a segment's arrival until TCP has it
  SimTime delivery_latency;  ///< from then on until the program has the message
};

}  // namespace morgana
