#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <ostream>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/network/network.h"
#include "emulator/routing/routing.h"
#include "emulator/topology/switch_graph.h"

namespace morgana::testing {

/// A unit to be handed to a fabric; its packet's number is its place in the plan.
struct FabricInjection {
  SimTime at;
  HostNumber from = 0, to = 0;
  Bytes payload;
  unsigned traffic_class = 0;
  bool may_be_trimmed = false;
};

/// A packet's start on a channel.
struct FabricHop {
  CableChannel channel = 0;
  VirtualChannel virtual_channel = 0;  ///< of the channel: group * lanes + lane
  SimTime start;
  auto operator<=>(const FabricHop&) const = default;
};

/// What became of a packet.
struct FabricFate {
  std::vector<FabricHop> hops;  ///< its host's channel first
  std::optional<SimTime> departed, delivered, lost;
  bool marked = false;  ///< when it was delivered
  Trimmed trimmed = Trimmed::no;
  bool operator==(const FabricFate&) const = default;
};

/// What started on a channel.
struct FabricChannelCount {
  std::int64_t packets = 0;
  Bytes bytes;  ///< on the link, without gaps
  bool operator==(const FabricChannelCount&) const = default;
};

/// How often switches looked at a packet whose queue was long enough for a mark.
struct FabricMarkCounts {
  std::uint64_t roots = 0;    ///< it was marked, where no credits held its queue back
  std::uint64_t victims = 0;  ///< it was marked though they did
  std::uint64_t spared = 0;   ///< it was not marked, as they did
  bool operator==(const FabricMarkCounts&) const = default;
};

struct FabricOutcome {
  std::vector<FabricFate> fates;             ///< by injection
  std::vector<FabricChannelCount> channels;  ///< by channel
  /// When nothing more can happen: by channel * V + virtual channel, 0 for a port without a cable. Empty
  /// without credits.
  std::vector<std::int64_t> free_units;
  std::vector<std::uint64_t> pause_frames;  ///< that started, by channel
  /// How often a watchdog gave a queue up, and restored one. Only the reference counts them.
  std::uint64_t given_up = 0, restored = 0;
  FabricMarkCounts marks;  ///< likewise
  bool operator==(const FabricOutcome&) const = default;
};

inline std::ostream& operator<<(std::ostream& out, const FabricFate& fate) {
  for (const FabricHop& hop : fate.hops)
    out << " channel " << hop.channel << " vc " << unsigned{hop.virtual_channel} << " at " << hop.start.ps();
  if (fate.departed) out << " departed " << fate.departed->ps();
  if (fate.delivered) out << " delivered " << fate.delivered->ps();
  if (fate.trimmed != Trimmed::no)
    out << (fate.trimmed == Trimmed::on_the_way ? " trimmed" : " trimmed last");
  if (fate.marked) out << " marked";
  if (fate.lost) out << " lost " << fate.lost->ps();
  return out;
}

}  // namespace morgana::testing
