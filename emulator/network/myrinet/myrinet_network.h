#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/core/random.h"
#include "emulator/network/myrinet/interface_program.h"
#include "emulator/network/myrinet/parameters.h"
#include "emulator/network/myrinet/routes/route.h"
#include "emulator/network/myrinet/worms.h"
#include "emulator/network/network.h"
#include "emulator/topology/fault.h"

namespace morgana {

/// In-transit packets at a host's interface.
struct InTransitStatistics {
  std::uint64_t packets = 0;      ///< whose mark has arrived, overflows too
  std::uint64_t overflows = 0;    ///< found no room in the pool
  std::int64_t most_packets = 0;  ///< that the pool held at once
  std::int64_t most_bytes = 0;    ///< reserved in the pool at once
};

/// A Myrinet network: source-routed wormhole switches with slack buffers and stop-and-go flow control, and
/// interfaces that can send packets on (in-transit buffers). Source: Flich, López, Malumbres and Duato,
/// "Boosting the Performance of Myrinet Networks", 2002, sections 2 to 5.
///
/// A packet's flits are its route (a byte a switch, a mark before each further leg), its type, the payload
/// and a CRC. A flit that is started on a channel leaves its sender's buffer then and arrives one cable
/// later, when it may be started onward at once; starts on a channel are at least a flit apart. At a switch
///   - the packet at the front of an input requests the output that its first flit names, by its number or by
///     a turn (output_port); inputs are served round-robin; the output is held from the grant on, and one
///     routing time later the flit is removed and the others follow as they come, until one flit after the
///     start of the last one;
///   - an input whose buffer holds more than stop_above flits tells the sender to stop, and with fewer than
///     go_below to go on, which works one control time later.
///   - a header that waits for its output for the deadlock timeout is dropped with its packet, and an output
///     that stands still with a packet for as long is cut off. Its clock starts when routing has ended, the
///     output is stopped and its wire is clear, whichever comes last; a go or the channel's death in the
///     instant in which the time is up comes first, while grants and the drop of headers come after. What has
///     gone on ends in a bad tail, a flit that heeds no stop and is counted as carried; a receiver drops the
///     packet for it. The rest is swallowed, and the output is granted to the next. The packet is lost once,
///     wherever the foremost of its pieces ends. Hosts' own channels have patience for ever: what stops them
///     has not. Source: Boden et al., "Myrinet: A Gigabit-per-Second Local Area Network", 1995.
/// On a quiet network a packet whose route has h cables between switches and n in-transit hosts is delivered
///   routing (h + 1 + n) + cable (h + 2 + 2 n) + flit (type + payload + CRC) + n (detection +
///   dma_programming)
/// after its injection. Interfaces receive at full speed unless they say stop (stop_towards). Packets of the
/// same two hosts keep their order, unless one of them goes through an in-transit host's memory
/// (PoolOverflow::host_memory).
///
/// The results are those of a simulation flit by flit, to the picosecond, but there is no event for a flit:
/// a sender's flits are *runs*, and what a buffer holds follows from the run that fills it and the run that
/// empties it. Events are the arrival of a header, the end of routing, the end of a run, stops and gos.
class MyrinetNetwork : public Network, private EventHandler {
 public:
  using Loss = myrinet::Loss;
  /// @param graph  read only here
  /// @param routes  must outlive the network, unchanged; a host that has none to another loses what it sends
  /// there
  /// @throws Error as MyrinetParameters::check
  MyrinetNetwork(EventQueue& events, const SwitchGraph& graph, const RouteTable& routes,
                 const MyrinetParameters& parameters, std::uint64_t seed);
  ~MyrinetNetwork() override;

