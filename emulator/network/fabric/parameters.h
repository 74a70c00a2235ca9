#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/topology/switch_graph.h"

namespace morgana::fabric {

/// What a packet takes on a link, in addition to its payload.
struct PacketFormat {
  Bytes header{0};       ///< headers, check sequences, preamble
  Bytes minimum{1};      ///< a packet on the link is at least this long, its header included
  Bytes gap{0};          ///< a link is busy for this long after each packet
  Bytes largest{4'096};  ///< payload of a packet: the MTU
  /// On the link, the gap not included.
  Bytes on_link(Bytes payload) const {
    const Bytes size = payload + header;
    return size < minimum ? minimum : size;
  }
};

/// What stops a sender whose receiver has no space.
enum class FlowControl : std::uint8_t {
  none,     ///< nothing: input buffers are unlimited, and a full output queue drops packets
  credits,  ///< a packet starts only when the receiver's buffer of its virtual channel has space for all of
            ///< it
  pause,    ///< a receiver whose part of a shared buffer fills asks for pauses: IEEE 802.1Qbb (PFC)
};

/// When the head of a packet may go on.
enum class Forwarding : std::uint8_t {
  virtual_cut_through,  ///< once it is there: Kermani and Kleinrock, Computer Networks 3, 1979
  store_and_forward,    ///< once its tail is there
};

/// Where packets wait inside of a switch.
enum class Queueing : std::uint8_t {
  /// In the input's buffer, one queue for each virtual channel. A packet for a busy output blocks all
  /// packets behind it (head-of-line blocking).
  input_queues,
  virtual_output_queues,  ///< in the input's buffer, one queue for each virtual channel and output
  output_queues,          ///< at the output: the crossbar is never the bottleneck
};

/// Which virtual channel a link sends on next.
enum class LaneArbitration : std::uint8_t {
  round_robin,
  strict,    ///< the lowest group with a packet
  weighted,  ///< two tables of weights: InfiniBand Architecture Specification 1.3, volume 1, section 7.6.9
  /// Traffic classes by weights: Shreedhar and Varghese, "Efficient fair queueing using deficit round robin",
  /// SIGCOMM 1995; those without a weight first, as IEEE 802.1Qaz has strict classes beside others.
  deficit_round_robin,
};

/// Which of several inputs sends to an output next.
enum class InputArbitration : std::uint8_t {
  round_robin,
  oldest,  ///< whose packet was injected first
};

/// Who chooses which packets leave a switch's inputs.
enum class SwitchAllocator : std::uint8_t {
  outputs,  ///< each output chooses among all packets that may go to it, whenever it is free
  /// Inputs choose, then outputs, once in FabricParameters::allocation_cycle: Dally and Towles, "Principles
  /// and Practices of Interconnection Networks", 2004, chapter 19; Becker and Dally, "Allocator
  /// implementations for network-on-chip routers", SC 2009.
  separable_input_first,
};

/// A line of a table of weighted arbitration.
struct LaneWeight {
  unsigned group = 0;   ///< of virtual channels
  unsigned weight = 1;  ///< in units of 64 bytes, 1 .. 255
};

struct LaneTables {
  std::vector<LaneWeight> high, low;
  /// How much the high table may send before the low one gets its chance, in units of 4,096 bytes: 0 is one
  /// packet, 255 no limit.
  unsigned high_limit = 255;
};

/// The memory that a switch has for all its packets: reserves, a pool with a dynamic threshold (Choudhury and
/// Hahne, "Dynamic queue length thresholds for shared-memory packet switches", IEEE/ACM Transactions on
/// Networking 6, 1998), and for pauses headroom. docs/fabric.md, "Shared buffers, pauses, marks".
struct SharedBufferParameters {
  Bytes size{0};     ///< of a switch; 0: none
  double alpha = 1;  ///< an account may have so many times what is free of the pool, more than 0
  Bytes reserve{0};  ///< of each account
  // With pauses
  Bytes headroom{0};  ///< of each account; 0: what its input may get after it has asked for a pause
  Bytes resume{0};    ///< an account's part of the pool must be so much below the threshold to end a pause
  Bytes pause_frame{64};  ///< on the link, > 0
  SimTime pause_delay{};  ///< from a pause frame's arrival until it has its effect
  /// An output's queue that has been paused for so long is given up: its packets are lost, so that a pause
  /// without end does not stop the network. 0: never. Guo et al., "RDMA over Commodity Ethernet at Scale",
  /// SIGCOMM 2016, section 4.3.
  SimTime watchdog{};
  SimTime restore{};  ///< without a pause until a queue that was given up takes packets again
};

/// A host that pauses its switch's port whether it has space or not (a pause storm); section 4.3 there.
struct PauseStorm {
  HostNumber host = 0;
  std::uint32_t classes = 0;  ///< a bit for each traffic class that it pauses
  SimTime from;
  SimTime until = SimTime::max();  ///< it ends then; after `from`
};

/// When a packet is looked at for a mark.
enum class MarkWhen : std::uint8_t { joining, leaving };
/// At which outputs packets are marked though credits hold them back. InfiniBand Architecture Specification
/// 1.3, volume 1, annex A10 (Victim_Mask).
enum class MarkVictims : std::uint8_t { none, to_hosts, all };

/// Marks for congestion (ECN, RFC 3168; FECN of InfiniBand) by the length of a queue: random early detection,
/// a step if from = to.
struct MarkParameters {
  Bytes from{0};     ///< Kmin: no mark up to this
  Bytes to{0};       ///< Kmax: a mark above this; 0: no marks
  double share = 1;  ///< Pmax: of packets at `to`, 0 .. 1
  MarkWhen when = MarkWhen::joining;
  MarkVictims victims = MarkVictims::to_hosts;  ///< with credits
};

/// How late switches learn of the loads of other switches' outputs. Jiang, Kim and Dally, "Indirect adaptive
/// routing on large scale interconnection networks", ISCA 2009, sections 3 and 4: what a source can know of a
/// remote queue has come back with credits, or in broadcasts, and is old by then.
struct LoadNews {
  SimTime delay{};   ///< from the sending of a load until the other switch knows it
  SimTime period{};  ///< loads are sent at multiples of it, each until the next one; 0: continuously
  bool is_late() const { return delay > SimTime() || period > SimTime(); }
  /// When what is seen at `now` was so; nothing before the first news, when outputs seem idle.
  std::optional<SimTime> seen(SimTime now) const;
};

/// What becomes of a packet that finds no space (packet trimming): Handley et al., "Re-architecting
/// datacenter networks and stacks for low latency and high performance" (NDP), SIGCOMM 2017, section 3.1;
/// Ultra Ethernet Specification 1.0, "Packet trimming".
struct TrimParameters {
  /// Which packet is trimmed.
  enum class Which : std::uint8_t {
    arriving,  ///< the one that finds its queue full
    either,    ///< that one or the last of its queue, by chance, half and half: section 3.1 there
  };
  Bytes size{0};               ///< on the link, of a packet that has been cut to its header; 0: none is
  unsigned traffic_class = 0;  ///< in which it goes on
  Which which = Which::arriving;
};

/// A fabric of switches: virtual channels, buffers, flow control, arbitration. docs/fabric.md states the
/// rules of time.
struct FabricParameters {
  PacketFormat packet;
  FlowControl flow_control = FlowControl::credits;
  Forwarding forwarding = Forwarding::virtual_cut_through;
  Queueing queueing = Queueing::virtual_output_queues;
  /// Of a switch: from the arrival of a packet's head (store-and-forward: tail) until it may leave.
  SimTime latency = SimTime::from_ps(100'000);
  /// Between a packet's end in a buffer and the sender's learning of it, in addition to the cable.
  SimTime credit_delay;
  Bytes buffer{32'768};             ///< of each virtual channel at each input of a switch; credits only
  Bytes credit_unit{64};            ///< packets take whole ones of a buffer
  Bytes output_queue{0};            ///< of each group of virtual channels at an output; 0: see docs/fabric.md
  std::int64_t output_packets = 0;  ///< likewise in packets, the one in transmission included; 0: no limit
  unsigned speedup = 1;             ///< of the crossbar in front of output queues with a size, 1 .. 8
  unsigned classes = 1;             ///< traffic classes: each has the routing's virtual channels for itself
  unsigned lanes = 1;               ///< virtual channels of each group: a packet takes the emptiest
  LaneArbitration lane_arbitration = LaneArbitration::round_robin;
  LaneTables tables;  ///< weighted only
  /// By traffic class, deficit_round_robin only: times the size of the largest packet on the link is what a
  /// class may send in a round, up to 255. Classes of weight 0 go before all others, the lowest first.
  std::vector<unsigned> class_weights;
  /// What a class may send in a round of deficit_round_robin.
  Bytes quantum(unsigned traffic_class) const {
    return std::int64_t{class_weights[traffic_class]} * packet.on_link(packet.largest);
  }
  /// Of routings that spread flowlets: a packet that comes so much after the last one of its flow begins one.
  SimTime flowlet_gap = SimTime::from_ps(500'000'000);
  LoadNews loads;  ///< of routings that look at other switches
  InputArbitration input_arbitration = InputArbitration::round_robin;
  SwitchAllocator allocator = SwitchAllocator::outputs;
  SimTime allocation_cycle = SimTime::from_ps(1'000);  ///< of separable_input_first, > 0
  bool allocates_separably() const { return allocator == SwitchAllocator::separable_input_first; }
  SharedBufferParameters shared;
  bool watches() const { return flow_control == FlowControl::pause && shared.watchdog > SimTime(); }
  std::vector<PauseStorm> storms;  ///< with flow_control = pause
  MarkParameters marks;
  TrimParameters trim;
  Bytes host_buffer{65'536};  ///< of each virtual channel at a host
  double bit_error_rate = 0;  ///< of every channel, 0 .. 1
  BitRate ejection{0};        ///< at which a host empties its buffers; 0: at once
  SimTime injection_latency;  ///< of a host: from a unit's handing over until its packet may start
  SimTime delivery_latency;   ///< of a host: from a packet's leaving the buffer until it is delivered
};

}  // namespace morgana::fabric
