#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "emulator/interface/am2/channel.h"
#include "emulator/interface/am2/channel_table.h"
#include "emulator/interface/am2/endpoint_send_queues.h"
#include "emulator/interface/am2/frames.h"
#include "emulator/interface/am2/parameters.h"
#include "emulator/interface/am2/receive_buffers.h"
#include "emulator/interface/lanai/host_dma.h"
#include "emulator/interface/lanai/processor.h"

namespace morgana::am2 {

/// What is outside of an interface: the network, its host, and the other interfaces' tables.
class Surroundings {
 public:
  /// The network DMA begins.
  virtual void send(const Packet& packet) = 0;
  /// There is no buffer left for what comes from the network (stop), or one again: link-level back-pressure.
  virtual void stop_link(PortId at, bool stop) = 0;
  /// It is where the receiving host sees it. @return whether its entry in the queue stays taken until a
  /// program takes it out
  virtual bool delivered(const Packet& packet) = 0;
  /// A message's writer goes on, who was suspended as its endpoint had no frame.
  virtual void written(std::uint32_t message) = 0;
  /// It is returned to its sender, and what has not been sent of its message will never be.
  /// @param unsent  packets of the message that wait to be sent, or to be sent again
  virtual void undeliverable(const Packet& packet, std::int64_t unsent) = 0;
  /// A sender gives a channel up. On a real network the receiver would learn of it by the next packet; here
  /// it learns of it at once, so that a message is either delivered or returned.
  /// @return whether the receiver has accepted the packet
  virtual bool end_session(const Packet& packet) = 0;

 protected:
  ~Surroundings() = default;
};

/// What the firmware did so far.
struct FirmwareCounters {
  std::uint64_t packets = 0;     ///< data, sent for the first time
  std::uint64_t repeated = 0;    ///< data, sent again
  std::uint64_t acks = 0;        ///< sent
  std::uint64_t nacks = 0;       ///< sent
  std::uint64_t duplicates = 0;  ///< received, acknowledged again, not delivered
  std::uint64_t returned = 0;    ///< packets
  std::uint64_t unloads = 0;     ///< of endpoints
  std::uint64_t faults = 0;      ///< writers that were suspended

