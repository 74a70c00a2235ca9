#pragma once

#include <functional>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/network/myrinet/agenda.h"
#include "emulator/network/myrinet/channel_loads.h"
#include "emulator/network/myrinet/crossbars.h"
#include "emulator/network/myrinet/deadlock_timers.h"
#include "emulator/network/myrinet/flit_runs.h"
#include "emulator/network/myrinet/host_interfaces.h"
#include "emulator/network/myrinet/interface_program.h"
#include "emulator/network/myrinet/packet_corruption.h"
#include "emulator/network/myrinet/packet_fates.h"
#include "emulator/network/myrinet/packet_store.h"
#include "emulator/network/myrinet/parameters.h"
#include "emulator/network/myrinet/routes/route.h"
#include "emulator/network/myrinet/senders.h"
#include "emulator/network/myrinet/slack_buffers.h"
#include "emulator/network/myrinet/worm_channels.h"
#include "emulator/network/myrinet/worm_cuts.h"
#include "emulator/network/network.h"
#include "emulator/topology/fault.h"

namespace morgana {

/// A Myrinet network: source-routed wormhole switches with slack buffers and stop-and-go flow control, and
/// NICs that can send packets on (in-transit buffers). Source: Flich, López, Malumbres and Duato,
/// "Boosting the Performance of Myrinet Networks", 2002, sections 2 to 5.
///
/// A packet's flits are its route (a byte a switch, a mark before each further leg), its type, the payload
/// and a CRC. A flit that is started on a channel leaves its sender's buffer then and arrives one cable
/// later, when it may be started onward at once; starts on a channel are at least a flit apart. At a switch
///   - the packet at the front of an input requests the output that its first flit names, by its number or by
///     a turn (output_port); inputs are served round-robin; the output is held from the grant on, and one
///     routing time later the flit is removed and the others follow as they come, until one flit after the
///     start of the last one;
///   - an input whose buffer holds more than stop_above flits sends a stop to the sender, and with fewer than
///     go_below a go, which works one control time later.
///   - a header that waits for its output for the deadlock timeout is dropped with its packet, and an output
///     that stands still with a packet for as long is cut off. Its clock starts when routing has ended, the
///     output is stopped and its cable is clear, whichever comes last; a go or the channel's failure in the
///     instant in which the time is up comes first, while grants and the drop of headers come after. What has
///     left ends in a bad tail, a flit that heeds no stop and is counted as carried; a receiver drops the
///     packet for it. The rest is swallowed, and the output is granted to the next. The packet is lost once,
///     wherever the foremost of its pieces ends. Hosts' own channels wait without bound: what stops them has
///     not. Source: Boden et al., "Myrinet: A Gigabit-per-Second Local Area Network", 1995.
/// On a quiet network a packet whose route has h cables between switches and n in-transit hosts is delivered
///   routing (h + 1 + n) + cable (h + 2 + 2 n) + flit (type + payload + CRC) + n (detection +
///   dma_programming)
/// after its injection. NICs receive at full speed unless they say stop (stop_towards). Packets of the
/// same two hosts keep their order, unless one of them goes through an in-transit host's memory
/// (PoolOverflow::host_memory).
///
/// The results are those of a simulation flit by flit, to the picosecond, but there is no event for a flit:
/// a sender's flits are *runs*, and what a buffer holds follows from the run that fills it and the run that
/// empties it. Events are the arrival of a header, the end of routing, the end of a run, stops and gos.
class MyrinetNetwork : public Network, private EventHandler, private myrinet::SenderListener {
 public:
  using UnitLoss = myrinet::UnitLoss;
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
  static constexpr PortId anywhere = myrinet::HostInterfaces::anywhere;
  /// A packet has no greatest length, but simulated time an end: its flits take at most 2^60 ps, a quarter of
  /// that. At 1 kb/s that makes 144 MB, from 7.63 Mb/s on 1 TiB, which is the most in any case.
  Bytes largest_unit() const override;
  std::size_t hosts() const { return hosts_.hosts(); }
  SimTime least_latency() const override;
  NetworkCapabilities capabilities() const override { return {.fails = cuts_.any_failure()}; }
  std::string how_lost() const override { return fates_.how_lost(channels_, parameters_.deadlock_timeout); }
  std::string remedy() const override { return fates_.hint(); }
  /// What became of packets. @param until  not used: nothing changes between now and then
  std::vector<CounterTable> counted(SimTime until) override;
  /// In flits, routes, types and CRCs included, since the last begin_window().
  NetworkLinks links(SimTime until) override { return loads_.links(until); }
  /// Packets in transit at other hosts, too.
  bool follow_ports(const std::vector<bool>& ports) override {
    loads_.follow_ports(ports);
    return true;
  }
  /// Other routes, for packets injected from now on. Those under way keep theirs, so that the table before
  /// must stay as it is until they have ended.
  void follow(const RouteTable& routes);
  /// From the first injection on, to which this must be prior: what is in transit is sent on when the program
  /// says so, not after detection and dma_programming. It must outlive the network's last event.
  void run_at_interfaces(InterfaceProgram& program) { hosts_.run(program); }
  /// Once, for a packet that was reported to the program as in_transit: the NIC sends it as soon as its
  /// channel is free and its turn has come.
  void send_on(PacketAtInterface packet) { hosts_.send_on(packet); }
  /// A host's NIC has no space for more, or has it again: the signal reaches its switch one control
  /// time later, which stops in the middle of a packet, or continues. What has been sent by then still comes,
  /// for which the NIC needs the flits of a cable and a control time. No deadlock timeout runs for what
  /// a host stops.
  void stop_towards(PortId host, bool stop);

