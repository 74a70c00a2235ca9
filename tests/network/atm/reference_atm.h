#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "emulator/network/atm/atm_network.h"
#include "emulator/network/atm/cell.h"
#include "emulator/topology/cable_plan.h"
#include "tests/network/atm/reference_abr.h"
#include "tests/network/atm/reference_atm_state.h"
#include "tests/network/harness.h"

namespace morgana::testing {

/// Cells that went one by one: the oracle for AtmNetwork. An event for every step of every cell: into the
/// sending stage (when the host's work on its packet is done), out of it, off the link, into the output's
/// queue, out of it, out of the receiving stage. Every queue is a queue, occupancy is counted. Background
/// comes from the same sources, a cell at a time. Receivers put packets together as AAL5 does: cell after
/// cell of a channel, up to one that is marked as the end; what they have then is a packet if it is just the
/// cells of one. ABR connections have a source and, at the outputs that they
/// pass, ERICA, both written plainly by themselves.
class ReferenceAtm {
 public:
  ReferenceAtm(const AtmParameters& parameters, std::uint64_t seed)
      : parameters_(parameters),
        plan_of_cables_(cable_plan_of(parameters.network)),
        trunk_towards_(atm_reference::trunks_towards(plan_of_cables_)) {
    const CablePlan& topology = plan_of_cables_;
    switches_.resize(topology.switches);
    for (std::uint32_t h = 0; h < topology.hosts.size(); ++h) {
      const CablePlan::Access& access = topology.hosts[h];
      hosts_.emplace_back().link = access.link;
      switches_[access.at].outputs.push_back({access.link, true, h, 0, {}, {}, false, 0, 0});
    }
    for (std::uint32_t t = 0; t < topology.trunks.size(); ++t) {
      const CablePlan::Trunk& trunk = topology.trunks[t];
      auto& a = switches_[trunk.a].outputs;
      auto& b = switches_[trunk.b].outputs;
      const auto port_a = static_cast<std::uint32_t>(a.size()), port_b = static_cast<std::uint32_t>(b.size());
      a.push_back({trunk.link, false, trunk.b, port_b, {}, {}, false, 0, t});
      b.push_back({trunk.link, false, trunk.a, port_a, {}, {}, false, 0, t});
    }
    for (std::uint32_t s = 0; s < topology.switches; ++s)
      switches_[s].background = std::make_unique<atm::Background>(
          parameters.switches.background, atm::cell_time(topology.hosts.front().link),
          static_cast<std::uint32_t>(switches_[s].outputs.size()), seed, "atm switch " + std::to_string(s));
    if (tells_rates())
      for (OneSwitch& here : switches_)
        for (Output& output : here.outputs)
          output.erica.emplace(parameters.switches.feedback,
                               1e12 / static_cast<double>(atm::cell_time(output.link).ps()));
  }

  std::vector<Fate> run(const std::vector<PlannedTrain>& plan) {
    plan_ = plan;
    fates_.assign(plan.size(), {});
    ends_.assign(plan.size(), 0);
    left_ = 0;
    for (const PlannedTrain& train : plan) left_ += train.cells;
    lost_.assign(plan.size(), 0);
    packets_.clear();
    assembly_.clear();
    whole_.assign(plan.size(), false);
    for (std::size_t t = 0; t < plan.size(); ++t)
      later(plan[t].at.ps(), injection, t, [this, t] { inject(static_cast<std::uint32_t>(t)); });
    for (std::uint32_t s = 0; s < switches_.size(); ++s) await_background(s);
    while (left_ > 0) step();
    for (std::size_t t = 0; t < plan.size(); ++t) {
      const std::int64_t least = fates_[t].departed->ps() + least_way(plan[t]);
      (whole_[t] ? fates_[t].delivered : fates_[t].lost) = SimTime::from_ps(std::max(ends_[t], least));
    }
    for (std::uint32_t host = 0; host < hosts_.size(); ++host) work_on_arrivals_at(host);
    return fates_;
  }
  std::uint64_t lost_cells(std::size_t train) const { return lost_[train]; }
  /// Of which all cells came, but behind others.
  std::uint64_t joined_packets() const {
    std::uint64_t joined = 0;
    for (std::size_t t = 0; t < plan_.size(); ++t) joined += lost_[t] == 0 && !whole_[t] ? 1 : 0;
    return joined;
  }
  /// Cells of resource management that were lost on their way forward.
  std::uint64_t resource_lost() const { return resource_lost_; }
  std::uint64_t steps() const { return steps_; }
  std::uint64_t cells_seen(std::size_t number) const { return switches_[number].seen; }
  std::uint64_t estimated_lost(std::size_t number) const { return switches_[number].above_estimate; }

