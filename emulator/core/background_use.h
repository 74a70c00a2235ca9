#pragma once

#include <cstdint>

#include "emulator/core/host_use.h"
#include "emulator/core/time.h"

namespace morgana {

/// What hosts have sent beside a program until it ended.
struct BackgroundUse {
  double load = 0;              ///< share of the rate of each sending host's cable that was to be offered
  std::uint64_t hosts = 0;      ///< that send
  Traffic offered;              ///< handed to the sending hosts' NICs
  std::uint64_t held_back = 0;  ///< messages that came while a host had as many under way as it may
  Traffic delivered;            ///< the rest was lost, or was still under way
  std::uint64_t lost = 0;       ///< messages, those that a transport gave back included
  SimTime mean_latency;         ///< of those delivered, from the offer; 0 if there were none
};

}  // namespace morgana
