#pragma once

#include <tsl/robin_map.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/core/pool.h"
#include "emulator/network/network.h"
#include "emulator/transport/channel_ends.h"
#include "emulator/transport/tcp/endpoint.h"
#include "emulator/transport/tcp/parameters.h"
#include "emulator/transport/transport.h"

namespace morgana {

/// TCP between processes: each two have a connection (Shipment::channel names them), which both use, as MPI
/// libraries do. Host n is at port n.
///
/// The rules in full; tcp::Sender, tcp::Receiver and tcp::RoundTrip have those of their parts.
///
/// Stream. A message is message_header and its own bytes in the stream from its sender to its receiver, in
/// the order of sending. It is written send_latency after it was handed over. It has departed when its last
/// byte is in the socket's buffer (Sender::buffered), and is delivered delivery_latency after its last byte
/// has been taken in, in order; its sender has learned of it (Shipment::completes) when that byte is
/// acknowledged. The receiving program reads at once, so that the window that it offers is always
/// receive_buffer.
///
/// Segments. A segment has header bytes, options, and at most S bytes of data: the network's
/// largest unit without the header and the timestamps. Options: 12 B of timestamps; in segments
/// without data that report n ranges (SACK) 4 B + 8 B n. A SYN has 8 B of options (maximum segment size,
/// window scale), 12 B with sack, 20 B with timestamps. Every segment but a first SYN carries an
/// acknowledgement; one that carries data settles what is owed.
///
/// Handshake (RFC 9293, 3.5), with the first message either way: SYN, SYN and ACK, ACK; data after that. A
/// SYN that meets another (simultaneous open) is answered by SYN and ACK, and each end that gets that has
/// the connection. A SYN without answer is sent again after the timeout, which doubles; more than
/// handshake_tries of these fail the connection. An end that gets a SYN, or a SYN and ACK, which it does
/// not need sends a SYN and ACK again while it waits for an answer to its own, otherwise an ACK. The timer
/// begins anew with each of these. Where what is answered, the SYN or the SYN and ACK, went once, the time
/// from its making until the answer is the first round trip; otherwise there is none, the window begins
/// with S, and the timeout is at least 3 s at first (RFC 5681, 3.1; RFC 6298, 5.7).
///
/// Port. A NIC sends one segment at a time; the next one may go when that has departed. An endpoint lines
/// up at the end of its port's line, unless it stands there or has a segment in the port, when it has
/// something to send. Each turn is one segment: first those without data, in the order in which they were
/// made, then what the sender says at that moment. Who has nothing to send when it is its turn loses the
/// turn. When a segment has departed its endpoint lines up again first, then the port serves its line.
///
/// Acknowledgements that are due (Receiver) are made at that moment, with what has come by then. One that
/// may wait is made after acknowledge_delay, unless data or another acknowledgement has carried it by
/// then.
///
/// Retransmission timer (RFC 6298, section 5): it begins when data takes its turn and it does not run; an
/// acknowledgement of something new begins it anew (Sender::restarts_timer) or, if nothing is in flight,
/// stops it. When it runs out: Sender::timed_out, and it begins anew with the new timeout. After more than
/// `tries` of these without anything new acknowledged the connection fails.
///
/// With rack (RFC 8985, section 8) the same timer is also that of reordering and of tail loss probes
/// (Sender). While segments may be lost unless they come, it waits for that alone, and runs out timer_margin
/// after that is over; the retransmission timer begins anew then, and also if an acknowledgement has ended
/// that wait. A wait for a probe is at most what was left of the retransmission timer, which goes on if the
/// wait is given up, and begins anew when it is over.
///
/// A connection that fails does so at both ends at once: messages both ways that have not come wholly are
/// returned, and the next one begins with a new connection. What is under way of the old one is ignored.
///
/// Arrival. A segment that comes marked is marked; it is taken in receive_latency later: first its
/// acknowledgement, with which data may take an idle port at once, then its data. So the one does not carry
/// the acknowledgement of the other.
///
/// Sources: RFC 9293 (TCP), 1122 (4.2.3.2, delayed acknowledgements), 5681, 6298, 6582, 6675, 6928, 7323,
/// 3042, 3168, 6937, 8257, 8985, 9438. Not part of it: HyStart (RFC 9406), pacing, fast open, keep-alive.
class Tcp : public Transport, private UnitListener, private EventHandler {
 public:
  /// The network reports to this transport from now on, and must outlive it.
  /// @throws Error if headers leave no space for data, or a buffer is less than two segments
  Tcp(EventQueue& events, Network& network, std::size_t hosts, const TcpParameters& parameters);

