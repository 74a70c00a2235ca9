#pragma once

#include <cstdint>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/transport/congestion/cct.h"
#include "emulator/transport/congestion/dcqcn.h"
#include "emulator/transport/congestion/dctcp.h"
#include "emulator/transport/congestion/hpcc.h"
#include "emulator/transport/congestion/swift.h"
#include "emulator/transport/congestion/timely.h"

namespace morgana {

/// Reliable connections of InfiniBand and the NICs that carry them out. ReliableConnections has the rules.
struct RcParameters {
  Bytes path_mtu{4096};    ///< payload of a packet: 256, 512, 1024, 2048 or 4096
  Bytes global_header{0};  ///< GRH 40; of RoCE v2: IPv4 20 and UDP 8
  /// Of RoCE v2: the field by which switches that hash flows distinguish queue pairs.
  enum class UdpSourcePort : std::uint8_t {
    none,       ///< InfiniBand, which has no UDP: packets of two hosts are one flow
    queue_pair  ///< each queue pair has its own (rc::udp_source_port)
  };
  UdpSourcePort udp_source_port = UdpSourcePort::none;
  std::uint32_t first_psn = 0;  ///< of each queue pair, below 2^24

  // Acknowledgements and repetition
  std::int64_t acknowledge_every =
      0;                     ///< packets of a message between two with AckReq; 0: only the last asks
  unsigned timeout = 14;     ///< 4.096 us times 2 to the power of this, up to 31; 0: never
  unsigned retry_count = 7;  ///< retries without progress before the queue pair fails, up to 7
  unsigned rnr_retry = 7;    ///< likewise after RNR NAKs; 7: without end
  SimTime rnr_timer = SimTime::from_ps(640'000'000);  ///< until a packet is repeated after an RNR NAK, > 0
  std::int64_t receives = 0;  ///< receives that each queue pair has posted; 0: always enough
  SimTime repost;             ///< from a message's delivery until its receive is posted again

  /// What becomes of packets that come before earlier ones of their queue pair.
  enum class Early : std::uint8_t {
    by_network,  ///< kept if packets of two hosts may overtake each other even without outages
    refused,     ///< as the specification has it: go-back-N
    kept,        ///< until the earlier ones have come, as NICs for adaptive routing do
    selective    ///< kept, and acknowledged one by one, so that only what is lost is repeated (IRN)
  };
  Early early = Early::by_network;
  /// RTO_low and N of IRN, with Early::selective: `timeout`'s exponent while at most so many packets are
  /// under way that have not been acknowledged one by one. 0: the same as `timeout`.
  unsigned low_timeout = 0;
  std::int64_t low_timeout_packets = 3;

  // What a queue pair may have under way
  std::int64_t outstanding_packets = 1 << 22;   ///< PSNs, 1 .. 2^22
  std::int64_t outstanding_messages = 1 << 22;  ///< > 0
  std::int64_t outstanding_reads = 16;          ///< max_rd_atomic, > 0

  // Congestion, and classes of a network that has several
  enum class Control : std::uint8_t { none, dcqcn, hpcc, swift, timely, cct, dctcp };
  Control control = Control::none;  ///< of the data of each queue pair: its requests and read responses
  DcqcnParameters dcqcn;
  HpccParameters hpcc;
  SwiftParameters swift;
  TimelyParameters timely;
  CctParameters cct;
  DctcpParameters dctcp;
  /// DCTCP: the longest round trip without queues; a window is at most what the line rate carries in it.
  SimTime dctcp_round_trip = SimTime::from_ps(13'000'000);
  /// HPCC: what telemetry takes of each packet that carries it: 2 B, and 8 B for each port.
  Bytes telemetry_header{42};
  unsigned data_class = 0;  ///< of all packets but CNPs
  unsigned cnp_class = 0;   ///< of CNPs

  // The NIC
  Bytes inline_limit{0};       ///< payload up to this is in the work request: not fetched from memory
  SimTime post_latency;        ///< from the posting of a work request until the NIC takes it
  SimTime fetch_latency;       ///< until the first byte of a payload has come from memory
  ByteCost fetch_per_byte;     ///< of a message's first packet, which is fetched before it leaves
  SimTime delivery_latency;    ///< from a packet's arrival until its payload is in memory
  ByteCost delivery_per_byte;  ///< of the packet's payload, in addition
  SimTime
      completion_latency;  ///< from then on until software sees the completion; of an acknowledgement, too
  SimTime message_gap;     ///< between two work requests that a NIC takes
};

}  // namespace morgana
