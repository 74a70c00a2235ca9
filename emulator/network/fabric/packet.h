#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/core/pool.h"
#include "emulator/network/fabric/parameters.h"
#include "emulator/network/network.h"
#include "emulator/network/telemetry.h"
#include "emulator/routing/routing.h"

namespace morgana::fabric {

/// Why a packet was lost.
enum class Loss : std::uint8_t {
  no_way,      ///< no path leads to its destination
  queue_full,  ///< its output queue, or its share of the shared buffer
  cable_down,  ///< the cable that it waited for has failed
  corrupt,     ///< a bit error, or a cable that failed while it was crossing
  given_up,    ///< a watchdog has given up the paused queue that it was in, or should join
};

/// Whether a packet of this number is corrupted on a channel. The probability is that of at least one bit
/// error.
/// @param bit_error_rate  0 to 1
/// @param size  of the packet on the link
bool has_bit_error(double bit_error_rate, Bytes size, std::uint64_t number, CableChannel channel);

/// Whether a packet of this number is marked on a channel.
/// @param queued  the other bytes in the queue that it goes through
bool is_marked(const MarkParameters& marks, Bytes queued, std::uint64_t number, CableChannel channel);

/// Whether a packet of this number that finds a channel's queue full stays whole, and the last packet of the
/// queue is trimmed, with TrimParameters::Which::either: in half of all cases.
bool trims_last(std::uint64_t number, CableChannel channel);

/// A packet in the network, by its slot in the pool.
struct alignas(64) Packet {
  // What every switch looks at: a cache line.
  /// What sends it on may not end before this: its tail has come then.
  SimTime tail_ready;
  Bytes size;                ///< on a link
  std::uint64_t number = 0;  ///< in the order of injection
  PortId from{}, to{};
  std::uint32_t entropy = 0;
  std::uint32_t units = 0;   ///< of credit, at every buffer
  CableChannel came_by = 0;  ///< the channel it was sent on last
  RoutingNote note = 0;
  std::uint32_t next = 0;      ///< in its queue
  PortNumber input = 0;        ///< of the switch it is at
  PortNumber output = 0;       ///< likewise, once routed
  std::uint16_t tables = 0;    ///< SwitchTables, by which it is routed
  VirtualChannel came_on = 0;  ///< the virtual channel of came_by
  std::uint8_t group = 0;      ///< of virtual channels: for the channel it waits for
  std::uint8_t traffic_class = 0;
  std::uint8_t hops = 0;  ///< switches that it has left
  std::uint8_t telemetry_ports = 0;
  bool corrupt : 1 = false;
  bool has_way : 1 = true;  ///< from the switch it is at or on its way to

  // The rest.
  UnitId id{};
  SimTime ready;              ///< to leave its host
  std::uint32_t records = 0;  ///< slot of its telemetry, if it has space for any
  Loss why = Loss::no_way;    ///< of a lost packet
  bool may_be_trimmed = false;
  Trimmed trimmed = Trimmed::no;
  bool marked = false;
};

/// The telemetry of the packets that have space for it.
using TelemetryRecords = Pool<std::vector<PortTelemetry>>;

static_assert(offsetof(Packet, id) == 64);

using Packets = Pool<Packet>;
using Slot = Packets::Slot;
inline constexpr Slot no_packet = ~Slot{0};

/// A queue of packets, linked through Packet::next.
struct PacketQueue {
  Slot first = no_packet, last = no_packet;
  bool empty() const { return first == no_packet; }
  void push(Packets& packets, Slot packet) {
    packets[packet].next = no_packet;
    if (empty())
      first = packet;
    else
      packets[last].next = packet;
    last = packet;
  }
  /// @param before  the packet in front of the last one, if there are two or more
  void replace_last(Packets& packets, Slot before, Slot packet) {
    packets[packet].next = no_packet;
    (first == last ? first : packets[before].next) = packet;
    last = packet;
  }
  void pop(const Packets& packets) { first = packets[first].next; }
};

}  // namespace morgana::fabric