  /// Lets background go on until `time`, included; what outputs have counted by then, switch by switch.
  std::vector<std::vector<atm::OutputCounters>> counters(SimTime time) {
    while (!agenda_.empty() && std::get<0>(agenda_.begin()->first) <= time.ps()) step();
    std::vector<std::vector<atm::OutputCounters>> all;
    for (OneSwitch& here : switches_) {
      auto& outputs = all.emplace_back();
      for (Output& output : here.outputs) {
        note(output, time.ps());
        output.counters.seconds = time.seconds();
        outputs.push_back(output.counters);
      }
    }
    return all;
  }

 private:
  void step() {
    const auto next = agenda_.begin();
    now_ = std::get<0>(next->first);
    const auto what = std::move(next->second);
    agenda_.erase(next);
    ++steps_;
    what();
  }

  /// Packets that came whole, one after the other.
  void work_on_arrivals_at(std::uint32_t host) {
    std::vector<SimTime*> arrivals;
    for (std::size_t t = 0; t < plan_.size(); ++t)
      if (plan_[t].to == host && fates_[t].delivered) arrivals.push_back(&*fates_[t].delivered);
    std::sort(arrivals.begin(), arrivals.end(), [](const SimTime* a, const SimTime* b) { return *a < *b; });
    SimTime done;
    for (SimTime* arrival : arrivals)
      *arrival = done = std::max(done, *arrival) + parameters_.interface.receive_per_packet;
  }

  using Cell = atm_reference::Cell;
  using Paced = atm_reference::Paced;
  using Output = atm_reference::Output;
  using OneSwitch = atm_reference::OneSwitch;
  using OneHost = atm_reference::OneHost;
  using PacketState = atm_reference::PacketState;
  static constexpr std::uint32_t background = atm_reference::background, resource = atm_reference::resource;
  // At the same time: what ends makes room, then background comes, then inputs in their order.
  enum Order { ending, injection, pacing, background_offer, offer_by_input };

  void later(std::int64_t at, Order order, std::uint64_t rank, std::function<void()> step) {
    agenda_.emplace(std::tuple(at, order, rank), std::move(step));
  }
  bool priorities() const { return parameters_.switches.policy == atm::DropPolicy::push_out; }

  void inject(std::uint32_t train) {
    OneHost& host = hosts_[plan_[train].from];
    host.packets.push_back(train);
    pump_packets(host);
  }

  void pump_packets(OneHost& host) {
    if (host.packets_busy || host.packets.empty()) return;
    host.packets_busy = true;
    later(now_ + parameters_.interface.send_per_packet.ps(), ending, 0, [this, &host] {
      const std::uint32_t train = host.packets.front();
      host.packets.pop_front();
      host.packets_busy = false;
      const PlannedTrain& planned = plan_[train];
      const bool paced = tells_rates() && planned.category == ServiceCategory::abr;
      for (std::uint32_t index = 0; index < planned.cells; ++index)
        (paced ? connection(planned.from, planned.to).waiting : host.before_stage)
            .push_back({train, index, planned.category, planned.from, planned.to});
      if (paced) plan_next(planned.from, planned.to);
      pump_stage(host);
      pump_packets(host);
    });
  }

