#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include "emulator/core/random.h"
#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/network/fabric/parameters.h"
#include "emulator/routing/multipath.h"
#include "emulator/routing/routing.h"
#include "emulator/topology/cabled_graph.h"
#include "emulator/topology/fault.h"
#include "emulator/topology/switch_graph.h"
#include "tests/network/fabric/fabric_outcome.h"
#include "tests/network/fabric/random_routing.h"
#include "tests/network/fabric/reference_shared_buffer.h"

namespace morgana::testing {

struct FabricCase {
  CabledGraph network;
  fabric::FabricParameters parameters;
  std::shared_ptr<Routing> routing;
  std::vector<FabricInjection> plan;  ///< sorted by time
  NetworkFaults faults = {};
};

/// Draws a FabricCase. Flow control, queueing, output queues, forwarding and coincidence follow from the
/// seed's remainder of 48, so that any 48 seeds in a row hold all their combinations. The last 48 of each 144
/// seeds share buffers or mark packets: without credits, with output queues; marks follow from the remainder.
/// Those with pauses often have pause storms, and watchdogs. Of those with credits most mark packets.
class RandomFabric {
 public:
  enum class Kind : std::uint8_t {
    by_seed,
    pauses_without_loss,  ///< with the computed headroom, where nothing fails
    trims,                ///< where most packets may be trimmed
    watches,              ///< with pause storms and watchdogs
  };
  explicit RandomFabric(std::uint64_t seed, Kind kind = Kind::by_seed)
      : seed_(seed),
        random_(seed, "fabric"),
        coincides_(seed / 24 % 2),
        loses_(kind != Kind::pauses_without_loss),
        trims_(kind == Kind::trims),
        watches_(kind == Kind::watches),
        shares_(seed / 48 % 3 == 2 || kind != Kind::by_seed) {}

  FabricCase draw() {
    draw_packet();
    draw_graph();
    draw_links();
    draw_routing();
    draw_switching();
    draw_channels();
    draw_buffers();
    draw_plan();
    if (shares_) draw_shared();
    if (p_.flow_control == fabric::FlowControl::pause) {
      draw_storms();
      draw_watchdog();
    }
    if (loses_) draw_faults();
    if (trims_) draw_trimming();
    draw_marks_with_credits();
    return std::move(drawn_);
  }

 private:
  /// Of times that coincide: what 64 bytes take at 400 Gb/s. Every other time is a multiple.
  static constexpr std::int64_t quantum = 1'280;

