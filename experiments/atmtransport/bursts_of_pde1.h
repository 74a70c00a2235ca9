#pragma once

#include <string>

#include "experiments/laboratory.h"

namespace morgana::atm_transport_paper {

/// One setting of section 5.3.2.
struct BurstSetting {
  std::string platform;  ///< of the protocol
  int load;              ///< rho, in per cent
  int buffer = 200;      ///< of each switch, in cells
  int poll_ms = 500;     ///< T_POLL
  /// A connection is released when a frame has been sent again that often without success. Without this limit
  /// an SSCOP run beyond rho 1 would not end.
  int tries = 50;
  /// Whether the interface works on each cell for the 8.25 us of the validation, in addition to Table 5.3's
  /// costs.
  bool controller = false;
  bool occupying = false;  ///< whether a host works on one frame at a time, instead of pipelined
  std::string drop = {};   ///< what switches do when they are full: "ppd", "epd"; empty: drop the cell
};

/// PDE1's bursts, scripted: four tasks, two at each of two switches, in a ring, compute for 20 ms and send
/// 8192 bytes each to the next, eight times over.
inline const char* const workload = "pde1 bursts";
/// As workload, but each task computes and sends 64 times over.
inline const char* const long_workload = "pde1 bursts, long";
inline const char* const one_message = "one message";  ///< of 8192 bytes, between two hosts

/// One source at each switch, ON for 87 % of the time and 0.435 ms on average, 10 Mb/s while OFF, copied to
/// each output with probability 0.5.
Condition loaded(const BurstSetting& point);
Condition silent(const std::string& platform);

/// Figures: those of every run, total_s, latency_s, loss (share of the program's cells), background_loss,
/// late (share of messages that take half a T_POLL or more: they wait for a POLL). A run whose messages come
/// back ended "unstable".
RunOutcome play_ring(const Platform& platform, std::uint64_t seed, int rounds);
RunOutcome play_one_message(const Platform& platform, std::uint64_t seed);

}  // namespace morgana::atm_transport_paper
