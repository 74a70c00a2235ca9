#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "emulator/core/random.h"
#include "emulator/interface/am2/channel.h"
#include "emulator/interface/am2/parameters.h"
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
struct Counters {
  std::uint64_t packets = 0;     ///< data, sent for the first time
  std::uint64_t repeated = 0;    ///< data, sent again
  std::uint64_t acks = 0;        ///< sent
  std::uint64_t nacks = 0;       ///< sent
  std::uint64_t duplicates = 0;  ///< received, acknowledged again, not delivered
  std::uint64_t returned = 0;    ///< packets
  std::uint64_t unloads = 0;     ///< of endpoints
  std::uint64_t faults = 0;      ///< writers that were suspended

  Counters& operator+=(const Counters& other);
};

/// The firmware of Active Messages II at one interface. Source: B. N. Chun, A. M. Mainwaring, D. E. Culler,
/// Virtual Network Transport Protocols for Myrinet, 1997, section 4.
///
/// Endpoints with something to send are visited in turn, up to `loiter` messages a visit. A message needs a
/// free logical channel to its peer; it holds it until it is acknowledged (stop and wait, an alternating
/// bit). The receiver answers each packet with one of its own: ACK, once it is written, if it is the expected
/// one and its endpoint is resident and has room in its queue, or a duplicate; else NACK, with the packet's
/// timestamp. A periodic scan is all that sends again: what stands in the send table for a quantum. After
/// `tries` of these without ACK or NACK the packet is returned. Endpoints are resident in `frames`; others
/// lie in the host's memory. Whose writer finds it absent, or what a packet comes for, is loaded by the
/// segment driver, one at a time, in place of the resident one that has been used least recently. An endpoint
/// without outstanding packets is unloaded at once; else nothing new is taken in or sent, and it is unloaded
/// when each of them has an ACK, or a NACK for its latest copy, of which the timestamp tells. So no stale
/// answer is left, and channels are free for others: a packet that was refused goes back into its queue
/// (residency.cpp). Events are handled in turn, so that ACKs leave however much comes, and with
/// `receive_buffers` full of packets that the processor has not looked at, or that are on their way by DMA
/// into the host's memory, the link is stopped: docs/decisions/0037, 0056 and 0063 tell why.
class Firmware final : private LanaiHandlers, private EventHandler {
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
  /// @param seed  of the run; each interface's segment driver has a stream of its own
  Firmware(EventQueue& events, Surroundings& surroundings, PortId self, const Parameters& parameters,
           std::uint64_t seed);

  /// A program writes a message for `to`, now.
  /// @param awaited  Surroundings::written is to tell, maybe at once, when its endpoint has a frame
  void post(std::uint32_t message, PortId to, Bytes bytes, const Ends& ends = {}, bool awaited = false);
  /// A program that writes to this endpoint now is suspended.
  bool suspends(EndpointId endpoint) const;
  /// A program has taken a message out of its endpoint's queue.
  void consumed(const Ends& ends) { --endpoint(ends.to).entries[ends.reply ? 1 : 0]; }
  /// The last byte of the packet that was sent last has left.
  void departed(const Packet& packet);
  /// The last byte of one for this interface has come.
  void received(const Packet& packet);
  /// As Surroundings::end_session, at the receiving interface.
  bool end_session(const Packet& packet);
  /// The segment driver wants an endpoint's frame. Nothing if it is not resident.
  void evict(EndpointId endpoint = {});
  Residency residency(EndpointId endpoint = {}) const;

  const LanaiProcessor& processor() const { return processor_; }
  const Counters& counters() const { return counters_; }
  /// No channel is in use, and nothing waits.
  bool idle() const;

