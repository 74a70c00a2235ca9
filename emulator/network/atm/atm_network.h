#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/network/atm/abr_source.h"
#include "emulator/network/atm/fabric.h"
#include "emulator/network/atm/paced_connections.h"
#include "emulator/network/cells.h"
#include "emulator/routing/routing.h"
#include "emulator/topology/cabled_graph.h"

namespace morgana {

/// A host and its interface. On either side every packet and every cell takes a stage of its own: one packet
/// at a time, one cell at a time. Which of a protocol stack's costs stand where: docs/guide.md, "Hosts on
/// ATM".
struct AtmInterface {
  SimTime send_per_packet;     ///< the host's work on a packet before its first cell can go
  SimTime send_per_cell;       ///< controller, control and data transfer, bus, host delay
  SimTime receive_per_cell;    ///< same, after the link
  SimTime receive_per_packet;  ///< the host's work on a packet that came whole: vectoring the interrupt
  bool serial = false;         ///< sending: a cell enters the stage only when the one before is on the wire
};

/// What becomes of CBR's and VBR's agreed rates.
enum class Contracts : std::uint8_t {
  none,     ///< not checked
  shaped,   ///< sources keep to them
  policed,  ///< the first switch discards cells that don't conform
};

/// How fast the cells of connections go whose category is not UBR.
struct AtmRates {
  atm::AbrParameters abr;  ///< of all ABR connections, with rate feedback
  atm::BlockParameters blocks;
  Contracts contracts = Contracts::none;
  atm::RateContract cbr, vbr;  ///< of each connection; peak 0: none
};

struct AtmParameters {
  /// Plugged ports come first at each switch; rates include cells' headers.
  CabledGraph network;
  /// By which connections are laid when they are opened; deterministic. Nothing: over the fewest trunks, of
  /// equally long ways over the lowest port.
  std::shared_ptr<const Routing> routing = {};
  atm::SwitchParameters switches;  ///< all alike
  AtmInterface interface;
  AtmRates rates;
  /// Whose links background traffic loads, at the switches that they hang on; empty: every output.
  std::vector<std::uint32_t> loaded_hosts = {};
  Bytes largest_packet{65535};  ///< that is cut into cells for transports which know no cells; at most 65535
};

/// An ATM network, cell by cell and exact: links, output-queued switches with a buffer that all outputs
/// share, static virtual channels, and other people's traffic at each switch.
///
/// With C the time of a cell (53 octets) on a link and all times in whole picoseconds, a packet's cells at t
///   - wait for the host's work: one `send_per_packet` for each packet, one after the other,
///   - pass the sending NIC: one `send_per_cell` each, one after the other; pipelined with the link or,
///     serial, only when the cell before has left,
///   - leave the host's link first in, first out, C each,
///   - are offered to their output at a = last bit in + switch's delay; what leaves at a has left; background
///     offered at a came before, then inputs in their order (hosts by number, then trunks),
///   - leave at max(a, output free) + C unless the policy drops them,
///   - pass the receiving NIC: one `receive_per_cell` each, one after the other,
///   - and the packet, if it came whole, the host's work: one `receive_per_packet`, one after the other.
/// A packet has come whole when no cell of it was lost and, with AAL5, no cells of a packet that lost its end
/// were there before it (Delimiting).
/// Links are in order and free of errors: cells are lost in buffers and by policing only.
///
/// Cells of an ABR connection with rate feedback, and of a shaped one, wait after the host's work until
/// their source lets them go, one by one, and join the sending NIC behind what stands there then. ABR's
/// resource management cells pass NICs, links and queues as other cells do; the NIC at the
/// destination turns them around, without work of the host.
///
/// Nothing in a switch is an event: a packet under way has one event, at the earliest time at which it can
/// have come out; then the switches are worked out up to that time. Background traffic is worked out when a
/// cell of a connection comes to its switch. Random streams: "atm switch N background M", "atm switch N
/// copies".
///
/// Source: J. Vila i Sallent: A Network Architecture for Supporting Parallel Computing over ATM, 1997,
/// appendix B and chapter 6; ITU-T I.361.
class AtmNetwork : public CellNetwork, private EventHandler, private atm::PacedSender {
 public:
  /// @throws Error if a parameter is out of range
  AtmNetwork(EventQueue& events, const AtmParameters& parameters, std::uint64_t seed);
  ~AtmNetwork() override;

  /// A packet of AAL5 on the channel between the two ports that is there from the start (UBR).
  /// @throws Error if it is longer than the largest packet
  void inject(const Unit& unit) override;
  void inject(const CellTrain& train) override;
  using CellNetwork::report_to;
  void report_to(ChannelId channel, UnitListener& listener) override;
  ChannelId open(PortId from, PortId to, const TrafficContract& contract) override;
  Bytes largest_unit() const override { return largest_packet_; }
  SimTime least_latency() const override { return least_latency_; }

