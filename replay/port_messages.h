#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "emulator/core/large_pages.h"
#include "emulator/core/pool.h"
#include "emulator/core/ring_queue.h"
#include "emulator/messaging/library_costs.h"
#include "emulator/messaging/machine.h"
#include "emulator/messaging/messenger.h"
#include "emulator/network/logp_ports.h"
#include "replay/port_lines.h"
#include "traces/import/dependency_graph.h"

namespace morgana {

/// Whether a message waits for the two ports that it passes and for nothing else, as far as that does not
/// depend on its size: a host for each rank without kernel, shared memory, bus or background traffic, a
/// network of ports (PortNetwork), and a transport that sends a message as one unit.
bool waits_for_ports_alone(const Machine& machine);

/// A schedule's message on such a machine.
struct PortMessage {
  SimTime begun;           ///< when its send began
  std::uint32_t node = 0;  ///< the send, by its number among the nodes of all ranks
  Tag tag{};
  std::uint32_t run = 0;  ///< of the schedule's runs, one after the other
  Rank source{};
  Bytes bytes;
};

class PortMessageClient {
 public:
  /// Wholly at its receiver's host.
  virtual void delivered(const PortMessage& message, Rank receiver) = 0;
  /// A receive has its message; maybe from within PortMessages::receive. @param node  as PortMessage::node
  virtual void received(Rank receiver, std::uint32_t node, const PortMessage& message) = 0;

 protected:
  ~PortMessageClient() = default;
};

/// Messages of a schedule that are all eager, with receives that name source and tag, on a machine whose
/// messages wait for their ports alone: what LibraryMessenger, DirectTransport and LogpNetwork make of them
/// to the picosecond, in one object. A send is complete when its CPU has done its part; from then on a
/// message is an entry of the ports, and where it waits for its receive one of a table.
class PortMessages {
 public:
  /// @return whether all messages of the graph on that machine can be carried so
  static bool can_carry(const Machine& machine, const DependencyGraph& graph);

  /// @param first_rank  of the machine's: the graph's rank 0. The references must outlive this.
  PortMessages(Machine& machine, std::size_t first_rank, const DependencyGraph& graph,
               PortMessageClient& client);

  /// CPU time of a send.
  SimTime send_cost(Rank sender, const GraphNode& node) const {
    return costs_.send_cost(of_machine(sender), of_machine(node.peer), Bytes(node.amount), SendMode::standard)
        .all();
  }
  /// CPU time of completing a receive.
  SimTime receive_cost(Bytes bytes) const {
    const MessageLayer& layer = machine_.messages;
    return time_before_end(layer.receive_overhead + time_before_end(layer.receive_per_byte, bytes));
  }
  /// Notes a message that the program sends.
  void count(Rank sender, const GraphNode& node) {
    machine_.count(of_machine(sender), of_machine(node.peer), false, Bytes(node.amount));
  }
  /// Hands it to its port, now.
  void send(Rank sender, const GraphNode& node, std::uint32_t number, SimTime begun);
  /// @param node  the receive; @param number  its number among all nodes
  void receive(Rank receiver, const GraphNode& node, std::uint32_t number);
  /// What is posted from now on meets nothing that was posted before.
  void next_run();
  /// Messages that came and were never received, by receiver, in the order of Messenger::unreceived(); ranks
  /// are the graph's.
  std::map<Rank, std::vector<Messenger::Found>> unreceived() const;

 private:
  using Kind = PortLines::Kind;
  using Entry = PortLines::Entry;
  struct InFlight {
    SimTime begun;
    std::uint32_t node;
    Tag tag;
    std::uint32_t run;
  };
  using Ports = LogpPorts<InFlight, PortMessages>;
  friend Ports;
  /// Two or more of one receiver, source and tag, the first one first.
  struct Several {
    Kind kind{};
    RingQueue<std::uint32_t> items;
  };

  Rank of_machine(Rank rank) const { return Rank{static_cast<std::int32_t>(index(rank) + first_rank_)}; }
  Rank rank_at(PortId port) const { return rank_at_[static_cast<std::size_t>(port)]; }
  Kind kind_of(const Entry& entry) const {
    return entry.kind() == Kind::several ? several_[entry.item].kind : entry.kind();
  }
  std::uint32_t first_of(const Entry& entry) const {
    return entry.kind() == Kind::several ? several_[entry.item].items.front() : entry.item;
  }
  /// Those of a source and tag that wait at a receiver; null: none does.
  Entry* find(PortLines& lines, std::uint32_t hash, Rank receiver, Rank source, Tag tag) const;
  /// @param item  a receive's number among all nodes, or a place in waiting_
  void wait(PortLines& lines, std::uint32_t hash, Entry* found, Kind kind, std::uint32_t item);
  std::uint32_t take_first(PortLines& lines, Entry* entry);
  template <class Use>
  void each_message(const Use& use) const;
  void departed(const InFlight& /*message*/, PortId /*from*/) {}
  void delivered(const InFlight& flight, PortId from, PortId to, Bytes size);

  Machine& machine_;
  std::size_t first_rank_;
  PortMessageClient& client_;
  LibraryCosts costs_;
  Ports ports_;
  std::vector<Rank> rank_at_;  ///< by port
  const DependencyGraph& graph_;
  std::vector<std::uint32_t> first_node_;  ///< by rank, among all nodes
  std::vector<PortLines> lines_;           ///< by receiver, of this run
  Pool<Several> several_;
  std::map<Rank, std::vector<PortMessage>> of_earlier_runs_;  ///< messages that are never received
  Pool<PortMessage, LargeVector> waiting_;
  std::uint32_t run_ = 0;
};

}  // namespace morgana