  // Faults; all at times that have not passed.
  /// From then on nothing passes: a packet that is crossing it is cut off and lost, and those behind are
  /// swallowed by its sender.
  void kill_channel(CableChannel channel, SimTime at) { cuts_.kill_channel(channel, at); }
  /// Both directions of the cable at a port.
  void kill_cable(SwitchPort end, SimTime at) { cuts_.kill_cable(end, at); }
  /// All channels that begin or end there.
  void kill_switch(SwitchId id, SimTime at) { cuts_.kill_switch(id, at); }
  void inject_faults(const NetworkFaults& faults);
  /// Decides in place of chance whether a unit is corrupted on a channel that it has crossed.
  void corrupt_when(std::function<bool(UnitId, CableChannel)> decide) {
    corruption_.decide_by(std::move(decide));
  }

  // Statistics.
  using Totals = myrinet::PacketFates::Totals;
  const Totals& totals() const { return fates_.totals(); }
  const InTransitStatistics& in_transit(HostNumber host) const { return hosts_.in_transit(host); }
  /// What follows counts from the last of these, or from the start.
  void begin_window();
  SimTime window() const { return SimTime::from_ps(loads_.window()); }
  /// Flits started on a channel while it was alive.
  std::int64_t flits_carried(CableChannel channel) const { return loads_.flits_carried(channel); }
  /// From a stop's arrival at the channel's sender to the go's, whether or not it had anything to send.
  SimTime time_stopped(CableChannel channel) const { return loads_.time_stopped(channel); }
  /// How long packets were in a NIC's pool, added up over them.
  SimTime time_in_pool(HostNumber host) const { return SimTime::from_ps(hosts_.time_in_pool(host)); }
  /// flits_carried x flit / window; 0 in an empty window.
  double utilisation(CableChannel channel) const { return loads_.utilisation(channel); }

 private:
  void handle(std::uint64_t event) override;
  void passage_sent(CableChannel channel, myrinet::Index passage) override;
  void run_to_host_begins(CableChannel channel) override;

  EventQueue& events_;
  const RouteTable* routes_;
  MyrinetParameters parameters_;
  // Each knows those above it.
  myrinet::Agenda agenda_;
  myrinet::WormChannels channels_;
  myrinet::PacketStore packets_;
  myrinet::PacketFates fates_;
  myrinet::PacketCorruption corruption_;
  myrinet::FlitRuns runs_;
  myrinet::ChannelLoads loads_;
  myrinet::DeadlockTimers timers_;
  myrinet::SlackBuffers slack_;
  myrinet::Senders senders_;
  myrinet::HostInterfaces hosts_;
  myrinet::WormCuts cuts_;
  myrinet::Crossbars crossbars_;
};

}  // namespace morgana
