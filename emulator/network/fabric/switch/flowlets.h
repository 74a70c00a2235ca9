#pragma once

#include <cstdint>
#include <unordered_map>

#include "emulator/core/time.h"

namespace morgana::fabric {

/// A switch's table of flowlets: bursts of a flow that idle gaps divide. Flows whose hashes name the same of
/// its 65,536 entries are one flow to it. Source: Vanini et al., "Let It Flow: Resilient Asymmetric Load
/// Balancing with Flowlet Switching", USENIX NSDI 2017, section 4; the table's size is CONGA's (Alizadeh et
/// al., SIGCOMM 2014, section 3.4).
class FlowletTable {
 public:
  /// The flowlet of a packet that comes now, a number unlike those of all flowlets before it; 0 is none's.
  /// @param now  never earlier than at the last call. @param gap  a packet that comes so much after the last
  /// one of its entry, or later, begins a flowlet; 0: each does
  std::uint64_t flowlet(std::uint64_t flow, SimTime now, SimTime gap) {
    const std::uint64_t entry = flow * 0x9e3779b97f4a7c15 >> 48;
    const auto [place, added] = entries_.try_emplace(static_cast<std::uint16_t>(entry));
    Entry& one = place->second;
    if (added || now - one.last >= gap) one.flowlet = ++begun_;
    one.last = now;
    return one.flowlet;
  }

 private:
  struct Entry {
    SimTime last;
    std::uint64_t flowlet = 0;
  };
  std::unordered_map<std::uint16_t, Entry> entries_;
  std::uint64_t begun_ = 0;
};

}  // namespace morgana::fabric
