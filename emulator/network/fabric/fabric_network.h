#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/core/pause_report.h"
#include "emulator/network/fabric/fabric_host.h"
#include "emulator/network/fabric/switch/fabric_switch.h"
#include "emulator/network/network.h"
#include "emulator/network/telemetry.h"

namespace morgana {

/// Is called whenever a packet starts on a channel. For tests and explanations; no result depends on it.
class FabricObserver {
 public:
  /// @param number  the packet's number in the order of injection, from 0
  /// @param now  when its first bit enters the channel
  virtual void started(std::uint64_t number, CableChannel channel, VirtualChannel virtual_channel,
                       SimTime now) = 0;

 protected:
  ~FabricObserver() = default;
};

/// A network of switches that forward packets on virtual channels, with flow control by credits, by pause
/// frames or without flow control. docs/fabric.md has its rules. A port is a host, and a unit is one packet.
///
/// Cost: a packet takes one event at each switch and two at its ends. Space and links that become free need
/// no event of their own: their times are stored, and an event is scheduled only if a packet waits for them.
class FabricNetwork final : public Network,
                            public MarkingNetwork,
                            public TelemetryNetwork,
                            public TrimmingNetwork,
                            private EventHandler,
                            private fabric::Carrier {
 public:
  /// @param tables  the routings, made for the graph of `network`
  /// @param faults  its failures; `tables` must route around them
  /// @throws Error for parameters that are out of range or contradict each other (fabric/check.h). Examples:
  /// buffers and queues that don't hold the largest packet, more than 16 virtual channels, cables without
  /// propagation delay, tables of weights that leave out a group
  FabricNetwork(EventQueue& events, CabledGraph network, const fabric::FabricParameters& parameters,
                SwitchTables tables, const NetworkFaults& faults = {});
  /// With one routing for the whole run, and without failures.
  FabricNetwork(EventQueue& events, const CabledGraph& network, const fabric::FabricParameters& parameters,
                std::shared_ptr<const Routing> routing)
      : FabricNetwork(events, network, parameters, SwitchTables(network, std::move(routing))) {}
  ~FabricNetwork() override;
  /// @param observer  replaces the previous one; must outlive the network
  void observe(FabricObserver& observer) { observer_ = &observer; }

  /// @throws Error if the unit is larger than the payload of the largest packet
  void inject(const Unit& unit) override;
  Bytes largest_unit() const override { return parameters_.packet.largest; }
  SimTime least_latency() const override { return least_latency_; }
  NetworkCapabilities capabilities() const override;
  NetworkExtensions extensions() override {
    return {
        .marking = this, .telemetry = this, .trimming = parameters_.trim.size > Bytes(0) ? this : nullptr};
  }
  std::string how_lost() const override;
  std::string remedy() const override;
  std::string standstill() const override;
  std::vector<CounterTable> counted(SimTime until) override;
  std::vector<TroubleCount> troubles(SimTime until) override;
  NetworkLinks links(SimTime until) override;
  bool follow_ports(const std::vector<bool>& ports) override {
    links_.counts().follow(ports);
    return true;
  }

  /// Ports from this number on belong to reduction units inside switches. links() and counted() leave out the
  /// links to and from them.
  void hide_ports_from(std::size_t port) { first_hidden_ = port; }

  /// The sending ends of all channels, with their counters, credits and queue limits.
  fabric::Links& channel_ends() { return links_; }
  /// The pauses up to `until`, which is as for counted(). Only with FlowControl::pause.
  PauseReport pauses_until(SimTime until);
  /// The pause frames that have started on a channel since the start of the run.
  std::uint64_t pause_frames(CableChannel channel) const { return links_.counts().pause_frames(channel); }
  bool delivered_marked() const override { return delivered_marked_; }
  std::span<const PortTelemetry> delivered_telemetry() const override { return delivered_telemetry_; }
  unsigned delivered_hops() const override { return delivered_hops_; }
  Trimmed delivered_trimmed() const override { return delivered_trimmed_; }
  BitRate port_rate(PortId port) const override {
    return network_.hosts[static_cast<std::size_t>(port)].rate;
  }
  Bytes on_link(Bytes unit) const override {
    return parameters_.packet.on_link(unit) + parameters_.packet.gap;
  }
  const fabric::VirtualChannels& virtual_channels() const { return channels_; }

 private:
  using Slot = fabric::Slot;
  // The lowest bits of an event are its kind; the bits above are a packet's slot, a switch or a host.
  enum What : std::uint64_t { departure, delivery, loss, look_at_switch, look_at_host, outage, storm };
  static constexpr unsigned what_bits = 3;
  static std::uint64_t event(What what, std::uint32_t number) {
    return std::uint64_t{number} << what_bits | what;
  }
  /// The times of the scheduled look events of one switch or host (FabricSwitch::look()).
  class Looks {
   public:
    /// @return whether an event must be scheduled for `when`: not if there is one at `when` or sooner
    bool add(SimTime when) {
      if (next_ <= when) return false;
      if (next_ != SimTime::max()) later_.push_back(next_);
      next_ = when;
      return true;
    }
    /// The earliest event is being handled.
    void take() {
      next_ = SimTime::max();
      if (later_.empty()) return;
      next_ = later_.back();
      later_.pop_back();
    }

   private:
    SimTime next_ = SimTime::max();  // max(): there is none
    std::vector<SimTime> later_;     // descending: the earliest last
  };

  void handle(std::uint64_t what) override;
  void started(Slot packet, CableChannel channel, unsigned virtual_channel, SimTime now, SimTime left,
               bool frees) override;
  void space_free(const fabric::Packet& packet, SimTime at) override;
  void pause_told(CableChannel channel, fabric::GroupSet paused, SimTime effect) override;
  void lost(Slot packet, fabric::Loss why, CableChannel output, SimTime gone) override;
  SimTime load(SwitchPort output) override {
    return switches_[output.at].load_before(output.port, events_.now());
  }
  void sender_may_be_allowed(CableChannel channel, SimTime at);
  void depart(Slot slot);
  void deliver(Slot slot);
  void give_back(Slot slot);
  void look_at(SwitchId at, SimTime when);
  void look_at_host_at(HostNumber host, SimTime when);
  void look_now(HostNumber host);
  SimTime find_least_latency() const;
  void take_down();
  bool is_shown(CableChannel channel) const;
  bool is_idle(CableChannel channel) const;
  std::vector<CounterTable> count(SimTime until, bool idle);
  CounterTable ejected(SimTime until) const;
  CounterTable given_up() const;
  std::string standing_before_pauses() const;
  bool is_spoilt(const fabric::Packet& packet, CableChannel channel, SimTime now, SimTime tail) const;

  EventQueue& events_;
  CabledGraph network_;
  std::size_t first_hidden_ = std::numeric_limits<std::size_t>::max();  // port number
  fabric::FabricParameters parameters_;
  SwitchTables tables_;
  Outages outages_;
  std::size_t next_change_ = 0;  // index into outages_.changes()
  fabric::VirtualChannels channels_;
  fabric::Links links_;
  fabric::Packets packets_;
  fabric::TelemetryRecords telemetry_;
  fabric::Core core_;
  bool spoils_;  // packets can be corrupted: cables fail, or there are bit errors
  std::vector<fabric::FabricSwitch> switches_;
  std::vector<fabric::FabricHost> hosts_;
  std::vector<Looks> switch_looks_, host_looks_;
  SimTime least_latency_;
  std::uint64_t injected_ = 0, without_way_ = 0, before_dead_cables_ = 0, corrupt_ = 0, given_up_ = 0;
  std::vector<std::int64_t> dropped_;  // packets, by channel and virtual channel
  FabricObserver* observer_ = nullptr;
  // Of the unit that is being delivered:
  bool delivered_marked_ = false;
  unsigned delivered_hops_ = 0;
  Trimmed delivered_trimmed_ = Trimmed::no;
  std::vector<PortTelemetry> delivered_telemetry_;
  struct Lost {
    fabric::Loss why{};
    CableChannel output = 0;
    SimTime at;
    HostNumber to = 0;
  };
  std::optional<Lost> lost_;  ///< the last packet lost
};

}  // namespace morgana
