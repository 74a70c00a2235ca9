#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/core/pool.h"
#include "emulator/host/kernel.h"
#include "emulator/transport/overlay/direct_channels.h"
#include "emulator/transport/overlay/header.h"
#include "emulator/transport/overlay/parameters.h"
#include "emulator/transport/overlay/servers.h"
#include "emulator/transport/transport.h"

namespace morgana {

/// Messages between stations that parallel computing servers relay: an overlay network on ATM whose hops
/// another transport carries, which so decides how losses are recovered from.
///
///   - Hosts 0 to stations - 1 are stations; server n is host stations + n of the transport underneath. Each
///     station is permanently joined to its server, and servers to each other as a ring or a tree.
///   - A message goes in packets, each with a header, from station to server, from server to server, and from
///     the last one to its station. A server stores a packet, and its processor works on it before it goes
///     on: one packet at a time on each processor, first come, first served.
///   - Between stations that have a direct channel, messages go over it without servers and header. Each end
///     takes an identifier, of which a station has so many. Servers agree on channels and learn when they
///     are released.
///   - A station delivers the messages of another station in the order in which they were sent.
///
/// Source: J. Vila i Sallent: A Network Architecture for Supporting Parallel Computing over ATM, 1997,
/// section 4.2.1, which suggests such networks and did not evaluate them. docs/atm-protocols.md states what
/// was chosen where it leaves freedom.
class Overlay final : public Transport, private ShipmentListener, private EventHandler {
 public:
  /// @param hops  between all hosts, servers included
  /// @throws Error as OverlayParameters::check
  Overlay(EventQueue& events, std::unique_ptr<Transport> hops, std::size_t stations,
          const OverlayParameters& parameters);

  void send(const Shipment& shipment) override;
  TransportGuarantees guarantees() const override { return {.returns = hops_->guarantees().returns}; }
  bool copies_in_kernels() const override { return hops_->copies_in_kernels(); }
  std::string how_lost() const override { return how_lost_; }
  std::string remedy() const override { return hops_->remedy(); }
  std::vector<CounterTable> counted() const override;
  const overlay::DirectChannels& channels() const { return channels_; }

 private:
  using PairNumber = std::uint32_t;
  using MessageSlot = std::uint32_t;
  using PacketSlot = std::uint32_t;
  static constexpr MessageSlot none = ~MessageSlot{0};

  struct Message {
    Shipment shipment;
    PairNumber pair = 0;
    std::int64_t in_station = 0;  ///< packets that have not departed
    std::int64_t undecided = 0;   ///< packets of which it is not known whether they come
    std::uint64_t serial = 0;     ///< of all messages: slots are used again
    /// Of each packet that goes both ways: copies under way, or `has_come`.
    std::vector<std::uint8_t> copies;
    static constexpr std::uint8_t has_come = 255;
    std::optional<Outcome> returned;
    std::optional<Outcome> why_returned;  ///< announced by a server, whose packet has not come back yet
    bool lost = false;
    std::string why;  ///< of the first packet that did not come
    bool failed() const { return lost || returned; }
  };

  /// On one of its hops, or in a server, which is `at` then.
  struct Packet {
    MessageSlot message = none;
    overlay::PacketHeader header;
    Bytes bytes;  ///< header included
    HostId at, next;
    std::uint64_t serial = 0;  ///< of the message
    std::size_t place = 0;     ///< among its packets
  };

  /// What goes from one station to another.
  struct Pair {
    HostId from, to;
    std::deque<MessageSlot>
        line;  ///< messages whose end has not been reported, in the order in which they were sent
    std::uint32_t next_number = 0;
    std::int64_t messages = 0, direct = 0, packets = 0, bytes = 0, not_delivered = 0;
    std::int64_t servers = 0;  ///< that a packet crosses
  };

  struct ServerCounters {
    std::int64_t packets = 0, bytes = 0;
    std::int64_t copied = 0, other_way = 0;
    std::int64_t waiting = 0, most_waiting = 0;  ///< packets, with those that are worked on
    SimTime busy;                                ///< CPU time
  };

  bool is_server(HostId host) const { return index(host) >= stations_; }
  HostId server_of(HostId station) const { return host_of(number_of_server(station)); }
  overlay::ServerNumber number_of_server(HostId station) const {
    return static_cast<overlay::ServerNumber>(index(station) / parameters_.stations);
  }
  HostId host_of(overlay::ServerNumber server) const { return static_cast<HostId>(stations_ + server); }
  overlay::ServerNumber server_at(HostId host) const {
    return static_cast<overlay::ServerNumber>(index(host) - stations_);
  }

  PairNumber pair_between(HostId from, HostId to);
  HostId next_after(HostId at, const overlay::PacketHeader& header) const;
  std::int64_t servers_between(HostId from, HostId to) const;
  void send_directly(MessageSlot slot);
  void send_by_servers(MessageSlot slot, std::int64_t packets);
  void hop(PacketSlot slot);
  void relay(PacketSlot slot);
  void send_on(PacketSlot slot);
  // In undelivered.cpp.
  bool is_failed(HostId at, HostId next) const;
  bool goes_other_way(PacketSlot slot);
  void send_back(PacketSlot slot);
  void end_copy(PacketSlot slot, bool lost, std::optional<Outcome> returned);
  std::string why_not(const Packet& packet) const;
  void decide(MessageSlot slot);
  void deliver(PairNumber pair);

  // In signalling.cpp.
  bool may_be_direct(HostId a, HostId b) const;
  bool goes_directly(HostId from, HostId to);
  void ask_for_channel(HostId from, HostId to);
  void open_before_run();
  void join_servers();
  void signal(overlay::PacketType type, HostId origin, HostId destination, HostId at, HostId next);
  void signal_at_server(PacketSlot slot);
  void signal_came(PacketSlot slot);
  void signal_failed(PacketSlot slot);
  void turn_back(PacketSlot slot, overlay::PacketType type);
  void refuse(PacketSlot slot, HostId without);
  void give_up_asking(HostId a, HostId b);
  void release_longest_idle(HostId station);
  void broken(HostId a, HostId b);
  HostId peer_of(overlay::DirectChannel& channel, HostId station) const {
    return channel.lower == station ? channel.higher : channel.lower;
  }

  void handle(std::uint64_t packet) override;
  void shipment_departed(MessageId packet) override;
  void shipment_delivered(MessageId packet) override;
  void shipment_lost(MessageId packet) override;
  void shipment_returned(MessageId packet, Outcome why) override;

  EventQueue& events_;
  std::unique_ptr<Transport> hops_;
  std::size_t stations_;
  OverlayParameters parameters_;
  overlay::Servers servers_;
  Kernel kernel_;  // of the servers, which do nothing but relay
  std::vector<ServerCounters> server_counters_;
  overlay::DirectChannels channels_;
  std::vector<std::vector<bool>> server_joined_;  // to whom each server has a channel that is no neighbour
  std::deque<Pair> pairs_;  // a deque: listeners may add to it while an element is in use
  std::unordered_map<std::uint64_t, PairNumber> pair_;  // by both stations; never iterated
  std::uint64_t serial_ = 0;                            // of the message that was sent last
  std::set<std::pair<HostId, HostId>> failed_;          // hops over which something was returned
  Pool<Message> messages_;                              // whose end has not been reported
  Pool<Packet> packets_;                                // under way, by the number that the hops get
  std::string how_lost_;
};

}  // namespace morgana
