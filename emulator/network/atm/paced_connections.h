#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>

#include "emulator/core/event_queue.h"
#include "emulator/core/lazy_timer.h"
#include "emulator/network/atm/pacer.h"

namespace morgana::atm {

/// Who brings a paced connection's cells to the wire.
class PacedSender {
 public:
  virtual ~PacedSender() = default;
  /// The next cell of the train at the head of the connection's queue.
  virtual void send_data(std::uint32_t train, std::uint32_t index) = 0;
  virtual void send_resource(std::uint32_t connection, const ResourceCell& cell) = 0;
};

/// What has been sent on a connection whose cells go at a rate of their own: packets whose work at the host
/// is done wait here, first in, first out, and their cells go when the connection's pacer lets them. Nothing
/// goes while nothing waits, but what ends a block. A cell that may go joins the host's NIC behind what
/// stands there.
class PacedConnections final : private EventHandler {
 public:
  PacedConnections(EventQueue& events, PacedSender& sender) : events_(events), sender_(sender) {}

  void open(std::uint32_t connection, std::unique_ptr<Pacer> pacer);
  bool paces(std::uint32_t connection) const { return lines_.contains(connection); }
  /// A packet is there from `ready` on, in picoseconds, not before earlier packets.
  void wait(std::uint32_t connection, std::uint32_t train, std::uint32_t cells, std::int64_t ready);
  /// A resource management cell of the connection came back.
  void take(std::uint32_t connection, const ResourceCell& backward);

  struct Counters {
    std::uint64_t forward = 0, backward = 0;  ///< resource management cells sent and come back
    double rate = 0;                          ///< allowed now, in cells a second
  };
  Counters counters(std::uint32_t connection) const;

 private:
  struct Packet {
    std::uint32_t train, cells, sent;
    std::int64_t ready;
  };
  struct Line {
    std::unique_ptr<Pacer> pacer;
    std::deque<Packet> waiting = {};
    LazyTimer timer = {};
    Counters counters = {};
  };

  void set_timer(std::uint32_t connection, Line& line);
  void handle(std::uint64_t what) override;

  EventQueue& events_;
  PacedSender& sender_;
  std::unordered_map<std::uint32_t, Line> lines_;  // never iterated
};

}  // namespace morgana::atm