  void inject(const Unit& unit) override;
  /// The same along a route of its own, whatever the table says; it is copied. A unit to `anywhere` is
  /// delivered at whatever host its route ends, be it its sender.
  void inject(const Unit& unit, Header route);
  static constexpr PortId anywhere{~std::uint32_t{0}};
  /// A packet has no greatest length, but simulated time an end: its flits take at most 2^60 ps, a quarter of
  /// that. At 1 kb/s that makes 144 MB, from 7.63 Mb/s on 1 TiB, which is the most in any case.
  Bytes largest_unit() const override;
  std::size_t hosts() const { return hosts_.size(); }
  SimTime least_latency() const override;
  NetworkCapabilities capabilities() const override { return {.fails = dies_}; }
  std::string how_lost() const override;
  std::string remedy() const override;
  /// What became of packets. @param until  not used: nothing changes between now and then
  std::vector<CounterTable> counted(SimTime until) override;
  /// In flits, routes, types and CRCs included, since the last begin_window().
  NetworkLinks links(SimTime until) override;
  /// Packets in transit at other hosts, too.
  bool follow_ports(const std::vector<bool>& ports) override {
    followed_ports_ = ports;
    return true;
  }
  /// Other routes, for packets injected from now on. Those under way keep theirs, so that the table before
  /// must stay as it is until they have ended.
  void follow(const RouteTable& routes);
  /// From the first injection on, to which this must be prior: what is in transit is sent on when the program
  /// says so, not after detection and dma_programming. It must outlive the network's last event.
  void run_at_interfaces(InterfaceProgram& program) { program_ = &program; }
  /// A packet that the program has been told of as in_transit may be sent on from now on, once: the interface
  /// sends it as soon as its channel is free and its turn has come.
  void send_on(PacketAtInterface packet);
  /// A host's interface has no room for more, or has it again: its switch hears of it one control time later
  /// and stops in the middle of a packet, or goes on. What has been sent by then still comes, for which the
  /// interface needs the flits of a cable and a control time. No deadlock timeout runs for what a host stops.
  void stop_towards(PortId host, bool stop);

  // Faults; all at times that have not passed.
  /// From then on nothing passes: a packet that is crossing it is cut off and lost, and those behind are
  /// swallowed by its sender.
  void kill_channel(CableChannel channel, SimTime at);
  /// Both directions of the cable at a port.
  void kill_cable(SwitchPort end, SimTime at);
  /// All channels that begin or end there.
  void kill_switch(SwitchId id, SimTime at);
  void inject_faults(const NetworkFaults& faults);
  /// Decides in place of chance whether a unit is corrupted on a channel that it has crossed.
  void corrupt_when(std::function<bool(UnitId, CableChannel)> decide) { corrupts_ = std::move(decide); }

  // Statistics.
  struct Totals {
    std::uint64_t injected = 0, delivered = 0;
    std::array<std::uint64_t, myrinet::loss_kinds> lost{};
    std::uint64_t lost_for(Loss why) const { return lost[static_cast<std::size_t>(why)]; }
    std::uint64_t lost_in_all() const;
  };
  const Totals& totals() const { return totals_; }
  const InTransitStatistics& in_transit(HostNumber host) const { return in_transit_[host]; }
  /// What follows counts from the last of these, or from the start.
  void begin_window();
  SimTime window() const { return events_.now() - window_start_; }
  /// Flits started on a channel while it was alive.
  std::int64_t flits_carried(CableChannel channel) const;
  /// From a stop's arrival at the channel's sender to the go's, whether or not it had anything to send.
  SimTime time_stopped(CableChannel channel) const;
  /// How long packets were in an interface's pool, added up over them.
  SimTime time_in_pool(HostNumber host) const;
  /// flits_carried x flit / window; 0 in an empty window.
  double utilisation(CableChannel channel) const;

 private:
  using Index = myrinet::Index;
  using Time = myrinet::Time;
  using Count = myrinet::Count;
  using Channel = myrinet::Channel;
  using Passage = myrinet::Passage;
  using Packet = myrinet::Packet;
  using Run = myrinet::Run;
  using Input = myrinet::Input;
  using Host = myrinet::Host;
  using Switch = myrinet::Switch;
  static constexpr Index none = myrinet::none;
  static constexpr Time never = myrinet::never;
  /// What an event is about, in its lowest bits; above them a channel, passage, host or switch.
  enum What : std::uint64_t {
    header_arrives,  // at the receiver's end of a channel; or another reason to look at the input
    routing_ends,    // of the packet that holds an output
    run_is_over,
    may_start,  // a flit that a channel's sender had to wait for
    stop_arrives,
    go_arrives,
    mark_is_there,
    first_four_are_there,
    in_transit_is_there,
    packet_is_there,
    packet_is_ready,
    channel_dies,
    // Late, when all else at an instant has happened:
    interface_chooses,
    switch_arbitrates,
    patience_ends,
    thresholds_are_checked
  };
  static constexpr unsigned what_bits = 4;

  void handle(std::uint64_t what) override;
  Time now() const { return events_.now().ps(); }
  void schedule(Time at, What what, Index index);
  void schedule_late(Time at, What what, Index index);
  void lay_out(const SwitchGraph& graph);
  LinkEnd sender(CableChannel channel) const;

  void hand_to(Index channel, Index passage);
  void queue(Index packet);

  // Packets (packets.cpp).
  Index new_packet(const Unit& unit, Header header);
  Index new_passage(Index packet, Count first, Count length, std::uint32_t position);
  void drop_passage(Index passage);
  void free_packet_if_done(Index packet);
  void append(Channel& channel, Index passage);
  void report_departed(Index packet);
  void report_delivered(Index packet);
  void report_lost(Index packet, Loss why, Index channel);
  std::string describe(Index channel) const;
  RouteByte first_byte(const Passage& passage) const;
  bool has_first_byte(const Passage& passage) const;
  bool starts_with_mark(const Passage& passage) const;

