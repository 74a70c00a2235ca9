#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "emulator/network/myrinet/myrinet_network.h"
#include "tests/network/myrinet/worm_case.h"

namespace morgana::testing {

inline SwitchGraph switch_graph(const WormGraph& worm_graph) {
  SwitchGraph graph;
  for (const std::uint32_t ports : worm_graph.ports) graph.add_switch(ports);
  const auto port = [](const WormGraph::At& at) {
    return SwitchPort{at.number, static_cast<PortNumber>(at.port)};
  };
  for (const WormGraph::At& host : worm_graph.hosts) graph.add_host(port(host));
  for (const auto& [a, b] : worm_graph.trunks) graph.connect(port(a), port(b));
  return graph;
}

/// The graph's number of each of a WormGraph's channels.
inline std::vector<CableChannel> channel_numbers(const WormGraph& worm_graph, const SwitchGraph& graph) {
  std::vector<CableChannel> numbers;
  for (const auto& trunk : worm_graph.trunks)
    for (const WormGraph::At& end : {trunk.a, trunk.b})
      numbers.push_back(graph.channel_from(SwitchPort{end.number, static_cast<PortNumber>(end.port)}));
  for (HostNumber host = 0; host < worm_graph.hosts.size(); ++host) {
    numbers.push_back(graph.channel_from(host));
    numbers.push_back(graph.channel_from(graph.port_of(host)));
  }
  return numbers;
}

inline std::vector<RouteByte> header_of(const PlannedWorm& worm) {
  std::vector<RouteByte> header;
  for (std::size_t leg = 0; leg < worm.legs.size(); ++leg) {
    if (leg > 0) header.push_back(in_transit_mark);
    for (const std::uint32_t byte : worm.legs[leg]) header.push_back(static_cast<RouteByte>(byte));
  }
  return header;
}

/// The planned packets' routes; the packets of two hosts must all have the same.
inline RouteTable route_table(const WormCase& given, const SwitchGraph& graph) {
  RouteTable table = RouteTable::row_per_host(graph);
  for (const PlannedWorm& worm : given.plan)
    if (worm.to != PlannedWorm::anywhere) table.set(worm.from, worm.to, header_of(worm));
  return table;
}

inline MyrinetParameters myrinet_parameters(const WormParameters& from) {
  MyrinetParameters to;
  to.flit = from.flit;
  to.cable = from.cable;
  to.control = from.control;
  to.routing = from.routing;
  to.routing_unit = from.one_routing_unit ? RoutingUnit::each_switch : RoutingUnit::each_output;
  to.slack = from.buffer;
  to.stop_above = from.stop_above;
  to.go_below = from.go_below;
  to.type_bytes = from.type_bytes;
  to.detection = from.detection;
  to.dma_programming = from.programming;
  to.priority_threshold = static_cast<std::int64_t>(from.priority_threshold);
  to.pool = Bytes(from.pool);
  to.overflow = from.overflow_to_host_memory ? PoolOverflow::host_memory : PoolOverflow::discard;
  to.host_memory_delay = from.host_memory_delay;
  to.deadlock_timeout = from.deadlock_timeout.value_or(SimTime());
  return to;
}

/// Has packets sent on as WormParameters::program says, and notes what it is told.
class CountingProgram final : public InterfaceProgram, private EventHandler {
 public:
  CountingProgram(EventQueue& events, MyrinetNetwork& network, std::size_t hosts, SimTime time)
      : events_(events), network_(network), time_(time), programmed_(hosts), notes_(hosts) {}
  std::vector<InterfaceNote> notes(std::size_t host) const {
    std::vector<InterfaceNote> sorted = notes_[host];
    std::sort(sorted.begin(), sorted.end());
    return sorted;
  }