  void send(const Shipment& shipment) override;
  bool connects_processes() const override { return true; }
  bool copies_in_kernels() const override { return true; }
  TransportGuarantees guarantees() const override { return {.reliable = true, .returns = true}; }
  SimTime timer_wait() const override { return timer_wait_; }
  std::string how_lost() const override { return how_lost_; }
  std::string remedy() const override;
  std::vector<CounterTable> counted() const override;

  /// S. @throws Error as the constructor
  static Bytes segment_of(const TcpParameters& parameters, Bytes largest_unit);

 private:
  using EndpointId = tcp::EndpointId;
  using Endpoint = tcp::Endpoint;
  using Segment = tcp::Segment;

  // What waits for its time.
  struct Notice {
    enum class Kind : std::uint8_t { written, departed, reached, delivered, completed, returned };
    Kind kind = Kind::departed;
    MessageId message{};
    EndpointId endpoint = 0;  // of what is written
    Bytes bytes{};            // of what is written, without its header; of what has been reached
    bool completes = false;
    SimTime timer_wait{};
    Bytes piece{};
  };

  EndpointId endpoint_of(const Shipment& shipment);
  void begin_anew(EndpointId id);
  void write(const Notice& written);

  void open(EndpointId id);
  void send_syn(EndpointId id);
  void take_syn(EndpointId id, const Segment& segment);
  void established(EndpointId id);
  void fail(EndpointId id, const std::string& why);

  bool has_something(const Endpoint& endpoint) const;
  void line_up(EndpointId id);
  void serve(tcp::Port& port);
  void take_turn(EndpointId id);
  void acknowledge(EndpointId id, const tcp::Receiver::Acknowledgement& what);
  void acknowledge_all(EndpointId id);
  void inject(EndpointId from, Segment segment);
  Bytes size_of(const Segment& segment) const;

  void take_in(std::uint32_t slot);
  void take_acknowledgement(EndpointId id, const Segment& segment);
  void take_data(EndpointId id, const Segment& segment);
  void look_for_departed(EndpointId id);
  void look_for_delivered(EndpointId id);
  void look_for_completed(EndpointId id);
  void start_timeout(EndpointId id);
  void wait_for(EndpointId id, tcp::Sender::Wait what, SimTime until);
  void schedule_probe(EndpointId id);
  void choose_timer(EndpointId id, bool has_new);
  void retransmission_ran_out(EndpointId id);

  void note_timer_wait(Endpoint& endpoint) const;
  void tell_at_delivery(const Notice& notice);
  void tell(const Notice& notice);
  void tell_what_is_due();

  void unit_departed(UnitId id, PortId from) override;
  void unit_delivered(UnitId id, PortId to) override;
  void unit_lost(UnitId id) override;
  void handle(std::uint64_t what) override;

  tcp::Port& port_of(HostId host) { return ports_[index(host)]; }

  EventQueue& events_;
  Network& network_;
  MarkingNetwork* marking_;
  TcpParameters parameters_;
  std::vector<tcp::Port> ports_;
  std::deque<Endpoint> endpoints_;  // a deque: listeners may add to it while an element is in use
  tsl::robin_map<ChannelEnds, EndpointId, ChannelEndsHash> number_;
  Pool<Segment> segments_;  // under way
  Pool<Notice> notices_;
  std::vector<Notice> due_;
  SimTime timer_wait_;  // of the message whose report is being delivered
  std::string how_lost_, remedy_;
  tcp::TcpSenderCounters of_failed_;
  std::uint64_t acknowledgements_ = 0;  // without data
  std::uint64_t marked_ = 0;            // segments with data that came so
  std::uint64_t opened_ = 0, failed_ = 0;
};

}  // namespace morgana
