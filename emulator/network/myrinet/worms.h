#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>

#include "emulator/network/myrinet/routes/route.h"
#include "emulator/network/network.h"
#include "emulator/topology/switch_graph.h"

/// The inner state of MyrinetNetwork. Packets, channels, hosts and switches lie in vectors and name each
/// other by their places.
namespace morgana::myrinet {

using Index = std::uint32_t;
using Time = std::int64_t;   ///< in picoseconds
using Count = std::int64_t;  ///< of flits; on a channel they are numbered from 0 as they are started

constexpr Index none = std::numeric_limits<Index>::max();
constexpr Time never = std::numeric_limits<Time>::max();
constexpr Time long_ago = std::numeric_limits<Time>::min();

/// Why a unit was lost.
enum class UnitLoss : std::uint8_t {
  deadlock,         ///< its header waited for an output, or it was stopped at one, for the deadlock timeout
  no_such_port,     ///< its route names a port that the switch has not, or at which there is nothing
  route_used_up,    ///< its route ends at a switch, or an in-transit mark stands before one
  route_left_over,  ///< it comes to a host with a part of its route
  wrong_host,       ///< its route leads to a host that it isn't for
  corrupted,
  dead_channel,   ///< it was crossing a channel that failed, or was led to one
  pool_overflow,  ///< an in-transit host had no space for it
};
constexpr std::size_t loss_kinds = 8;

struct LossPlace {
  UnitLoss why = UnitLoss::corrupted;
  Index channel = none;  ///< the failed one; else the one whose receiver lost it or cut it off
};

struct Packet {
  Unit unit{};
  const RouteByte* header = nullptr;
  std::uint32_t header_length = 0;
  Index next = none;         ///< in the local queue of its source, or among free slots
  Count total = 0;           ///< flits that leave the source
  std::uint32_t pieces = 0;  ///< passages of it
  bool departed = false;
  bool settled = false;  ///< its fate has been reported
  bool corrupted = false;
  Index died_on = none;                            ///< the first failed channel that it met
  Index stalled_from = none;                       ///< the channel whose receiver first broke its connection
  std::optional<LossPlace> lost_before_departure;  ///< to be reported then
};

/// A packet on one channel, from the grant at the sender's end until its last flit has left the receiver's.
struct Passage {
  Index packet = none;
  Index next = none;  ///< behind it on the channel; or in a queue of in-transit packets; or among free slots
  Count first = 0;    ///< number of its first flit on the channel
  Count length = 0;   ///< in flits, on this channel
  Index channel = none;        ///< at hosts: by which it came
  std::uint32_t position = 0;  ///< bytes of the header used up before this channel
  Time mark_at = never;        ///< the in-transit mark's arrival, while it is ahead
  Time all_arrived = never;    ///< at hosts: last arrival + flit, once known
  Time ready = never;          ///< may be sent on; in transit only
  Time early_at = never;    ///< at hosts: its first four bytes' arrival, as predicted; long_ago once reported
  std::uint64_t order = 0;  ///< of the mark's arrival
  bool silent = false;      ///< what is left of a packet whose foremost piece has its fate
  bool bad_tail = false;    ///< ends in one
  UnitLoss cut_by = UnitLoss::dead_channel;  ///< why, if so: that or deadlock
  bool in_transit = false;                   ///< its mark has been received
  bool in_pool = false;
  bool in_host_memory = false;  ///< or will be, once it has all come
};

enum class Input : std::uint8_t { idle, waiting, routing, sending };

/// One direction of a cable: its sender, the cable and the buffer at the receiver's end. There is also one
/// for each switch input's *sink*, which has only a sender and takes the packets that can't go anywhere.
///
/// The sender starts flits in runs, one flit time apart. A run's end is planned: the packet's last flit, or
/// the first flit that the feeding channel is not known to bring in time.
struct Channel {
  // The sender.
  Time run_start = 0;
  Count run_first = 0,
        run_end = 0;     ///< flits of the run; run_end is also the next flit while none is running
  Time clear_at = 0;     ///< when the cable is clear of the last flit of the last run
  Count shift = 0;       ///< a flit's number on the feeding channel minus that here
  Index current = none;  ///< the passage being sent; none until routing has ended
  Index source = none;   ///< what it is on the feeding channel
  Index feed = none;     ///< the channel whose buffer it comes from; none for a host's own packets
  Time granted_at = long_ago;
  Time stalled_since = 0;  ///< of a switch's output that is stopped and has a packet: since when both
  bool running = false;
  bool stopped = false;
  bool dead = false;
  RouteByte last_granted = 0, granted_before = 0;

  // The receiver.
  bool to_host = false;
  bool stop_sent = false;
  Input input = Input::idle;
  RouteByte port = 0;
  Index at = none;                  ///< the switch or host
  Index front = none, back = none;  ///< passages, in their order; of a switch's input
  Index out = none;                 ///< the channel that this one feeds
  Index wanted = none;              ///< the output that its front waits for
  Time requested_at = never;
  Time check_at = never;  ///< of the next look at the thresholds

  // Statistics.
  Time dead_since = never;
  Count carried_in_life = 0;  ///< of a failed channel
  Time stopped_since = 0;
  Time stopped_for = 0;
};

/// A run of flits as it was started, kept for what is still on its way.
struct Run {
  Time start;
  Count first, end;
};

}  // namespace morgana::myrinet
