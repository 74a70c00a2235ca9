#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/network/endpoints.h"

namespace morgana::am2 {

using PeerNumber = std::uint32_t;
using EndpointNumber = std::uint32_t;

/// Where an endpoint is. It is unloaded to the host's memory when all of its packets have an ACK or a NACK
/// for their latest copy, and takes nothing in from the moment on at which that was asked for.
enum class Residency : std::uint8_t { resident, unloading, absent, loading };

/// What a program has written into an endpoint's send queue, of which `taken` bytes are in packets already.
struct Posted {
  std::uint32_t message = 0;
  Bytes bytes, taken;
  Ends ends{};
  std::uint64_t order = 0;  ///< among all that the endpoint has; what was taken back goes first
  bool again = false;       ///< a packet that was refused, and that an unloaded endpoint has taken back
};

/// An endpoint of the interface's host, resident in a frame or not. Its send queues are one here, in the
/// order of the program's writes; what finds no free channel to its peer is passed over.
struct Endpoint {
  struct ToPeer {
    std::deque<Posted> posted;
    std::optional<std::uint64_t> listed;  ///< the first one's order in `sendable`
  };

  /// A peer's first message, with a free channel.
  struct Sendable {
    std::uint64_t order = 0;
    PeerNumber peer = 0;
    ToPeer* queue = nullptr;  ///< of the peer, in `queues`
    bool operator<(const Sendable& other) const {
      return order != other.order ? order < other.order : peer < other.peer;
    }
  };

  EndpointId id{};
  EndpointNumber number = 0;
  Residency residency = Residency::absent;
  // Sending.
  std::unordered_map<PeerNumber, ToPeer> queues;  ///< never iterated
  std::set<Sendable> sendable;
  std::int64_t waiting = 0;             ///< messages and packets in `queues`
  std::uint64_t posts = 0;              ///< so far
  bool in_line = false;                 ///< for the round robin
  std::int64_t outstanding = 0;         ///< channels that its packets hold
  std::int64_t copies = 0;              ///< of its packets, on their way to the network
  std::vector<std::uint32_t> faulting;  ///< messages whose writers are suspended
  // Receiving, in the queues of requests and of replies.
  std::array<std::int64_t, 2> entries{};
  std::int64_t arriving = 0;  ///< accepted, and not in the host's memory yet
  // Its frame.
  std::uint64_t last_use = 0;
  SimTime stays_until;  ///< but for interface.am2.evict-every
  bool moved = false;   ///< a message, since it was loaded
  bool wanted = false;  ///< while it is unloaded
  bool faults = false;  ///< stands in the segment driver's line for a frame
};

}  // namespace morgana::am2