  bool tells_rates() const { return parameters_.switches.feedback.algorithm == atm::AbrFeedback::erica; }
  Paced& connection(std::uint32_t from, std::uint32_t to) {
    const double link = 1e12 / static_cast<double>(atm::cell_time(hosts_[from].link).ps());
    return paced_.try_emplace({from, to}, Paced{PlainSource(parameters_.rates.abr, link)}).first->second;
  }
  void plan_next(std::uint32_t from, std::uint32_t to) {
    Paced& paced = connection(from, to);
    const std::uint64_t plan = ++paced.plans;
    if (paced.waiting.empty()) return;
    later(std::max(now_, paced.source.next()), pacing, 0, [this, from, to, plan] {
      Paced& one = connection(from, to);
      if (one.plans != plan) return;
      Cell cell{resource, 0, ServiceCategory::abr, from, to};
      if (!one.source.send(now_, cell.told)) {
        cell = one.waiting.front();
        one.waiting.pop_front();
      }
      hosts_[from].before_stage.push_back(cell);
      pump_stage(hosts_[from]);
      plan_next(from, to);
    });
  }

  /// The port of a switch by which a connection comes in.
  std::uint32_t way_in(std::uint32_t from, std::uint32_t to, std::uint32_t at) const {
    std::uint32_t here = plan_of_cables_.hosts[from].at;
    std::uint32_t input = port_of_host(here, from);
    while (here != at) {
      const Output& output = switches_[here].outputs[route(here, to)];
      input = output.input;
      here = output.number;
    }
    return input;
  }
  std::uint32_t output_of(std::uint32_t at, const Cell& cell) const {
    return cell.told.backward ? way_in(cell.from, cell.to, at) : route(at, cell.to);
  }
  void tell(std::uint32_t s, Output& output, Cell& cell, std::uint32_t source) {
    PlainErica::Whose whose{static_cast<int>(cell.category), static_cast<int>(cell.from),
                            static_cast<int>(cell.to)};
    if (cell.train == background) whose = {-1, 0, static_cast<int>(source)};
    output.erica->offered(now_, {cell.category <= ServiceCategory::vbr, !cell.told.backward, whose});
    if (cell.train != resource) return;
    if (!cell.told.backward)
      output.erica->told[whose] = cell.told.current_rate;
    else
      switches_[s].outputs[route(s, cell.to)].erica->backward(whose, cell.told);
  }
  void take(Cell cell) {
    if (cell.told.backward) {
      connection(cell.from, cell.to).source.take(cell.told);
      return plan_next(cell.from, cell.to);
    }
    cell.told.backward = true;
    hosts_[cell.to].before_stage.push_back(cell);
    pump_stage(hosts_[cell.to]);
  }

  void pump_stage(OneHost& host) {
    if (host.stage_busy || host.before_stage.empty()) return;
    if (parameters_.interface.serial && (host.link_busy || !host.before_link.empty())) return;
    host.stage_busy = true;
    later(now_ + parameters_.interface.send_per_cell.ps(), ending, 0, [this, &host] {
      host.stage_busy = false;
      host.before_link.push_back(host.before_stage.front());
      host.before_stage.pop_front();
      pump_link(host);
      pump_stage(host);
    });
  }

  void pump_link(OneHost& host) {
    if (host.link_busy || host.before_link.empty()) return;
    host.link_busy = true;
    const Cell cell = host.before_link.front();
    host.before_link.pop_front();
    later(now_ + atm::cell_time(host.link).ps(), ending, 0, [this, &host, cell] {
      host.link_busy = false;
      if (cell.train != resource && cell.index + 1 == plan_[cell.train].cells)
        fates_[cell.train].departed = SimTime::from_ps(now_);
      const std::uint32_t number = cell.told.backward ? cell.to : cell.from;
      const std::uint32_t at = plan_of_cables_.hosts[number].at;
      const std::uint32_t input = port_of_host(at, number);
      later(now_ + host.link.propagation.ps() + parameters_.switches.delay.ps(), offer_by_input, input,
            [this, at, cell] { offer(at, output_of(at, cell), cell); });
      pump_link(host);
      pump_stage(host);
    });
  }