  std::uint64_t below(std::uint64_t bound) { return random_.below(bound); }
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(most - least + 1)));
  }
  std::int64_t one_of(std::initializer_list<std::int64_t> numbers) {
    return *(numbers.begin() + below(numbers.size()));
  }
  Bytes largest() const { return p_.packet.on_link(p_.packet.largest); }
  unsigned groups() const { return p_.classes * drawn_.routing->virtual_channels(); }
  /// @param least  in picoseconds
  SimTime time(std::int64_t least, std::int64_t most) {
    if (!coincides_) return SimTime::from_ps(between(least, most));
    return SimTime::from_ps(
        quantum * between((least + quantum - 1) / quantum, std::min<std::int64_t>(most / quantum, 8)));
  }
  BitRate rate() {
    if (coincides_) return BitRate(one_of({50, 100, 100, 100, 200, 400}) * 1'000'000'000);
    if (random_.chance(0.5)) return BitRate(one_of({1, 10, 25, 40, 100, 400}) * 1'000'000'000);
    return BitRate(between(1'000'000'000, 400'000'000'000));
  }

  void draw_packet() {
    fabric::PacketFormat& packet = p_.packet;
    if (coincides_) {
      packet.largest = Bytes(64 * between(1, 8));
      packet.minimum = Bytes(64);
      packet.gap = Bytes(one_of({0, 0, 64}));
      return;
    }
    packet.largest = Bytes(between(1, 2'048));
    packet.header = Bytes(one_of({0, 20, between(0, 60)}));
    packet.minimum = Bytes(one_of({1, 64, between(1, 128)}));
    packet.gap = Bytes(one_of({0, 12, between(0, 60)}));
  }

  void draw_graph() {
    const std::size_t switches = 1 + below(6);
    const bool is_ring = switches > 3 && random_.chance(0.4);
    deadlocks_ = is_ring && random_.chance(0.7);
    std::vector<std::pair<SwitchId, SwitchId>> cables;
    const auto any_switch = [&](std::size_t bound) { return static_cast<SwitchId>(below(bound)); };
    for (std::size_t at = 1; at < switches; ++at) cables.emplace_back(is_ring ? at - 1 : any_switch(at), at);
    if (is_ring) cables.emplace_back(switches - 1, 0);
    if (switches > 1 && !is_ring)
      for (std::size_t more = below(6); more > 0; --more) {
        const SwitchId a = any_switch(switches), b = any_switch(switches);
        cables.push_back(a == b ? cables[below(cables.size())] : std::pair(a, b));
      }
    // Hosts and cables take their ports in any order, and some ports stay free. A host is a pair of equal
    // switches.
    for (std::size_t left = deadlocks_ ? 8 : 2 + below(7); left > 0; --left) {
      const SwitchId at = deadlocks_ ? static_cast<SwitchId>(left % switches) : any_switch(switches);
      cables.emplace_back(at, at);
    }
    for (std::size_t i = cables.size(); i > 1; --i) std::swap(cables[i - 1], cables[below(i)]);
    std::vector<unsigned> ports(switches);
    for (const auto& [a, b] : cables) {
      ++ports[a];
      if (a != b) ++ports[b];
    }
    SwitchGraph& graph = drawn_.network.graph;
    for (const unsigned used : ports) graph.add_switch(std::max(used, 1U) + static_cast<unsigned>(below(3)));
    for (const auto& [a, b] : cables) {
      if (a == b)
        graph.add_host(a);
      else
        graph.connect(a, b);
    }
  }

  void draw_links() {
    const bool equal = random_.chance(coincides_ ? 0.5 : 0.3);
    const auto link = [&] { return Link{rate(), time(1, random_.chance(0.5) ? 200'000 : 5'000)}; };
    const Link common = link();
    const Link trunk = link();
    const auto draw = [&](std::vector<Link>& links, std::size_t count, const Link& usual) {
      for (std::size_t cable = 0; cable < count; ++cable)
        links.push_back(equal ? common : random_.chance(0.5) ? usual : link());
    };
    draw(drawn_.network.trunks, drawn_.network.graph.cables().size(), trunk);
    draw(drawn_.network.hosts, drawn_.network.graph.hosts(), common);
  }

  void draw_routing() {
    const SwitchGraph& graph = drawn_.network.graph;
    const auto all = [](CableChannel) { return true; };
    switch (below(6)) {
      case 0:
        drawn_.routing = std::make_shared<EcmpRouting>(graph, all, seed_);
        break;
      case 1:
        drawn_.routing = std::make_shared<ModKRouting>(graph, all, ModKRouting::End::destination);
        break;
      case 2:
        drawn_.routing = std::make_shared<LeastLoadedRouting>(graph, all);
        break;
      default: {
        RandomRoutingTraits traits;
        traits.virtual_channels = 1 + static_cast<unsigned>(below(4));
        traits.by_load = random_.chance(0.4);
        traits.elsewhere = random_.chance(0.3);
        traits.one_lost_in = random_.chance(0.2) && loses_ ? 10 : 0;
        if (traits.elsewhere) draw_news();
        drawn_.routing = std::make_shared<RandomRouting>(graph, traits, seed_);
      }
    }
  }

  /// By numbers of its own: every other draw stays as it is.
  void draw_news() {
    RandomStream random(seed_, "news of loads");
    const auto time = [&] {
      return SimTime::from_ps(coincides_ ? quantum * static_cast<std::int64_t>(random.below(200))
                                         : 1 + static_cast<std::int64_t>(random.below(400'000)));
    };
    if (random.chance(0.6)) p_.loads.delay = time();
    if (random.chance(0.4)) p_.loads.period = time();
  }

  void draw_switching() {
    p_.flow_control = seed_ % 2 ? fabric::FlowControl::credits : fabric::FlowControl::none;
    p_.queueing = static_cast<fabric::Queueing>(seed_ / 2 % 3);
    if (shares_) {
      const bool pauses = !trims_ && (seed_ % 2 == 1 || !loses_ || watches_);
      p_.flow_control = pauses ? fabric::FlowControl::pause : fabric::FlowControl::none;
      p_.queueing = fabric::Queueing::output_queues;
    }
    p_.forwarding = static_cast<fabric::Forwarding>(seed_ / 12 % 2);
    p_.input_arbitration = static_cast<fabric::InputArbitration>(below(2));
    p_.speedup = 1 + static_cast<unsigned>(below(3));
    p_.latency = random_.chance(0.2) ? SimTime() : time(1, 150'000);
    p_.credit_delay = random_.chance(0.4) ? SimTime() : time(1, 20'000);
    if (random_.chance(0.4)) p_.ejection = rate();
    if (random_.chance(0.3)) p_.injection_latency = time(1, 150'000);
    if (random_.chance(0.3)) p_.delivery_latency = time(1, 150'000);
  }

  void draw_channels() {
    const unsigned routings = drawn_.routing->virtual_channels();
    do {
      p_.classes = 1 + static_cast<unsigned>(below(3));
      p_.lanes = shares_ ? 1 : 1 + static_cast<unsigned>(below(3));
    } while (p_.classes * routings * p_.lanes > 16);
    p_.lane_arbitration = static_cast<fabric::LaneArbitration>(below(4));
    if (p_.lane_arbitration == fabric::LaneArbitration::weighted) draw_tables();
    if (p_.lane_arbitration != fabric::LaneArbitration::deficit_round_robin) return;
    const double strict = random_.chance(0.2) ? 1 : 0.3;  // share of the classes
    for (unsigned one = 0; one < p_.classes; ++one)
      p_.class_weights.push_back(random_.chance(strict) ? 0 : static_cast<unsigned>(between(1, 4)));
  }

  void draw_tables() {
    fabric::LaneTables& tables = p_.tables;
    const std::int64_t heaviest = one_of({4, 30, 255});
    const auto add = [&](std::vector<fabric::LaneWeight>& table, std::uint64_t group) {
      const auto place = table.begin() + between(0, static_cast<std::int64_t>(table.size()));
      table.insert(place, {static_cast<unsigned>(group), static_cast<unsigned>(between(1, heaviest))});
    };
    for (unsigned group = 0; group < groups(); ++group) {
      const std::uint64_t where = below(3);
      if (where != 0) add(tables.high, group);
      if (where != 1) add(tables.low, group);
    }
    for (std::size_t more = below(4); more > 0; --more) {
      const std::uint64_t group = below(groups());
      add(random_.chance(0.5) ? tables.high : tables.low, group);
    }
    tables.high_limit = static_cast<unsigned>(one_of({0, 1, 1, 2, 255}));
  }

  /// For one packet at least, in whole units.
  Bytes buffer() {
    const std::int64_t unit = p_.credit_unit.count();
    const std::int64_t one = (largest().count() + unit - 1) / unit;
    const std::int64_t units = one + between(0, random_.chance(0.6) ? one : 10 * one);
    return Bytes(units * unit + (coincides_ ? 0 : between(0, unit - 1)));
  }

  void draw_buffers() {
    p_.credit_unit = Bytes(one_of({1, 8, 64, 64, 128}));
    p_.buffer = buffer();
    p_.host_buffer = buffer();
    if (seed_ / 6 % 2)
      p_.output_queue =
          coincides_ ? between(1, 4) * largest() : largest() + Bytes(between(0, 3 * largest().count()));
    if (random_.chance(0.5)) p_.output_packets = between(1, 6);
  }

  HostNumber two_switches_on(HostNumber from) const {
    const SwitchGraph& graph = drawn_.network.graph;
    return graph.hosts_at((graph.port_of(from).at + 2) % static_cast<SwitchId>(graph.switches())).front();
  }

  void draw_plan() {
    const auto hosts = static_cast<std::int64_t>(drawn_.network.graph.hosts());
    const auto host = [&](std::int64_t bound) { return static_cast<HostNumber>(between(0, bound - 1)); };
    // Of all hosts together, so that the load lies between little and far too much.
    const std::int64_t pause =
        between(0, deadlocks_ ? 1 : 4) * drawn_.network.hosts[0].rate.time_for(largest()).ps() / hosts;
    const double burst = random_.uniform();
    const double hot = random_.chance(shares_ ? 0.7 : 0.4) ? 0.7 : 0.0;
    const bool full = random_.chance(0.3);
    const HostNumber target = host(hosts);
    SimTime at;
    for (std::int64_t left = between(5, 120); left > 0; --left) {
      if (!random_.chance(burst))
        at += coincides_ ? time(0, 2 * pause) : SimTime::from_ps(between(0, 2 * pause));
      FabricInjection unit;
      unit.at = at;
      unit.from = host(hosts);
      unit.to = random_.chance(hot) && unit.from != target ? target : host(hosts - 1);
      if (unit.to == unit.from) unit.to = static_cast<HostNumber>(hosts - 1);
      if (deadlocks_ && random_.chance(0.9)) unit.to = two_switches_on(unit.from);
      unit.payload = full ? p_.packet.largest : Bytes(between(0, p_.packet.largest.count()));
      if (coincides_) unit.payload = Bytes((unit.payload.count() + 63) / 64 * 64);
      unit.traffic_class = static_cast<unsigned>(below(p_.classes));
      drawn_.plan.push_back(unit);
    }
  }

  /// A memory that is full after a few packets in the switch whose reserves and headrooms are largest.
  void draw_shared() {
    p_.packet.largest =
        std::max_element(drawn_.plan.begin(), drawn_.plan.end(), [](const auto& a, const auto& b) {
          return a.payload < b.payload;
        })->payload;
    draw_marks();
    const bool pauses = p_.flow_control == fabric::FlowControl::pause;
    if (!pauses && random_.chance(0.2)) return;
    const std::int64_t one = largest().count();
    const auto up_to = [&](std::int64_t least, std::int64_t packets) {
      const std::int64_t bytes = between(least, packets * one);
      return Bytes(coincides_ ? (bytes + 63) / 64 * 64 : bytes);
    };
    fabric::SharedBufferParameters& shared = p_.shared;
    shared.alpha = random_.chance(0.7) ? static_cast<double>(one_of({1, 2, 4, 8, 8, 16, 32})) / 8
                                       : 0.05 + 4 * random_.uniform();
    if (random_.chance(0.5)) shared.reserve = up_to(1, 3);
    if (pauses) {
      if (loses_ && random_.chance(0.5)) shared.headroom = up_to(one, 3);
      if (random_.chance(0.5)) shared.resume = up_to(1, 2);
      shared.pause_frame = coincides_ ? Bytes(64) : Bytes(one_of({1, 64, 64, between(1, 2'048)}));
      if (random_.chance(0.5)) shared.pause_delay = time(1, 50'000);
    }
    // The largest packet fits into an empty switch.
    const double beyond_reserve =
        static_cast<double>(std::max<std::int64_t>(0, one - shared.reserve.count()));
    const auto least = static_cast<std::int64_t>(std::ceil(beyond_reserve / std::min(1.0, shared.alpha)));
    const bool in_headroom = pauses && random_.chance(0.3);  // which holds a packet
    const Bytes pool = Bytes(in_headroom ? 0 : least) + up_to(0, one_of({1, 1, 3, 10}));
    Bytes most;
    const SwitchGraph& graph = drawn_.network.graph;
    for (SwitchId at = 0; at < graph.switches(); ++at) {
      Bytes of_accounts;
      for (unsigned port = 0; port < graph.ports(at); ++port)
        if (const SwitchPort here{at, static_cast<PortNumber>(port)}; !graph.neighbour(here).is_nothing())
          of_accounts += groups() * (shared.reserve + reference_headroom(drawn_.network, p_, here));
      most = std::max(most, of_accounts);
    }
    shared.size = most + pool;
  }

  /// A time within the plan, often of a packet's injection, or soon after it, when much of the traffic is
  /// still under way.
  SimTime instant() {
    if (random_.chance(0.3)) return drawn_.plan[below(drawn_.plan.size())].at;
    const std::int64_t last = drawn_.plan.back().at.ps();
    const std::int64_t most = last + between(0, 1) * last + 20 * packet_time().ps();
    return coincides_ ? SimTime::from_ps(quantum * between(0, most / quantum))
                      : SimTime::from_ps(between(0, most));
  }
  /// Of a largest packet on a host's cable, in whole quanta if times coincide.
  SimTime packet_time() {
    const SimTime whole = drawn_.network.hosts[below(drawn_.network.hosts.size())].rate.time_for(largest());
    return coincides_ ? SimTime::from_ps((whole.ps() + quantum - 1) / quantum * quantum) : whole;
  }
  /// Of 1 ps or a quantum up to so many packet times.
  SimTime span(std::int64_t packets) {
    const std::int64_t least = coincides_ ? quantum : 1;
    return SimTime::from_ps(least * between(1, packets * packet_time().ps() / least));
  }

  /// Several of one host overlap.
  void draw_storms() {
    if (!watches_ && !random_.chance(0.7)) return;
    const bool of_one = random_.chance(0.5);
    const auto any_host = [&] { return static_cast<HostNumber>(below(drawn_.network.graph.hosts())); };
    const HostNumber one = random_.chance(0.6) ? drawn_.plan.front().to : any_host();
    for (std::uint64_t left = 1 + below(6); left > 0; --left) {
      fabric::PauseStorm storm;
      storm.host = of_one ? one : any_host();
      storm.classes = 1 + static_cast<std::uint32_t>(below((1U << p_.classes) - 1));
      storm.from = random_.chance(0.1) ? SimTime() : instant();
      if (!random_.chance(0.1)) storm.until = storm.from + span(one_of({1, 5, 30, 100}));
      p_.storms.push_back(storm);
    }
  }

  void draw_watchdog() {
    if (!loses_ || (!watches_ && !random_.chance(0.6))) return;
    p_.shared.watchdog = span(one_of({1, 3, 10}));
    if (random_.chance(0.7)) p_.shared.restore = span(one_of({1, 3, 10}));
  }

  void draw_marks() {
    const std::uint64_t which = seed_ / 2 % 3;
    if (which == 0) return;
    p_.marks.when = which == 1 ? fabric::MarkWhen::joining : fabric::MarkWhen::leaving;
    p_.marks.to = Bytes(between(1, 4 * largest().count()));
    p_.marks.from = random_.chance(0.4) ? p_.marks.to : Bytes(between(0, p_.marks.to.count()));
    p_.marks.share = random_.chance(0.3) ? 1 : random_.uniform();
  }

  /// From few bytes to a few packets: exact lengths of queues where times coincide. Without credits `victims`
  /// says nothing.
  void draw_marks_with_credits() {
    p_.marks.victims = static_cast<fabric::MarkVictims>(below(3));
    if (p_.flow_control != fabric::FlowControl::credits || !random_.chance(0.7)) return;
    p_.marks.when = static_cast<fabric::MarkWhen>(below(2));
    const std::int64_t unit = coincides_ ? 64 : 1;
    const std::int64_t most = one_of({1, 1, 2, 4}) * largest().count() / unit;
    p_.marks.to = Bytes(unit * between(1, std::max<std::int64_t>(1, most)));
    p_.marks.from = random_.chance(0.4) ? p_.marks.to : Bytes(between(0, p_.marks.to.count()));
    p_.marks.share = random_.chance(0.3) ? 1 : random_.uniform();
  }

  /// Hosts' cables, trunks and switches, within the time of the plan and a little after it.
  void draw_faults() {
    if (random_.chance(0.15)) p_.bit_error_rate = 0.1 / (8 * static_cast<double>(largest().count()));
    if (!random_.chance(0.3)) return;
    const SwitchGraph& graph = drawn_.network.graph;
    const std::int64_t length = drawn_.plan.back().at.ps() + 400'000;
    for (std::size_t left = 1 + below(3); left > 0; --left) {
      NetworkFault fault;
      fault.part = random_.chance(0.2) ? NetworkFault::Part::a_switch : NetworkFault::Part::cable;
      const bool of_host = graph.cables().empty() || random_.chance(0.3);
      fault.at = of_host ? graph.port_of(static_cast<HostNumber>(below(graph.hosts())))
                         : graph.cables()[below(graph.cables().size())].a;
      fault.when = time(0, length);
      if (random_.chance(0.6)) fault.until = fault.when + time(1, length);
      drawn_.faults.push_back(fault);
    }
  }

  /// Some packets are no larger than a header, and queues of headers are full as well.
  void draw_trimming() {
    if (p_.shared.size == Bytes(0) && p_.output_queue == Bytes(0) && p_.output_packets == 0)
      p_.output_packets = between(1, 4);
    const std::int64_t least =
        std::max({p_.packet.minimum.count(), p_.packet.header.count(), std::int64_t{1}});
    p_.trim.size = Bytes(std::min(largest().count(), least + (coincides_ ? 0 : between(0, 100))));
    p_.trim.traffic_class = static_cast<unsigned>(below(p_.classes));
    for (FabricInjection& unit : drawn_.plan) unit.may_be_trimmed = random_.chance(0.8);
    if (random_.chance(0.5)) p_.trim.which = fabric::TrimParameters::Which::either;
  }

  std::uint64_t seed_;
  RandomStream random_;
  bool coincides_;
  bool loses_, trims_, watches_, shares_;
  bool deadlocks_ = false;  ///< easily: a ring, crowded with packets that go two switches on
  FabricCase drawn_;
  fabric::FabricParameters& p_ = drawn_.parameters;
};

/// A random case. Equal seeds give equal cases.
inline FabricCase random_fabric(std::uint64_t seed) {
  return RandomFabric(seed).draw();
}

}  // namespace morgana::testing
