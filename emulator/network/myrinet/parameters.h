#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "emulator/core/time.h"
#include "emulator/core/units.h"

namespace morgana {

/// What a switch's 150 ns of routing occupy.
enum class RoutingUnit : std::uint8_t {
  each_output,  ///< the granted output port: several headers are routed at once
  each_switch,  ///< the switch's only routing unit: one header at a time, those for busy outputs wait outside
};

/// What becomes of an in-transit packet that finds the NIC's pool full.
enum class PoolOverflow : std::uint8_t {
  discard,      ///< it is received and thrown away
  host_memory,  ///< it goes through the host's memory: sent on only after all of it has come
};

/// Times and sizes of a Myrinet network. Source: Flich, López, Malumbres and Duato, "Boosting the Performance
/// of Myrinet Networks", 2002, section 5 (links of 160 MB/s, 10 m of cable at 4.92 ns/m, first flit through a
/// switch in 150 ns, slack buffers of 80 with stop at 56 and go at 40, detection of an in-transit packet in
/// 275 ns and programming of its DMA in 200 ns, 512 KB for such packets).
struct MyrinetParameters {
  SimTime flit = SimTime::from_ps(6'250);      ///< a byte on a link, >= 1 ps
  SimTime cable = SimTime::from_ps(49'200);    ///< along every cable, >= 1 ps
  SimTime control = SimTime::from_ps(49'200);  ///< of a stop or go to the sender, >= 1 ps
  SimTime routing =
      SimTime::from_ps(150'000);  ///< from the grant of an output to the first flit there, >= 1 ps
  RoutingUnit routing_unit = RoutingUnit::each_output;

  std::int64_t slack = 80;       ///< flits that the buffer of a switch's input holds
  std::int64_t stop_above = 56;  ///< with more in it, a stop goes to the sender
  std::int64_t go_below = 40;    ///< with fewer, a go; 1 .. stop_above + 1

  std::int64_t type_bytes = 1;  ///< of a packet's type, between route and payload, >= 1; the CRC has one byte

  SimTime detection = SimTime::from_ps(275'000);        ///< of an in-transit packet, from its mark's arrival
  SimTime dma_programming = SimTime::from_ps(200'000);  ///< then the packet may be sent on
  /// As many local packets waiting make them equal to in-transit ones, >= 0. With fewer, a local one goes
  /// once the numbers that waited while in-transit ones went add up to this: the more wait, the sooner.
  std::int64_t priority_threshold = 8;
  Bytes pool{512 * 1024};  ///< for in-transit packets, at each NIC
  PoolOverflow overflow = PoolOverflow::discard;
  SimTime host_memory_delay =
      SimTime::from_ps(10'000'000);  ///< after the last byte, if it overflows to there

  double corruption = 0;  ///< probability that a packet is corrupted on a channel that it crosses, 0 .. 1
  /// A header that waits this long for its output is dropped with its packet, and a packet that is stopped
  /// this long at a switch's output is cut off there; 0: never.
  SimTime deadlock_timeout = SimTime::from_ps(50'000'000'000);

  /// What is out of range, and which member to fix. Slack buffers must not overflow: from the flit that
  /// brings a buffer above stop_above until the stop works, one cable and one control delay of flits still
  /// come.
  struct Problem {
    std::string member;
    std::string what;
  };
  std::optional<Problem> problem() const;
  /// @throws Error with the problem, if there is one
  void check() const;
};

}  // namespace morgana