  std::string how_lost() const override;
  std::vector<CounterTable> counted(SimTime until) override;
  /// In cells of connections; those that wait for the link, in a NIC or an output's queue, count, too.
  NetworkLinks links(SimTime until) override;
  /// As far as the network has been worked out; `settle` works it out to the present.
  const atm::Connection& connection(ChannelId channel) const;
  std::size_t connections() const { return fabric_.connections.size(); }
  void settle();
  std::uint32_t switches() const { return static_cast<std::uint32_t>(network_.graph.switches()); }
  /// Of each output of a switch, hosts' links first, up to the present.
  std::vector<atm::OutputCounters> counters(std::uint32_t switch_number);
  /// Cells of connections that came to a switch, and how many of them a finite buffer would have lost.
  std::uint64_t cells_seen(std::uint32_t switch_number) const;
  std::uint64_t estimated_lost(std::uint32_t switch_number) const;
  /// The mean over all switches of the share that these are; 0 where no cell came.
  double estimated_loss() const;

 private:
  void build_switches(const AtmParameters& parameters, std::uint64_t seed);
  void find_lookahead(bool of_used_trunks);
  void find_least_latency();
  std::int64_t bound_of(std::uint32_t first) const;
  void work_out(std::int64_t until);
  void handle(std::uint64_t what) override;
  std::uint32_t add(atm::Connection connection);
  void use_trunk(const atm::Hop& hop);
  void set_rate(std::uint32_t number);
  void open_return(std::uint32_t number);
  atm::CellRun lay(atm::Connection& connection, std::uint32_t cells, std::int64_t ready);
  void push(const atm::CellRun& run);
  void send(std::uint32_t slot, std::int64_t ready);
  void await(std::uint32_t slot, const atm::CellRun& last);
  void send_data(std::uint32_t slot, std::uint32_t index) override;
  void send_resource(std::uint32_t connection, const atm::ResourceCell& cell) override;
  void arrive(const atm::ResourceCell& cell, std::uint32_t connection);
  void depart(std::uint32_t slot);
  void decide(std::uint32_t slot);
  void wait(std::uint32_t slot);
  void await_happening();
  void look_after();
  bool comes_whole(const atm::Train& train);
  void deliver(std::uint32_t slot);
  UnitListener& listener_of(const atm::Train& train) const;
  std::uint32_t store(const atm::Train& train);
  CounterTable count_outputs(SimTime until);
  CounterTable count_connections(SimTime until) const;
  CounterTable count_categories(SimTime until) const;
  CounterTable count_rates() const;
  CounterTable count_blocks() const;
  CounterTable count_estimates() const;
  std::string output_name(std::uint32_t number, std::uint32_t output) const;
  std::string loss_of(const atm::Train& train) const;

  EventQueue& events_;
  CabledGraph network_;
  std::shared_ptr<const Routing> routing_;
  atm::Fabric fabric_;
  /// A trunk's end, seen from the switch that it leads to.
  struct Incoming {
    std::uint32_t from, output;  // the other switch and its output
    std::int64_t time;           // least, from the start of a transmission to the offer here
    bool used;                   // by a connection
  };
  std::vector<std::vector<Incoming>> incoming_;  // of each switch
  std::vector<std::int64_t> lookahead_;          // least time from an offer at one switch to another
  bool lookahead_is_old_ = false;                // connections use trunks that it does not know of
  std::unordered_map<std::uint64_t, ChannelId> usual_channel_;  // by pair of hosts; never iterated
  std::vector<std::vector<std::uint32_t>> channels_on_link_;    // of each switch and input: opened so far
  std::vector<std::uint32_t> channels_to_host_;                 // same, of each host's link
  std::vector<std::uint32_t> free_trains_;
  std::uint64_t waits_ = 0;                 // trains that have ever been left to wait
  std::size_t waiting_ = 0;                 // of these, now
  std::int64_t happening_at_ = atm::never;  // when they are looked after next
  /// What is known of rates: `feedback` if switches control ABR's.
  struct Rates : AtmRates {
    bool feedback = false;
  };
  Rates rates_;
  atm::PacedConnections paced_;
  SimTime least_latency_;
  Bytes largest_packet_;
  atm::Train lost_;                        // that is reported
  std::optional<atm::Train> lost_behind_;  // the packet without end whose cells it joined
  std::int64_t buffer_;
  bool estimates_;  // loss, for a buffer that is not there
};

}  // namespace morgana