 private:
  enum What : std::uint64_t {
    quantum_is_over,
    eviction_is_due,
    frame_is_taken,
    endpoint_is_loaded,
    message_is_written
  };
  std::int64_t begin(unsigned event) override;
  void end(unsigned event) override;
  void handle(std::uint64_t what) override;
  // Sending.
  void serve_next();
  bool serve_again();
  void take(Endpoint& endpoint);
  void bring(const Packet& packet);
  void send_control();
  void send_ready();
  void left(const Packet& packet);
  // Receiving.
  void take_in();
  void leave_buffer(const Packet& packet);
  Bytes room_of(const Packet& packet) const;
  void stop_or_start_link();
  void accept(const Packet& packet);
  void answer(const Packet& packet, PacketType type);
  bool is_being_stored(const Packet& copy) const;
  void deliver_next();
  void arrived(const Packet& packet);
  void acknowledged(const Packet& packet);
  void refused(const Packet& packet);
  // Residency.
  void evict(Endpoint& endpoint);
  void unload_what_is_flushed();
  bool is_flushed(const Endpoint& endpoint) const;
  void unload(Endpoint& endpoint);
  void put_back(Peer& peer, SendChannel& channel);
  void want(Endpoint& endpoint);
  void give_frames();
  void take_frame();
  void loaded();
  void start_evictions();
  // Tables.
  void scan_tables();
  void give_up(Peer& peer, SendChannel& channel);
  std::int64_t forget(const Packet& packet);
  void start_clock();
  PeerNumber number_of(PortId port) { return peer(port).number; }
  Peer& peer(PortId port);
  EndpointNumber number_of(EndpointId id) { return endpoint(id).number; }
  Endpoint& endpoint(EndpointId id) {
    if (looked_up_ == nullptr || looked_up_->id != id) looked_up_ = &look_up(id);
    return *looked_up_;
  }
  Endpoint& look_up(EndpointId id);
  SendChannel* sending_channel(const Packet& answer);
  void release(Peer& peer, SendChannel& channel);
  bool is_short(Bytes payload) const { return payload <= parameters_.short_message; }
  void occupy(Peer& peer, Endpoint& endpoint);
  bool has_channel(const Peer& peer) const { return peer.unacknowledged < parameters_.channels; }
  bool has_room_for(Bytes payload) const;
  Bytes next_payload(const Posted& posted) const;
  bool may_serve(const Endpoint& endpoint) const;
  void list(EndpointNumber number, PeerNumber peer);
  void list_all(PeerNumber peer);
  bool has_work() const;
  void wake();

  const Parameters& parameters_;
  EventQueue& events_;
  Surroundings& surroundings_;
  PortId self_;
  LanaiProcessor processor_;
  PciBus bus_;
  HostDma from_host_, to_host_;

  std::deque<Peer> peers_;  // a deque: the host may add to it meanwhile
  std::vector<Peer*> by_port_;
  std::deque<Endpoint> endpoints_;
  std::unordered_map<std::uint32_t, EndpointNumber> endpoint_numbers_;  // by id; never iterated
  Endpoint* looked_up_ = nullptr;                                       // last: most often the next one, too
  std::deque<EndpointNumber> line_;                                     // for serve
  std::int64_t visit_ = 0;                                  // messages of the one at its front in this visit
  std::uint64_t taken_ = 0;                                 // packets that were given a channel
  std::deque<std::pair<PeerNumber, std::uint32_t>> again_;  // to be sent again
  std::optional<Packet> fetching_;
  std::deque<Packet> ready_;     // in the interface
  std::deque<Packet> controls_;  // ACKs and NACKs to be made
  bool sending_ = false;
  bool makes_control_ = false;  // what start_send's handler is at
  bool serves_ = false;         // whether serve's handler has found anything
  std::int64_t buffers_used_ = 0;
  std::deque<Packet> received_;  // that the processor has not looked at
  Bytes held_;                   // by these, and by longer ones that wait for the host DMA, or are in it
  bool link_stopped_ = false;
  std::deque<Packet> accepted_;  // that wait for the host DMA
  std::optional<Packet> delivering_;
  std::int64_t in_use_ = 0;  // channels of all peers
  bool clock_runs_ = false;
  std::int64_t frames_used_ = 0;
  std::deque<EndpointNumber> faults_;  // that wait for a frame
  std::vector<EndpointNumber> unloading_;
  std::optional<EndpointNumber> loading_;
  bool taking_frame_ = false;
  RandomStream driver_;
  std::deque<std::uint32_t> written_;  // messages whose writers go on in this instant
  std::uint64_t uses_ = 0;             // of endpoints
  bool evictions_run_ = false;
  Counters counters_;
};

}  // namespace morgana::am2
