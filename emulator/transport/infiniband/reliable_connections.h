#pragma once

#include <tsl/robin_map.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/host/pcie_bus.h"
#include "emulator/network/network.h"
#include "emulator/transport/channel_ends.h"
#include "emulator/transport/infiniband/counters.h"
#include "emulator/transport/infiniband/parameters.h"
#include "emulator/transport/infiniband/queue_pair.h"
#include "emulator/transport/infiniband/shared.h"
#include "emulator/transport/transport.h"

namespace morgana {

/// Reliable connections (RC) of InfiniBand: sends, RDMA writes and RDMA reads between queue pairs over a
/// network that may lose packets. Host n is at port n.
///
/// The rules in full:
///
/// Queue pairs. Two processes have a queue pair each, connected to the other one (Shipment::channel names
/// the two processes); a queue pair belongs to one process, and messages are ordered within it. It sends
/// requests as a requester and answers those of the other as a responder. The two directions have PSNs of
/// their own.
///
/// Packets. A message of n bytes has max(1, ceil(n / path_mtu)) packets with consecutive PSNs. A read is
/// one request packet, which takes the PSNs of its responses. A packet hands the network BTH 12 B, ICRC 4
/// B, the global header, the payload, padded to a multiple of 4 B, and
///   - RETH 16 B: the first packet of a write, and a read request,
///   - ImmDt 4 B: the last packet of a write with immediate data,
///   - AETH 4 B: acknowledgements, NAKs, the first and the last read response.
/// The network adds what its link layer needs (LRH 8 B, VCRC 2 B). PSNs have 24 bits: of two, the one that
/// is less than 2^23 ahead is the later one.
///
/// Work requests. A message of more than 2^30 bytes is several work requests of at most 2^30, of which the
/// last one reports. The NIC takes a work request that is posted at time t at e = max(t + post_latency, its
/// last e + message_gap), in the order of posting. The work request is ready at e if it is a read or has at
/// most inline_limit bytes, otherwise at e + fetch_latency + fetch_per_byte for its bytes or path_mtu,
/// whichever is less; and not before the one in front of it in its queue pair. With PcieParameters'
/// work_request it is written over the host's bus at t, and e is later by so much as that takes longer than
/// alone: 16 B, of writes and reads 16 B more, then 4 B and the payload if it is not fetched, else 16 B.
///
/// Port. A NIC sends one packet at a time; the next one may go when that has departed. A requester lines up
/// at the end of its port's line, unless it stands there, when it may send and has no packet in the port; a
/// responder likewise. Each turn is one packet. Who may not send when it is its turn loses the turn. When a
/// packet has departed its requester or responder lines up again first, then the port serves its line.
///
/// Bus. With limits of PCIe (PcieParameters) the first packet in a port's line whose payload is fetched - a
/// request of a send or write of more than inline_limit bytes, a read response - waits, and all behind it do,
/// until the host's bus admits a read (PcieBus); its payload is read when it goes. The payload of a packet
/// that is accepted is written when it arrives, and is in memory by so much later as the bus takes longer
/// than alone. An accepted packet that takes a receive reads that over the bus when it arrives, before it is
/// written itself; a receive completes with the last packet of a send or a write with immediate data.
/// Without limits, and where nothing waits, times are those of fetch and delivery below alone, but that the
/// read of a receive and the write of its message share the way to the host.
///
/// Requester. It sends the packet `next` if the packet's work request is ready, fewer than
/// outstanding_packets PSNs lie from the oldest unacknowledged one to `next`, fewer than
/// outstanding_messages work requests before its own are incomplete, and, for a read, fewer than
/// outstanding_reads reads before it are incomplete. A packet of a send or write asks for an
/// acknowledgement (AckReq) if it is the last one of its work request, if its number in that, from 1, is a
/// multiple of acknowledge_every, or if after it no further packet fits into outstanding_packets.
///   - A message has departed when its last packet (of a read: the request) has left the port for the first
///     time.
///   - The timeout runs while something is unacknowledged that was sent, unless the requester may send, has
///     a packet in the port, or waits after an RNR NAK. It starts anew when a packet has departed and when
///     something new is acknowledged. When it runs out, that is a retry.
///   - Retry: the next packet to be sent is the oldest one that is not acknowledged. In the middle of a
///     read this is a read request for the rest. More than retry_count retries with nothing new
///     acknowledged in between fail the queue pair.
///   - An acknowledgement of PSN p acknowledges all up to p, a NAK of p all before p, a read response with
///     PSN p all up to p. But nothing from the first missing response of a read on is acknowledged by
///     anything but that response. If something later than it comes (for a NAK: something that acknowledges
///     it), that is an implied NAK: all before the missing response is acknowledged, then there is a retry,
///     once for each missing PSN.
///   - A NAK for a sequence error of the oldest PSN is a retry, after all before it is acknowledged. After
///     an RNR NAK likewise, but the requester sends no request for rnr_timer, and rnr_retry counts (7:
///     without end). RNR NAKs that come while it waits are ignored.
///   - What acknowledges nothing new is otherwise ignored, NAKs of PSNs that are acknowledged, too.
///
/// Responder. A request packet with the expected PSN is accepted. One that is ahead is dropped, with a NAK
/// for a sequence error of the expected PSN, unless a NAK of either kind was sent since the last accepted
/// packet. One that is behind is a duplicate: a read is answered again, another one is acknowledged again
/// (up to the last accepted PSN) if it asks.
///   - The first packet of a send and the last one of a write with immediate data take a receive. If none
///     of `receives` is posted, the packet is dropped with an RNR NAK. A receive is posted again `repost`
///     after its message's delivery, and is there from that instant on.
///   - An acknowledgement is owed for an accepted packet that asks. If the last thing that the responder
///     owes is an acknowledgement, it is replaced by the new one: acknowledgements that wait at the port
///     are coalesced.
///   - A read's responses are ready fetch_latency after the request has come. What is owed is sent in
///     order.
///
/// Early packets. Where they are kept (RcParameters::early) a responder keeps a request that is ahead, one
/// for each PSN, and deals with it right after it has accepted all before it; if one before it is answered by
/// an RNR NAK, all that it keeps are dropped. A requester keeps what would be an implied NAK, and deals with
/// it right after the missing response has come. So there are no NAKs for sequence errors, and what is lost
/// is repeated after the timeout.
///
/// Selective repeat (Early::selective), the loss recovery of IRN: early packets are kept as above, and
///   - A responder answers each early request, unless it has sent an RNR NAK since it accepted one last, with
///     a NAK of the expected PSN (the cumulative acknowledgement) that also carries the early one's (the
///     selective one; 4 B). A packet that lets kept ones in is acknowledged with the last of these, if any
///     asks.
///   - Requests before the latest that is selectively acknowledged are lost unless they are acknowledged,
///     too. So are read responses before the latest answer that has come: answers leave in order.
///   - Loss recovery begins with the first loss or a timeout, which is a retry, and ends when all that was
///     sent before is acknowledged. What is lost is repeated once, in order and before anything new, and
///     asks. Of a hole in the responses of a read just these are requested.
///   - If a NAK or a timeout began it, an acknowledgement that goes on to a request which was sent before
///     without having been found lost says that this is (the partial acknowledgement of NewReno).
///   - A timeout repeats the oldest unacknowledged packet, and again what is known to be lost. An RNR NAK
///     ends recovery: all is sent again from its PSN on.
///   - With a low_timeout (RTO_low) the timeout runs to that. If then more than low_timeout_packets packets
///     are neither acknowledged nor selectively acknowledged, it runs on to timeout (RTO_high).
///
/// Classes. CNPs are of the class cnp_class, all other packets of data_class: they stay in order. If the two
/// differ, a port has a line for each, and one packet of each may be under way in it. A queue pair whose
/// messages name another class (Shipment::traffic_class) has that in place of data_class; all such queue
/// pairs have a third line.
///
/// Congestion control. The data of a queue pair, its flow, are its requests and the read responses that it
/// sends. They keep the pace that a CongestionControl of their own says; it gets reports of all their packets
/// when the port hands them to the network. A packet that would be sent but for the pace waits for it: its
/// queue pair lines up when it may send. As long as that alone keeps a requester, its timeout does not run.
/// Requests and read responses of one queue pair that wait for the pace take turns. With DCQCN and CCT a host
/// that receives a marked request or read response owes the sender a CNP (BTH, ICRC, global header and 16 B),
/// unless it has come to owe one to this queue pair less than cnp_interval ago (CCT: 0). It lines up for it
/// at once, as often as it owes one and none waits in the line.
///
/// Windows. With HPCC, Swift and DCTCP a flow also has a window, in bytes on the link without RETH, ImmDt and
/// AETH. TIMELY's has no end, and learns from the same reports. All its packets but read requests count:
/// those sent after the newest packet that was reported are under way. A packet may start if nothing is under
/// way, or if what is under way and a full packet fit into the window.
///   - Every packet of a send or write asks for an acknowledgement. Acknowledgements and NAKs report the
///     newest packet of the flow that has come, in the order of sending; for each read response that comes
///     its requester lines up for a feedback packet, of an acknowledgement's size and class, that does
///     nothing else. One such packet waits in the line at most.
///   - A report that is news goes to the congestion control, with the time for which the receiver held it,
///     and with the bytes of the flow that have come marked since the last such report. A retry, and a read
///     request that comes again, end what is under way: it counts as reported.
///   - The timeout runs while the window keeps the requester or the read responses of its queue pair, too. If
///     it runs out with nothing unacknowledged, that is no retry, and what is under way counts as reported.
///   - With HPCC all these packets carry telemetry_header more bytes, after the pad. The data packets ask the
///     network for telemetry, for as many ports as have space; the reports carry the newest packet's back.
///
/// Delivery. The payload of a packet that is accepted is in memory delivery_latency + delivery_per_byte for
/// its bytes later, and not before what its responder accepted before. A write is delivered when its last
/// packet is in memory, a send or a write with immediate data completion_latency later. A read response is in
/// memory after the same time, and not before its requester's earlier responses; a read is delivered
/// completion_latency after its last response is. A message that completes does so completion_latency after
/// its acknowledgement, and not before it is delivered.
///
/// Failure. A queue pair that has failed sends nothing and drops all that comes; requests that it has under
/// way are dropped where they arrive, so that no message is both returned and delivered. Its messages that
/// the other side has not accepted wholly are returned (and those that complete, not before they are
/// delivered), and so are all that are sent later. The other queue pair learns of it when its own retries
/// have failed.
///
/// Source: InfiniBand Architecture Specification, volume 1, release 1.3, chapters 5 (headers), 9.7
/// (reliable service: PSNs, acknowledgements, NAKs, retry and RNR counters, timeouts) and 10.3 (states of
/// queue pairs). Chosen by us, where it leaves a choice: a timeout takes exactly 4.096 us * 2^timeout (the
/// specification allows up to four times that), which packets ask for an acknowledgement, the order of
/// turns at a port. Selective repeat: Mittal et al., Revisiting Network Support for RDMA, SIGCOMM 2018,
/// section 3.1, without its bound on packets under way (outstanding_packets is one); chosen by us, as it
/// leaves it open: partial acknowledgements (RFC 6582, section 3.2), and read requests for what is missing in
/// place of its NAKs of read responses.
class ReliableConnections : public Transport, private UnitListener, private EventHandler {
 public:
  /// The network reports to this transport from now on, and must outlive it.
  /// @throws Error if a packet does not fit into the network's units, or a parameter is out of range
  ReliableConnections(EventQueue& events, Network& network, std::size_t hosts, const RcParameters& parameters,
                      const PcieParameters& pcie = {});
  void send(const Shipment& shipment) override;
  bool remote_memory() const override { return true; }
  bool connects_processes() const override { return true; }
  Bytes inline_limit() const override { return shared_.rules->inline_limit; }
  Bytes unit_header() const override;
  TransportGuarantees guarantees() const override;
  SimTime timer_wait() const override { return timer_wait_; }
  std::string how_lost() const override { return shared_.how_lost; }
  std::string remedy() const override;
  std::vector<CounterTable> counted() const override;
  const RcCounters& counters() const { return shared_.counters; }

  /// Of a packet with RETH and ImmDt and a whole payload: what the network must carry.
  static Bytes largest_packet(const RcParameters& parameters) {
    return rc::Rules::largest_packet(parameters);
  }

 private:
  rc::QueuePair& queue_pair_of(const Shipment& shipment);
  void tell(const rc::Notice& notice);
  void tell_what_is_due();
  void unit_departed(UnitId id, PortId from) override;
  void unit_delivered(UnitId id, PortId to) override;
  void unit_lost(UnitId id) override;
  void handle(std::uint64_t what) override;

  rc::Shared shared_;
  std::deque<rc::QueuePair> pairs_;  // by number; a deque: listeners may add to it while an element is in use
  /// The queue pair at the lower one of two hosts.
  tsl::robin_map<ChannelEnds, rc::QueuePairId, ChannelEndsHash> number_;  // never iterated
  SimTime timer_wait_;  // of the message whose report is being delivered
};

}  // namespace morgana
