#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "emulator/core/counter_table.h"
#include "emulator/core/event_queue.h"
#include "emulator/host/pcie_bus.h"
#include "emulator/transport/infiniband/packet.h"
#include "emulator/transport/infiniband/rules.h"

namespace morgana::rc {

struct QueuePair;

/// What a queue pair gets a turn at its port for.
enum class Turn : std::uint8_t { request, response, notification, feedback };

/// The NICs of all hosts: who sends at their ports and when, and how payloads get from and into memory. A NIC
/// sends one packet at a time of each traffic class.
class Nics final : private PcieUser {
 public:
  Nics(EventQueue& events, const Rules& rules, const PcieParameters& pcie, std::size_t hosts);
  Nics(const Nics&) = delete;
  Nics& operator=(const Nics&) = delete;

  bool has(HostId host) const { return index(host) < ports_.size(); }
  /// A work request is posted now. @param request  what is written into the NIC
  /// @return when the host's NIC takes it
  SimTime take_work_request(HostId host, Bytes request);

  /// At the end of the line for packets of this kind at the queue pair's host.
  void line_up(QueuePair& pair, Turn turn, PacketKind kind);
  /// A packet is in the port from now on. No other of its traffic class may leave.
  void begins(const QueuePair& pair, PacketKind kind) { line_of(pair, kind).busy = true; }
  /// It has departed; others may go once serve() is called.
  void ends(const QueuePair& pair, PacketKind kind) { line_of(pair, kind).busy = false; }
  /// Gives turns in the line for packets of this kind.
  void serve(const QueuePair& pair, PacketKind kind) { serve(line_of(pair, kind)); }

  /// A payload is fetched, from now on.
  void read(HostId host, Bytes payload) {
    if (bus_ && payload > Bytes()) bus_->read(host, payload);
  }
  /// A message takes a receive now.
  void read_receive(HostId host) {
    if (bus_) bus_->read_receive(host);
  }
  /// When a payload that comes now is in the host's memory. @param before  what came before it is
  SimTime time_in_memory(HostId host, const PcieWrite& what, SimTime before);
  /// Of the buses, where they have limits.
  std::vector<CounterTable> counted() const;

 private:
  struct Waiting {
    QueuePair* pair;
    Turn turn;
  };
  /// Those who wait for a port to send a packet of one traffic class.
  struct Line {
    bool busy = false;  // a packet of the class is in the port
    std::deque<Waiting> turns;
  };
  struct Port {
    Line data, notifications;  // one line, `data`, if both are of one class
    Line other;                // of queue pairs whose data are of another class (Shipment::traffic_class)
    SimTime takes;             // the next work request, not before this
  };

  Line& line_of(const QueuePair& pair, PacketKind kind);
  void serve(Line& line);
  bool waits_for_bus(const Waiting& first);
  void may_read(HostId host) override;

  EventQueue& events_;
  const Rules& rules_;
  std::unique_ptr<PcieBus> bus_;  // null: without limits
  std::vector<Port> ports_;       // by host
};

}  // namespace morgana::rc
