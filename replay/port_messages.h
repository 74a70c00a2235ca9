#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <map>
#include <vector>

#include "emulator/core/pool.h"
#include "emulator/core/ring_queue.h"
#include "emulator/messaging/library_costs.h"
#include "emulator/messaging/machine.h"
#include "emulator/messaging/messenger.h"
#include "emulator/network/logp_ports.h"
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
  PortMessages(Machine& machine, std::size_t first_rank, std::size_t ranks, PortMessageClient& client);

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
  static constexpr std::uint32_t none = ~std::uint32_t{0}, no_others = none >> 1;
  struct InFlight {
    SimTime begun;
    std::uint32_t node;
    Tag tag;
    std::uint32_t run;
  };
  using Ports = LogpPorts<InFlight, PortMessages>;
  friend Ports;
  struct Key {
    Rank receiver, source;
    Tag tag;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      std::uint64_t mixed = (std::uint64_t{static_cast<std::uint32_t>(key.receiver)} << 32 |
                             static_cast<std::uint32_t>(key.source)) *
                            0x9e3779b97f4a7c15;
      mixed = (mixed ^ (mixed >> 32) ^ static_cast<std::uint32_t>(key.tag)) * 0xd6e8feb86659fd93;
      return mixed ^ (mixed >> 32);
    }
  };
  /// Receives that wait for a message, or messages that wait for a receive: never both.
  struct Line {
    std::uint32_t first = none;  ///< a receive's node, or a place in waiting_
    std::uint32_t others : 31;   ///< a place in others_
    std::uint32_t messages : 1;
  };
  using Lines = tsl::robin_map<Key, Line, Hash>;

  Rank of_machine(Rank rank) const { return Rank{static_cast<std::int32_t>(index(rank) + first_rank_)}; }
  Rank rank_at(PortId port) const { return rank_at_[static_cast<std::size_t>(port)]; }
  static Line line_of(std::uint32_t first, bool messages) { return {first, no_others, messages ? 1U : 0U}; }
  void append(Line& line, std::uint32_t item);
  template <class Use>
  void for_each(const Line& line, const Use& use) const {
    use(line.first);
    if (line.others == no_others) return;
    const RingQueue<std::uint32_t>& others = others_[line.others];
    for (std::size_t i = 0; i < others.size(); ++i) use(others[i]);
  }
  std::uint32_t take_first(Lines::iterator line);
  void departed(const InFlight& /*message*/, PortId /*from*/) {}
  void delivered(const InFlight& flight, PortId from, PortId to, Bytes size);

  Machine& machine_;
  std::size_t first_rank_;
  PortMessageClient& client_;
  LibraryCosts costs_;
  Ports ports_;
  std::vector<Rank> rank_at_;                                 ///< by port
  Lines lines_;                                               ///< of this run
  Pool<RingQueue<std::uint32_t>> others_;                     ///< items of a line behind its first
  std::map<Rank, std::vector<PortMessage>> of_earlier_runs_;  ///< messages that are never received
  Pool<PortMessage> waiting_;
  std::uint32_t run_ = 0;
};

}  // namespace morgana
