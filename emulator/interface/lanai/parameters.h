#pragma once

#include "emulator/core/time.h"
#include "emulator/core/units.h"

namespace morgana {

/// A NIC with a processor of its own, whatever its program. The defaults are those of Myricom's
/// M2L-PCI64A on a PCI bus of 32 bits at 33 MHz; docs/experiments.md says where each comes from.
struct LanaiParameters {
  SimTime cycle = SimTime::from_ps(15'152);         ///< of the processor, 66 MHz; > 0
  SimTime bus_latency = SimTime::from_ps(780'000);  ///< of a transfer over the host's bus, >= 0
  BitRate bus_rate{1'056'000'000};                  ///< 132 MB/s
  /// Of transfers towards the host, where a bus is asymmetric; 0: bus_rate.
  BitRate bus_rate_to_host{0};
  BitRate rate_to_host() const { return bus_rate_to_host > BitRate(0) ? bus_rate_to_host : bus_rate; }

  /// @throws Error naming what is out of range
  void check() const;
};

}  // namespace morgana