  std::uint32_t port_of_host(std::uint32_t at, std::uint32_t host) const {
    for (std::uint32_t port = 0; port < switches_[at].outputs.size(); ++port)
      if (switches_[at].outputs[port].to_host && switches_[at].outputs[port].number == host) return port;
    return background;
  }
  std::uint32_t route(std::uint32_t at, std::uint32_t to) const {
    const std::uint32_t last = plan_of_cables_.hosts[to].at;
    if (at == last) return port_of_host(at, to);
    for (std::uint32_t port = 0; port < switches_[at].outputs.size(); ++port) {
      const Output& output = switches_[at].outputs[port];
      if (!output.to_host && output.trunk == trunk_towards_[at][last]) return port;
    }
    return background;
  }

  void await_background(std::uint32_t s) {
    OneSwitch& here = switches_[s];
    if (here.background->next_time() == atm::never) return;
    later(here.background->next_time(), background_offer, 0, [this, s] {
      const std::uint32_t source = switches_[s].background->next_source();
      switches_[s].background->take([&](std::uint32_t output) {
        const auto& categories = parameters_.switches.background_categories;
        offer(s, output, {background, 0, categories[source % categories.size()], 0, 0}, source);
      });
      await_background(s);
    });
  }

  bool dropped_by_packet(std::uint32_t s, const Cell& cell) {
    const atm::SwitchParameters& rules = parameters_.switches;
    const bool full = rules.buffer > 0 && switches_[s].occupied >= rules.buffer;
    if (cell.train == background || rules.buffer == 0 || rules.policy == atm::DropPolicy::tail ||
        priorities())
      return full;
    const PlannedTrain& train = plan_[cell.train];
    PacketState& packet = packets_[{s, train.from, train.to, train.category}];
    const bool last = cell.index + 1 == train.cells;
    const bool first = !packet.inside;
    packet.inside = !last;
    const std::int64_t threshold = rules.epd_threshold > 0 ? rules.epd_threshold : rules.buffer / 2;
    if (first) {
      packet.damaged = false;
      packet.refused = rules.policy == atm::DropPolicy::epd && switches_[s].occupied > threshold;
    }
    if (packet.refused || (packet.damaged && !last)) return true;
    if (full) packet.damaged = true;
    return full;
  }

  void lose(const Cell& cell) {
    if (cell.train == resource && !cell.told.backward) ++resource_lost_;
    if (cell.train == background || cell.train == resource) return;
    ++lost_[cell.train];
    end(cell);
  }
  void end(const Cell& cell) {
    ends_[cell.train] = std::max(ends_[cell.train], now_);
    --left_;
  }

  /// Makes room by evicting the youngest UBR cell that waits. @return whether there was one
  bool evict(OneSwitch& here) {
    const atm_reference::Place youngest = here.youngest_ubr();
    if (youngest.output == nullptr) return false;
    Output& owner = *youngest.output;
    const auto place = owner.other.begin() + static_cast<std::ptrdiff_t>(youngest.number);
    const Cell cell = place->cell;
    note(owner, now_);
    ++(cell.train == background ? owner.counters.background_lost : owner.counters.cells_lost);
    owner.other.erase(place);
    --here.occupied;
    lose(cell);
    return true;
  }

  void offer(std::uint32_t s, std::uint32_t port, Cell cell, std::uint32_t source = 0) {
    OneSwitch& here = switches_[s];
    Output& output = here.outputs[port];
    const bool foreign = cell.train == background;
    if (output.erica) tell(s, output, cell, source);
    ++(foreign ? output.counters.background_in : output.counters.cells_in);
    if (!foreign) {
      ++here.seen;
      const std::int64_t estimate = parameters_.switches.estimate_buffer;
      if (estimate > 0 && here.occupied >= estimate) ++here.above_estimate;
    }
    if (dropped_by_packet(s, cell)) {
      const bool saved = priorities() && cell.category != ServiceCategory::ubr && evict(here);
      if (!saved) {
        ++(foreign ? output.counters.background_lost : output.counters.cells_lost);
        return lose(cell);
      }
    }
    ++here.occupied;
    note(output, now_);
    const bool urgent = priorities() && cell.category <= ServiceCategory::vbr;
    (urgent ? output.urgent : output.other).push_back({cell, ++here.admitted});
    note(output, now_);  // the longest queue, with this cell
    pump_output(s, port);
  }