  FirmwareCounters& operator+=(const FirmwareCounters& other);
};

/// The firmware of Active Messages II at one NIC. Source: B. N. Chun, A. M. Mainwaring, D. E. Culler, Virtual
/// Network Transport Protocols for Myrinet, 1997, section 4.
///
/// Endpoints with something to send are visited round-robin (SendQueues). A message needs a free logical
/// channel to its peer; it holds it until it is acknowledged (ChannelTable: stop and wait, an alternating
/// bit). The receiver answers each packet with one of its own: ACK, once it is written, if it is the expected
/// one and its endpoint is resident and has space in its queue, or a duplicate; else NACK, with the packet's
/// timestamp. A periodic scan is all that sends again: what stands in the send table for a quantum. After
/// `tries` of these without ACK or NACK the packet is returned. Endpoints are resident in `frames`; others
/// lie in the host's memory (Frames). An endpoint that a program writes to, or that a packet comes for, is
/// loaded. An endpoint without outstanding packets is unloaded at once. Else nothing new is taken in or sent,
/// and it is unloaded when each of its packets has an ACK, or a NACK for its latest copy, of which the
/// timestamp tells. So no stale answer is left, and channels are free for others: a packet that was refused
/// goes back into its queue. Events are handled round-robin, so that ACKs leave however much comes, and with
/// `receive_buffers` full of packets that the processor has not looked at, or that are on their way by DMA
/// into the host's memory, the link is stopped (ReceiveBuffers).
class Firmware final : private LanaiHandlers,
                       private EventHandler,
                       private FrameUser,
                       private SendGate,
                       private ReceiveLink {
 public:
  enum Event : unsigned {
    finish_receive,  ///< a packet has come
    finish_deliver,  ///< one is in the host's memory
    start_send,      ///< the channel is free for an ACK, a NACK or a packet that waits for it
    finish_fetch,    ///< one has come from the host's memory
    serve,        ///< a message is taken from its queue or sent again: written out, or its host DMA started
    finish_send,  ///< a message has left
    scan,         ///< the quantum is over
  };

  /// @param parameters  must outlive it, like the others
  /// @param seed  of the run; each NIC's segment driver has a stream of its own
  Firmware(EventQueue& events, Surroundings& surroundings, PortId self, const Parameters& parameters,
           std::uint64_t seed);

  /// A program writes a message for `to`, now.
  /// @param awaited  Surroundings::written is to report, maybe at once, when its endpoint has a frame
  void post(std::uint32_t message, PortId to, Bytes bytes, const Ends& ends = {}, bool awaited = false);
  /// A program that writes to this endpoint now is suspended.
  bool suspends(EndpointId endpoint) const { return residency(endpoint) != Residency::resident; }
  /// A program has taken a message out of its endpoint's queue.
  void consumed(const Ends& ends) { --endpoint(number_of(ends.to)).entries[ends.reply ? 1 : 0]; }
  /// The last byte of the packet that was sent last has left.
  void departed(const Packet& packet);
  /// The last byte of one for this NIC has come.
  void received(const Packet& packet);
  /// As Surroundings::end_session, at the receiving interface.
  bool end_session(const Packet& packet) { return channels_.end_session(packet); }
  /// The segment driver wants an endpoint's frame. Nothing if it is not resident.
  void evict(EndpointId endpoint = {}) { frames_.evict(number_of(endpoint)); }
  Residency residency(EndpointId endpoint = {}) const;

  const LanaiProcessor& processor() const { return processor_; }
  FirmwareCounters counters() const;
  /// No channel is in use, and nothing waits.
  bool idle() const;

 private:
  /// What the firmware itself knows of an endpoint of its host, resident in a frame or not.
  struct Endpoint {
    EndpointId id{};
    std::int64_t outstanding = 0;         // channels that its packets hold
    std::int64_t copies = 0;              // of its packets, on their way to the network
    std::vector<std::uint32_t> faulting;  // messages whose writers are suspended
    // Receiving, in the queues of requests and of replies:
    std::array<std::int64_t, 2> entries{};
    std::int64_t arriving = 0;  // accepted, and not in the host's memory yet
  };
  enum What : std::uint64_t { quantum_is_over, message_is_written };

  std::int64_t begin(unsigned event) override;
  void end(unsigned event) override;
  void handle(std::uint64_t what) override;
  // For its parts.
  bool is_flushed(EndpointNumber endpoint) const override;
  bool unload(EndpointNumber endpoint) override;
  void loaded(EndpointNumber endpoint) override;
  bool has_channel(PeerNumber peer) const override { return channels_.has_free(peer); }
  bool may_send(EndpointNumber endpoint, Bytes payload) const override;
  void stop_link(bool stop) override { surroundings_.stop_link(self_, stop); }
  // firmware.cpp: sending.
  void serve_next();
  void take(EndpointNumber endpoint);
  void bring(const Packet& packet);
  void send_control();
  void send_ready();
  void left(const Packet& packet);
  bool has_room_for(Bytes payload) const;
  bool has_work() const;
  void wake();
  // receiving.cpp.
  void take_in();
  Bytes size_of(const Packet& packet) const;
  void leave_buffer(const Packet& packet);
  void accept(const Packet& packet);
  void answer(const Packet& packet, PacketType type);
  bool is_being_stored(const Packet& copy) const;
  void deliver_next();
  void arrived(const Packet& packet);
  void acknowledged(const Packet& packet);
  void refused(const Packet& packet);
  // outstanding.cpp: packets without an answer.
  void release(PeerNumber peer, SendChannel& channel);
  void put_back(PeerNumber peer, SendChannel& channel);
  void scan_tables();
  void give_up(PeerNumber peer, SendChannel& channel);
  void start_clock();

  EndpointNumber number_of(EndpointId id) {
    if (endpoints_.empty() || endpoint(looked_up_).id != id) looked_up_ = look_up(id);
    return looked_up_;
  }
  EndpointNumber look_up(EndpointId id);
  Endpoint& endpoint(EndpointNumber number) { return endpoints_[number]; }

  const Parameters& parameters_;
  EventQueue& events_;
  Surroundings& surroundings_;
  PortId self_;
  LanaiProcessor processor_;
  PciBus bus_;
  HostDma from_host_, to_host_;
  Frames frames_;
  EndpointSendQueues queues_;
  ChannelTable channels_;
  ReceiveBuffers buffers_;

  std::deque<Endpoint> endpoints_;  // a deque: a program may add one while another is referred to
  std::unordered_map<std::uint32_t, EndpointNumber> endpoint_numbers_;  // by id; never iterated
  EndpointNumber looked_up_ = 0;                                        // last: most often the next one, too
  std::uint64_t taken_ = 0;                                             // packets that were given a channel
  std::optional<Packet> fetching_;
  std::deque<Packet> ready_;     // in the NIC
  std::deque<Packet> controls_;  // ACKs and NACKs to be made
  bool sending_ = false;
  bool makes_control_ = false;  // what start_send's handler is at
  bool serves_ = false;         // whether serve's handler has found anything
  std::int64_t send_buffers_used_ = 0;
  std::deque<Packet> received_;  // that the processor has not looked at
  std::deque<Packet> accepted_;  // that wait for the host DMA
  std::optional<Packet> delivering_;
  bool clock_runs_ = false;
  std::deque<std::uint32_t> written_;  // messages whose writers go on in this instant
  FirmwareCounters counters_;
};

}  // namespace morgana::am2