  // Runs of flits (runs.cpp).
  Count started(const Channel& channel) const;
  Count started_before_now(const Channel& channel) const;
  Count passage_end(const Channel& channel) const;
  Time arrival(Index channel, Count flit) const;
  Count arrived(Index channel) const;
  void remember(Index channel, Time start, Count first, Count end);
  void end_last_run(Index channel, Count end);
  Count planned_end(const Channel& channel, Count next) const;
  void plan_end(Index channel, Count end);
  void begin_run(Index channel);
  void try_to_send(Index channel);
  void run_ends(Index channel);
  void cut(Index channel);
  void shorten_follower(Index channel, Count end);
  void finish(Index channel);

  // Switches (switching.cpp).
  void look(Index input);
  void request(Index input);
  void grant(Index output, Index at);
  void regrant(Index output, Index at);
  void hold(Index output, Index input);
  void routed(Index output);
  void arbitrate(Index at);
  void arbitrate_late(Index at);
  void begin_sending(Index output, Index input, Count taken);
  void sink(Index input, Loss why);
  void sent_by_switch(Index output);
  void set_free(Index output, Index at);
  void set_waiting(Index output, PortNumber port, bool waits);
  bool is_sink(Index channel) const { return channel >= first_sink_; }
  bool runs_out_of_patience(const Channel& output) const { return output.stopped && !output.to_host; }
  bool sent_from_host(Index channel) const { return channel >= first_host_channel_ && channel < first_sink_; }

  // Packets that are blocked for too long (blocked.cpp).
  void arm_timer(Index at, Time since);
  void end_patience(Index at);
  bool too_long(Time since) const;
  bool overdue(const Channel& input) const;
  Time still_since(const Channel& output) const;
  bool stalled(const Channel& output) const;
  void cut_stalled(Index at);
  void cut_connection(Index output);

  // Slack buffers (slack.cpp).
  Count removed(const Channel& input) const;
  void watch(Index input);
  void check_at(Index input, Time when);
  void check(Index input);
  void hear(Index channel, bool stop);

  // Interfaces (interface.cpp).
  void choose_late(Index host);
  void choose(Index host);
  void sent_by_host(Index channel, Index packet);
  void all_sent_to_host(Index passage, Time clear);
  void fill_pool(Host& host, std::int64_t packets, Count bytes);
  void mark_arrives(Index passage);
  Count first_four_end(const Passage& passage) const;
  void foresee_first_four(Index channel, Index passage);
  void first_four_arrive(Index passage);
  void in_transit_arrived(Index passage);
  void ready(Index passage);
  void deliver(Index passage);

  // Faults (faults.cpp).
  void die(Index channel);
  void sever(Index channel, Count crossed);
  void forget_last(Channel& channel);
  void shorten(Index channel, Index passage, Count length, Loss why);
  void silence(Index channel);

  EventQueue& events_;
  const RouteTable* routes_;
  MyrinetParameters parameters_;
  Time flit_, cable_, control_, routing_;
  std::size_t run_room_;    // runs that are remembered of a channel, at most
  std::size_t mask_words_;  // of 64 inputs each
  bool dies_ = false;       // something was killed, or will be
  InterfaceProgram* program_ = nullptr;
  RandomStream corruption_;
  std::function<bool(UnitId, CableChannel)> corrupts_;

  std::vector<Channel>
      channels_;           // the graph's, then as many sinks: that of an input at channels() + its number
  std::vector<Run> runs_;  // run_room_ for each of the graph's channels
  std::vector<std::uint64_t> waiting_;  // for each output, the inputs that wait for it
  std::vector<Host> hosts_;
  std::vector<Switch> switches_;
  std::vector<Index> input_at_;  // by the port's number in the graph: the channel that ends there
  std::vector<Packet> packets_;
  std::vector<std::vector<RouteByte>> own_headers_;  // by packet: of those with a route of their own
  std::vector<Passage> passages_;
  Index free_packet_ = none, free_passage_ = none;
  Index first_host_channel_ = 0, first_sink_ = 0;
  std::uint64_t marks_ = 0;

  Totals totals_;
  myrinet::LossPlace last_loss_;
  std::vector<InTransitStatistics> in_transit_;
  std::vector<bool> followed_ports_;  // by number; none: no ports are followed
  std::vector<Loss> sink_reason_;     // by input
  SimTime window_start_;
};

}  // namespace morgana