 private:
  using Note = InterfaceNote::What;
  void note(PortId at, Note what) {
    notes_.at(static_cast<std::size_t>(at)).push_back({events_.now(), what});
  }
  void early_received(PortId at, PacketAtInterface packet, ArrivalKind kind) override {
    if (kind == ArrivalKind::for_host) return note(at, Note::early);
    if (kind == ArrivalKind::no_room) return note(at, Note::early_no_room);
    note(at, Note::early_in_transit);
    const SimTime wait = time_ * (programmed_.at(static_cast<std::size_t>(at))++ % 4);
    if (wait == SimTime()) return network_.send_on(packet);
    events_.schedule(events_.now() + wait, *this, static_cast<std::uint64_t>(packet));
  }
  void in_transit_received(PortId at, PacketAtInterface) override { note(at, Note::received); }
  void in_transit_departed(PortId at, PacketAtInterface) override { note(at, Note::departed); }
  void handle(std::uint64_t packet) override {
    network_.send_on(PacketAtInterface{static_cast<std::uint32_t>(packet)});
  }

  EventQueue& events_;
  MyrinetNetwork& network_;
  SimTime time_;
  std::vector<std::int64_t> programmed_;
  std::vector<std::vector<InterfaceNote>> notes_;
};

/// Gives a case to the shipped model and keeps what is reported, failing the test on any report too many or
/// out of order.
class WormExperiment : private EventHandler, private UnitListener {
 public:
  explicit WormExperiment(const WormCase& given, std::uint64_t seed = 1)
      : given_(given),
        graph_(switch_graph(given.graph)),
        routes_(route_table(given, graph_)),
        numbers_(channel_numbers(given.graph, graph_)),
        network_(events_, graph_, routes_, myrinet_parameters(given.parameters), seed) {
    network_.report_to(*this);
    if (given.parameters.program) {
      program_.emplace(events_, network_, given.graph.hosts.size(), *given.parameters.program);
      network_.run_at_interfaces(*program_);
    }
    for (const ChannelDeath& death : given.deaths) network_.kill_channel(numbers_[death.channel], death.at);
    std::set<std::pair<std::uint64_t, CableChannel>> corruptions;
    for (const Corruption& each : given.corruptions) corruptions.emplace(each.worm, numbers_[each.channel]);
    network_.corrupt_when([corruptions](UnitId unit, CableChannel channel) {
      return corruptions.contains({static_cast<std::uint64_t>(unit), channel});
    });
  }

  WormResults run() {
    results_.fates.assign(given_.plan.size(), {});
    results_.delivered_to.assign(given_.plan.size(), PlannedWorm::anywhere);
    for (std::size_t worm = 0; worm < given_.plan.size(); ++worm)
      events_.schedule(given_.plan[worm].at, *this, worm);
    for (std::size_t one = 0; one < given_.stops.size(); ++one)
      events_.schedule(given_.stops[one].at, *this, given_.plan.size() + one);
    while (!events_.empty()) events_.handle_next();
    for (const CableChannel number : numbers_)
      results_.channels.push_back(
          {static_cast<std::uint64_t>(network_.flits_carried(number)), network_.time_stopped(number)});
    for (HostNumber host = 0; host < given_.graph.hosts.size(); ++host) {
      const InTransitStatistics& pool = network_.in_transit(host);
      results_.pools.push_back(
          {pool.packets, pool.overflows, pool.most_packets, pool.most_bytes, network_.time_in_pool(host)});
      results_.notes.push_back(program_ ? program_->notes(host) : std::vector<InterfaceNote>());
    }
    return results_;
  }

  MyrinetNetwork& network() { return network_; }
  /// What was told when the packet was lost; empty if it wasn't.
  const std::string& how_lost(std::size_t worm) { return told_[worm]; }
  EventQueue& events() { return events_; }
  const SwitchGraph& graph() const { return graph_; }

