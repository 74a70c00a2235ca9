#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "emulator/core/units.h"
#include "emulator/interface/am2/frames.h"
#include "emulator/interface/am2/parameters.h"
#include "emulator/network/endpoints.h"

namespace morgana::am2 {

using PeerNumber = std::uint32_t;

/// What a program has written into an endpoint's send queue, of which `taken` bytes are in packets already.
struct Posted {
  std::uint32_t message = 0;
  Bytes bytes, taken;
  Ends ends{};
  std::uint64_t order = 0;  ///< among all that the endpoint has; what was taken back goes first
  bool again = false;       ///< a packet that was refused, and that an unloaded endpoint has taken back
};

/// What SendQueues asks of the NIC.
class SendGate {
 public:
  /// Whether a logical channel to the peer is free.
  virtual bool has_channel(PeerNumber peer) const = 0;
  /// Whether the endpoint is resident and the NIC has space for its next packet.
  virtual bool may_send(EndpointNumber endpoint, Bytes payload) const = 0;

 protected:
  ~SendGate() = default;
};

/// The send queues of a NIC's endpoints, which it visits round-robin, up to `loiter` messages a visit. Within
/// an endpoint messages leave in the order of the program's writes; those to a peer without a free channel
/// are passed over.
class EndpointSendQueues {
 public:
  /// @param parameters  must outlive it, like the gate
  EndpointSendQueues(const Parameters& parameters, const SendGate& gate)
      : parameters_(parameters), gate_(gate) {}

  /// Adds an endpoint, whose number is the next one, from 0.
  void add() { endpoints_.emplace_back(); }
  /// A program writes a message into an endpoint's queue. @param posted  its order is overwritten
  void post(EndpointNumber endpoint, PeerNumber peer, Posted posted);
  /// A packet that was refused goes back to the head of the queue that it came from.
  void put_back(EndpointNumber endpoint, PeerNumber peer, Posted packet);
  /// What has not been sent of a message will never be.
  /// @return its packets that waited in the queue
  std::int64_t forget(EndpointNumber endpoint, PeerNumber peer, std::uint32_t message);
  /// Messages and packets that an endpoint's queues hold.
  std::int64_t waiting(EndpointNumber endpoint) const { return endpoints_[endpoint].waiting; }

  /// Whether next() would find an endpoint.
  bool has_work() const;
  /// The endpoint that sends now; nothing if none may send. take() must follow.
  std::optional<EndpointNumber> next();
  struct Taken {
    PeerNumber peer = 0;
    Posted posted;  ///< as before the packet was taken
    Bytes payload;
  };
  /// Takes the packet of the endpoint that may send from its queue. list() must follow, when the channels are
  /// known.
  Taken take(EndpointNumber endpoint);
  /// Notes whether the endpoint's first message for a peer can be sent: after take().
  void list(EndpointNumber endpoint, PeerNumber peer);
  /// The peer has a free channel, where it had none, or none, where it had one.
  void list_all(PeerNumber peer);

 private:
  struct ToPeer {
    std::deque<Posted> posted;
    std::optional<std::uint64_t> listed;  // the first one's order in `sendable`
  };
  struct Sendable {  // a peer's first message, with a free channel
    std::uint64_t order = 0;
    PeerNumber peer = 0;
    ToPeer* queue = nullptr;  // of the peer, in `queues`
    bool operator<(const Sendable& other) const {
      return order != other.order ? order < other.order : peer < other.peer;
    }
  };
  struct Endpoint {
    std::unordered_map<PeerNumber, ToPeer> queues;  // never iterated
    std::set<Sendable> sendable;
    std::int64_t waiting = 0;
    std::uint64_t posts = 0;  // so far
    bool in_line = false;
  };

  Bytes next_payload(const Posted& posted) const;
  bool may_send(EndpointNumber endpoint) const;

  const Parameters& parameters_;
  const SendGate& gate_;
  std::deque<Endpoint> endpoints_;                    // a deque: Sendable points into it
  std::vector<std::vector<EndpointNumber>> senders_;  // by peer: those that ever sent to it
  std::deque<EndpointNumber> line_;                   // that have a sendable message, or had it lately
  std::int64_t visit_ = 0;                            // messages of the one at its front in this visit
};

}  // namespace morgana::am2
