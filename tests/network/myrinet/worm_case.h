#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <vector>

#include "emulator/core/time.h"
#include "tests/support/plan.h"

namespace morgana::testing {

/// Switches, cables between them, and hosts, as plain data. Every cable is two channels, numbered: trunk i
/// has 2i from a to b and 2i + 1 from b to a; then host h has 2h towards its switch and 2h + 1 from it.
struct WormGraph {
  struct At {
    std::uint32_t number, port;  // of the switch
  };
  struct Trunk {
    At a, b;
  };
  std::vector<std::uint32_t> ports;  // of each switch
  std::vector<Trunk> trunks;
  std::vector<At> hosts;

  std::uint32_t from_host(std::size_t host) const {
    return static_cast<std::uint32_t>(2 * (trunks.size() + host));
  }
  std::uint32_t to_host(std::size_t host) const { return from_host(host) + 1; }
  std::size_t channels() const { return 2 * (trunks.size() + hosts.size()); }
};

/// Defaults: 160 MB/s and 10 m of cable (Flich, Lopez, Malumbres and Duato, "Boosting the Performance of
/// Myrinet Networks", 2002), but the delay of host memory, which the paper does not give.
struct WormParameters {
  SimTime flit = SimTime::from_ps(6'250);
  SimTime cable = SimTime::from_ps(49'200);
  SimTime control = SimTime::from_ps(49'200);  // from a threshold's crossing to the sender
  SimTime routing = SimTime::from_ps(150'000);
  std::int64_t buffer = 80, stop_above = 56, go_below = 40;  // flits
  bool one_routing_unit = false;  // reading C: a switch routes one header at a time; else one per output
  std::uint32_t type_bytes = 1;
  SimTime detection = SimTime::from_ps(275'000);
  SimTime programming = SimTime::from_ps(200'000);
  /// In place of detection and programming: from the arrival of the first four bytes on, times 0, 1, 2, 3, 0,
  /// .. for the packets that an interface has room for, as they come.
  std::optional<SimTime> program;
  std::int64_t pool = 512 * 1024;        // bytes
  bool overflow_to_host_memory = false;  // else what does not fit is discarded
  SimTime host_memory_delay = SimTime::from_ps(10'000'000);
  std::size_t priority_threshold = 8;
  std::optional<SimTime> deadlock_timeout = SimTime::from_ps(50'000'000'000);
};

/// A packet; its id is its place in the plan.
struct PlannedWorm {
  static constexpr std::uint32_t anywhere = ~std::uint32_t{0};  // as `to`: whatever host its route leads to

  SimTime at;
  std::uint32_t from, to;
  std::uint32_t bytes;
  /// For each switch a byte; all legs but the last end in transit. Below 128 it is the output port; 191 is
  /// the port by which the packet came, 192 the next higher one, and so on.
  std::vector<std::vector<std::uint32_t>> legs;
};
constexpr std::uint32_t straight_back = 191;

struct Corruption {
  std::size_t worm;
  std::uint32_t channel;
};
struct ChannelDeath {
  SimTime at;
  std::uint32_t channel;
};

/// A host's interface says stop or go to its switch.
struct InterfaceStop {
  SimTime at;
  std::uint32_t host;
  bool stop;
};

/// Everything that a model is given.
struct WormCase {
  WormGraph graph;
  WormParameters parameters;
  std::vector<PlannedWorm> plan;  // sorted by time
  std::vector<Corruption> corruptions;
  std::vector<ChannelDeath> deaths;
  std::vector<InterfaceStop> stops = {};  // sorted by time; each is followed by a go
};

enum class WormLoss {
  none,
  corrupted,
  dead_channel,
  deadlock,
  no_such_port,
  route_used_up,
  route_left_over,
  wrong_host,
  pool_overflow
};

struct WormFate {
  Fate times;
  WormLoss why = WormLoss::none;
  bool operator==(const WormFate&) const = default;
};
inline std::ostream& operator<<(std::ostream& out, const WormFate& fate) {
  return out << fate.times << " why " << static_cast<int>(fate.why);
}

struct ChannelCounts {
  std::uint64_t flits = 0;
  SimTime stopped;
  bool operator==(const ChannelCounts&) const = default;
};

struct PoolCounts {
  std::uint64_t in_transit = 0, overflows = 0;
  std::int64_t most_packets = 0, most_bytes = 0;
  SimTime packet_time;  // in the pool, added up
  bool operator==(const PoolCounts&) const = default;
};

/// What a program at an interface is told.
struct InterfaceNote {
  enum class What { early, early_in_transit, early_no_room, received, departed };
  SimTime at;
  What what;
  auto operator<=>(const InterfaceNote&) const = default;
};
inline std::ostream& operator<<(std::ostream& out, const InterfaceNote& note) {
  return out << static_cast<int>(note.what) << " at " << note.at.ps();
}

/// Everything that a model tells.
struct WormResults {
  std::vector<WormFate> fates;
  std::vector<std::uint32_t> delivered_to;  // by packet: the host, `anywhere` if lost
  std::vector<ChannelCounts> channels;
  std::vector<PoolCounts> pools;                  // of each host
  std::vector<std::vector<InterfaceNote>> notes;  // of each host, if programs run; sorted
};

}  // namespace morgana::testing