 private:
  void handle(std::uint64_t worm) override {
    if (worm >= given_.plan.size()) {
      const InterfaceStop& one = given_.stops[worm - given_.plan.size()];
      return network_.stop_towards(PortId{one.host}, one.stop);
    }
    const PlannedWorm& planned = given_.plan[worm];
    static_assert(MyrinetNetwork::anywhere == PortId{PlannedWorm::anywhere});
    const Unit unit{UnitId{worm}, PortId{planned.from}, PortId{planned.to}, Bytes(planned.bytes)};
    // A route of its own and the same one from the table are all one.
    if (planned.to == PlannedWorm::anywhere || worm % 3 == 0) {
      network_.inject(unit, header_of(planned));
    } else {
      network_.inject(unit);
    }
  }
  Fate& fate(UnitId id) { return results_.fates.at(static_cast<std::size_t>(id)).times; }
  void unit_departed(UnitId id, PortId from) override {
    EXPECT_FALSE(fate(id).departed || fate(id).delivered || fate(id).lost);
    EXPECT_EQ(from, PortId{given_.plan.at(static_cast<std::size_t>(id)).from});
    fate(id).departed = events_.now();
  }
  void unit_delivered(UnitId id, PortId to) override {
    EXPECT_TRUE(fate(id).departed && !fate(id).delivered && !fate(id).lost);
    const std::uint32_t planned = given_.plan.at(static_cast<std::size_t>(id)).to;
    if (planned != PlannedWorm::anywhere) {
      EXPECT_EQ(to, PortId{planned});
    }
    results_.delivered_to.at(static_cast<std::size_t>(id)) = static_cast<std::uint32_t>(to);
    fate(id).delivered = events_.now();
  }
  void unit_lost(UnitId id) override {
    EXPECT_TRUE(fate(id).departed && !fate(id).delivered && !fate(id).lost);
    fate(id).lost = events_.now();
    const WormLoss why = reason_of_last_loss();
    results_.fates.at(static_cast<std::size_t>(id)).why = why;
    told_[static_cast<std::size_t>(id)] = network_.how_lost();
    EXPECT_FALSE(network_.how_lost().empty());
    EXPECT_TRUE(why != WormLoss::dead_channel || names_a_death(network_.how_lost())) << network_.how_lost();
  }
  /// Of those that have happened.
  bool names_a_death(const std::string& told) const {
    return given_.deaths.empty() ||  // it was killed by name
           std::any_of(given_.deaths.begin(), given_.deaths.end(), [&](const ChannelDeath& death) {
             return death.at <= events_.now() &&
                    told.find(graph_.describe(numbers_[death.channel]) + ",") != std::string::npos;
           });
  }
  /// The one that has been counted since the last loss.
  WormLoss reason_of_last_loss() {
    using UnitLoss = MyrinetNetwork::UnitLoss;
    const std::pair<UnitLoss, WormLoss> reasons[] = {{UnitLoss::deadlock, WormLoss::deadlock},
                                                     {UnitLoss::no_such_port, WormLoss::no_such_port},
                                                     {UnitLoss::route_used_up, WormLoss::route_used_up},
                                                     {UnitLoss::route_left_over, WormLoss::route_left_over},
                                                     {UnitLoss::wrong_host, WormLoss::wrong_host},
                                                     {UnitLoss::corrupted, WormLoss::corrupted},
                                                     {UnitLoss::dead_channel, WormLoss::dead_channel},
                                                     {UnitLoss::pool_overflow, WormLoss::pool_overflow}};
    WormLoss found = WormLoss::none;
    for (const auto& [loss, why] : reasons)
      if (network_.totals().lost_for(loss) > before_.lost_for(loss)) found = why;
    before_ = network_.totals();
    return found;
  }

  WormCase given_;
  EventQueue events_;
  SwitchGraph graph_;
  RouteTable routes_;
  std::vector<CableChannel> numbers_;
  MyrinetNetwork network_;
  std::optional<CountingProgram> program_;
  MyrinetNetwork::Totals before_;
  WormResults results_;
  std::map<std::size_t, std::string> told_;
};

}  // namespace morgana::testing