  void pump_output(std::uint32_t s, std::uint32_t port) {
    OneSwitch& here = switches_[s];
    Output& output = here.outputs[port];
    if (output.busy || (output.urgent.empty() && output.other.empty())) return;
    auto& queue = output.urgent.empty() ? output.other : output.urgent;
    const Cell cell = queue.front().cell;
    queue.pop_front();
    output.busy = true;
    later(now_ + atm::cell_time(output.link).ps(), ending, 0, [this, s, port, cell] {
      OneSwitch& left = switches_[s];
      Output& out = left.outputs[port];
      note(out, now_);
      --left.occupied;
      out.busy = false;
      if (cell.train != background) travel(out, cell);
      pump_output(s, port);
    });
  }

  void travel(const Output& output, const Cell& cell) {
    const std::int64_t arrival = now_ + output.link.propagation.ps();
    const std::uint32_t number = output.number;
    if (output.to_host) {
      later(arrival, ending, 0, [this, number, cell] {
        hosts_[number].arrived.push_back(cell);
        pump_receiver(hosts_[number]);
      });
    } else {
      later(arrival + parameters_.switches.delay.ps(), offer_by_input, output.input,
            [this, number, cell] { offer(number, output_of(number, cell), cell); });
    }
  }

  void pump_receiver(OneHost& host) {
    if (host.receiver_busy || host.arrived.empty()) return;
    host.receiver_busy = true;
    later(now_ + parameters_.interface.receive_per_cell.ps(), ending, 0, [this, &host] {
      host.receiver_busy = false;
      const Cell cell = host.arrived.front();
      host.arrived.pop_front();
      if (cell.train == resource) {
        take(cell);
      } else {
        if (assembly_.take(cell, plan_[cell.train].cells)) whole_[cell.train] = true;
        end(cell);
      }
      pump_receiver(host);
    });
  }

  /// From a cell's departure at its host to the end of the receiving stage, where nothing is in its way.
  std::int64_t least_way(const PlannedTrain& train) const {
    const CablePlan& topology = plan_of_cables_;
    std::uint32_t at = topology.hosts[train.from].at;
    std::int64_t time = topology.hosts[train.from].link.propagation.ps();
    while (true) {
      time += parameters_.switches.delay.ps();
      const Output& output = switches_[at].outputs[route(at, train.to)];
      time += atm::cell_time(output.link).ps() + output.link.propagation.ps();
      if (output.to_host) return time + parameters_.interface.receive_per_cell.ps();
      at = output.number;
    }
  }

  AtmParameters parameters_;
  CablePlan plan_of_cables_;
  std::vector<std::vector<std::uint32_t>> trunk_towards_;  // by switch and last switch
  std::vector<OneSwitch> switches_;
  std::vector<OneHost> hosts_;
  std::vector<PlannedTrain> plan_;
  std::vector<Fate> fates_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Paced> paced_;
  std::vector<std::int64_t> ends_;
  std::vector<std::uint64_t> lost_;
  std::vector<bool> whole_;  // packets that receivers found whole
  atm_reference::Assembly assembly_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, ServiceCategory>, PacketState> packets_;
  std::multimap<std::tuple<std::int64_t, Order, std::uint64_t>, std::function<void()>> agenda_;
  std::uint64_t left_ = 0, steps_ = 0, resource_lost_ = 0;
  std::int64_t now_ = 0;
};

}  // namespace morgana::testing
