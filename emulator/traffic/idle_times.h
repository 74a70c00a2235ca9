#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <utility>

#include "emulator/core/event_queue.h"
#include "emulator/network/network.h"
#include "emulator/traffic/network_traffic.h"

namespace morgana {

/// What messages take in a network that carries nothing else: what slowdowns are measured against. A message
/// is cut into packets, which its host hands over together. Times between two hosts follow from three that
/// are measured once: of a packet of one byte, of a full one, and of several full ones. They are linear
/// between: to what a packet takes more on a link than its payload, a message's last one is exact to its
/// part.
class IdleTimes : private UnitListener {
 public:
  /// @param packet  payload of a full one, that the network carries
  IdleTimes(const NetworkUnderTest& network, std::uint64_t seed, Bytes packet);
  /// From a message's generation to the arrival of its last byte, in ns; 0 if it does not arrive.
  double of(std::uint32_t from, std::uint32_t to, Bytes size);

 private:
  struct Pair {
    double least = 0, full = 0, each = 0;  // each: further packet
  };
  double measure(std::uint32_t from, std::uint32_t to, Bytes size, std::uint64_t packets);
  void unit_departed(UnitId, PortId) override {}
  void unit_delivered(UnitId, PortId) override { ++gone_; }
  void unit_lost(UnitId) override {
    ++gone_;
    lost_ = true;
  }

  EventQueue events_;
  std::unique_ptr<Network> network_;
  Bytes packet_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Pair> pairs_;
  std::uint64_t injected_ = 0, gone_ = 0;
  bool lost_ = false;
};

}  // namespace morgana
