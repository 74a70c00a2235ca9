#include "emulator/network/atm/atm_network.h"

#include <algorithm>
#include <cassert>
#include <string>

#include "emulator/core/error.h"
#include "emulator/network/atm/cell.h"
#include "emulator/network/atm/fifo_switch.h"
#include "emulator/network/atm/priority_switch.h"

namespace morgana {
namespace {
using namespace atm;

// What an event is about stands in the lowest bits, the train's slot above them.
enum What : std::uint64_t { departure, fate, worked_on };
constexpr unsigned what_bits = 2;
constexpr std::uint64_t event(What what, std::uint32_t slot) {
  return std::uint64_t{slot} << what_bits | what;
}

constexpr std::int64_t never = BackgroundSource::never;
constexpr std::int64_t far = never / 4;
// With more of them all trunks count as used: to look for shorter ways again and again would take too long.
constexpr std::uint32_t most_switches_looked_through = 32;
// ITU-T I.361: VCI 0 to 31 of each path are for signalling and management.
constexpr std::uint32_t first_vci = 32, vcis = 65536 - first_vci, vpis = 256;

void check(const AtmParameters& parameters) {
  parameters.topology.check();
  parameters.switches.background.check();
  const SwitchParameters& switches = parameters.switches;
  if (switches.delay < SimTime() || switches.buffer < 0 || switches.epd_threshold < 0 ||
      switches.estimate_buffer < 0)
    throw Error("ATM: delays, buffers and thresholds can't be negative");
  const AtmInterface& interface = parameters.interface;
  for (const SimTime time : {interface.send_per_packet, interface.send_per_cell, interface.receive_per_cell,
                             interface.receive_per_packet})
    if (time < SimTime()) throw Error("ATM: an interface's work can't take less than no time");
  if (parameters.largest_packet < Bytes(1) || parameters.largest_packet > Bytes(65535))
    throw Error("ATM: the largest packet must have 1 to 65535 bytes");
}

ChannelName name_of(std::uint32_t number) {
  if (number >= vpis * vcis) throw Error("ATM: a link has no more virtual channels: open fewer of them");
  return {static_cast<std::uint16_t>(number / vcis), static_cast<std::uint16_t>(first_vci + number % vcis)};
}

}  // namespace

AtmNetwork::AtmNetwork(EventQueue& events, const AtmParameters& parameters, std::uint64_t seed)
    : events_(events),
      topology_(parameters.topology),
      routes_(topology_),
      largest_packet_(parameters.largest_packet),
      buffer_(parameters.switches.buffer),
      estimates_(parameters.switches.estimate_buffer > 0) {
  check(parameters);
  fabric_.lossy = parameters.switches.buffer > 0;
  for (const Topology::Access& access : topology_.hosts) {
    Host host;
    host.at = access.at;
    host.cell_time = access.link.cell_time().ps();
    host.propagation = access.link.propagation.ps();
    host.send_stage = parameters.interface.send_per_cell.ps();
    host.receive_stage = parameters.interface.receive_per_cell.ps();
    host.send_work = parameters.interface.send_per_packet.ps();
    host.receive_work = parameters.interface.receive_per_packet.ps();
    host.serial = parameters.interface.serial;
    fabric_.hosts.push_back(host);
  }
  build_switches(parameters, seed);
  find_lookahead(false);
  find_least_latency();
  channels_to_host_.assign(topology_.hosts.size(), 0);
}

AtmNetwork::~AtmNetwork() = default;

void AtmNetwork::build_switches(const AtmParameters& parameters, std::uint64_t seed) {
  const std::int64_t delay = parameters.switches.delay.ps();
  fabric_.downstream.resize(topology_.switches);
  incoming_.resize(topology_.switches);
  std::vector<std::vector<SimTime>> cell_times(topology_.switches);
  for (std::uint32_t number = 0; number < topology_.hosts.size(); ++number) {
    Host& host = fabric_.hosts[number];
    host.input = static_cast<std::uint32_t>(cell_times[host.at].size());
    cell_times[host.at].push_back(topology_.hosts[number].link.cell_time());
    fabric_.downstream[host.at].push_back({true, number, 0, host.cell_time, host.propagation});
  }
  for (const Topology::Trunk& trunk : topology_.trunks) {
    const auto at_a = static_cast<std::uint32_t>(cell_times[trunk.a].size());
    const auto at_b = static_cast<std::uint32_t>(cell_times[trunk.b].size());
    trunk_port_.push_back({at_a, at_b});
    const std::int64_t cell_time = trunk.link.cell_time().ps();
    const std::int64_t distance = trunk.link.propagation.ps() + delay;
    for (const std::uint32_t end : {trunk.a, trunk.b}) cell_times[end].push_back(trunk.link.cell_time());
    const bool used = topology_.switches > most_switches_looked_through;
    incoming_[trunk.b].push_back({trunk.a, at_a, cell_time + distance, used});
    incoming_[trunk.a].push_back({trunk.b, at_b, cell_time + distance, used});
    fabric_.downstream[trunk.a].push_back({false, trunk.b, at_b, cell_time, distance});
    fabric_.downstream[trunk.b].push_back({false, trunk.a, at_a, cell_time, distance});
  }
  SwitchParameters settings = parameters.switches;
  if (settings.epd_threshold == 0) settings.epd_threshold = settings.buffer / 2;
  SimTime reference = Link().cell_time();
  if (!topology_.hosts.empty()) reference = topology_.hosts.front().link.cell_time();
  for (std::uint32_t number = 0; number < topology_.switches; ++number) {
    const std::string name = "atm switch " + std::to_string(number);
    if (settings.policy == DropPolicy::push_out)
      fabric_.switches.push_back(
          std::make_unique<PrioritySwitch>(settings, cell_times[number], reference, seed, name));
    else
      fabric_.switches.push_back(
          std::make_unique<FifoSwitch>(settings, cell_times[number], reference, seed, name));
    channels_on_link_.emplace_back(cell_times[number].size());
  }
  fabric_.earliest.assign(topology_.switches, never);
}

// A cell that is at one switch can't be offered to an output of another sooner than this, whatever its way.
void AtmNetwork::find_lookahead(bool of_used_trunks) {
  const std::size_t n = topology_.switches;
  lookahead_.assign(n * n, far);
  for (std::size_t to = 0; to < n; ++to) {
    lookahead_[to * n + to] = 0;
    for (const Incoming& trunk : incoming_[to])
      if (trunk.used || !of_used_trunks) {
        std::int64_t& distance = lookahead_[trunk.from * n + to];
        distance = std::min(distance, trunk.time);
      }
  }
  for (std::size_t by = 0; by < n; ++by)
    for (std::size_t from = 0; from < n; ++from)
      for (std::size_t to = 0; to < n; ++to)
        lookahead_[from * n + to] =
            std::min(lookahead_[from * n + to], lookahead_[from * n + by] + lookahead_[by * n + to]);
  lookahead_is_old_ = false;
}

// Of any host at a switch to any host at one; hosts may be many, switches are few.
void AtmNetwork::find_least_latency() {
  const std::size_t n = topology_.switches;
  std::vector<std::int64_t> into(n, far), out_of(n, far);
  for (const Host& host : fabric_.hosts) {
    into[host.at] = std::min(into[host.at], host.send_work + host.send_stage + host.cell_time +
                                                host.propagation + fabric_.switches[host.at]->delay());
    out_of[host.at] =
        std::min(out_of[host.at], host.cell_time + host.propagation + host.receive_stage + host.receive_work);
  }
  std::int64_t least = far;
  for (std::size_t from = 0; from < n; ++from)
    for (std::size_t to = 0; to < n; ++to)
      if (into[from] < far && out_of[to] < far && lookahead_[from * n + to] < far)
        least = std::min(least, into[from] + lookahead_[from * n + to] + out_of[to]);
  least_latency_ = least == far ? SimTime() : SimTime::from_ps(least);
}

ChannelId AtmNetwork::open(PortId from, PortId to, const TrafficContract& contract) {
  Connection connection;
  connection.from = static_cast<std::uint32_t>(from);
  connection.to = static_cast<std::uint32_t>(to);
  connection.contract = contract;
  assert(from != to && connection.from < fabric_.hosts.size() && connection.to < fabric_.hosts.size());
  const Host& source = fabric_.hosts[connection.from];
  const Host& destination = fabric_.hosts[connection.to];
  std::uint32_t here = source.at, input = source.input;
  while (true) {
    Hop hop;
    hop.at = here;
    hop.input = input;
    hop.in = name_of(channels_on_link_[here][input]++);
    if (!connection.path.empty()) connection.path.back().out = hop.in;
    if (here == destination.at) {
      hop.output = destination.input;
      connection.path.push_back(hop);
      break;
    }
    const std::uint32_t t = routes_.trunk(here, destination.at);
    hop.output = trunk_port_[t][topology_.trunks[t].a == here ? 0 : 1];
    connection.path.push_back(hop);
    const Downstream& next = fabric_.downstream[here][hop.output];
    for (Incoming& trunk : incoming_[next.number])
      if (trunk.from == here && trunk.output == hop.output && !trunk.used)
        trunk.used = lookahead_is_old_ = true;
    input = next.input;
    here = next.number;
  }
  connection.path.back().out = name_of(channels_to_host_[connection.to]++);
  std::int64_t rest = destination.receive_stage;
  for (std::size_t hop = connection.path.size(); hop-- > 0;) {
    Hop& at = connection.path[hop];
    const Downstream& next = fabric_.downstream[at.at][at.output];
    rest += next.cell_time + next.distance;
    at.rest = rest;
    at.to_host = next.host;
    at.number = next.number;
    at.next_input = next.input;
    at.distance = next.distance;
  }
  fabric_.connections.push_back(std::move(connection));
  return ChannelId{static_cast<std::uint32_t>(fabric_.connections.size() - 1)};
}

const Connection& AtmNetwork::connection(ChannelId channel) const {
  return fabric_.connections[static_cast<std::size_t>(channel)];
}

void AtmNetwork::report_to(ChannelId channel, UnitListener& listener) {
  fabric_.connections[static_cast<std::size_t>(channel)].listener = &listener;
}

UnitListener& AtmNetwork::listener_of(const Train& train) const {
  UnitListener* own = fabric_.connections[train.connection].listener;
  return own != nullptr ? *own : *listener_;
}

void AtmNetwork::inject(const Unit& unit) {
  if (unit.size > largest_unit())
    throw Error("a unit of " + std::to_string(unit.size.count()) +
                " bytes does not fit into a packet of at most " + std::to_string(largest_packet_.count()) +
                ": choose a transport that cuts messages, like aal5");
  const std::uint64_t pair =
      static_cast<std::uint64_t>(unit.from) << 32 | static_cast<std::uint64_t>(unit.to);
  const auto [place, added] = usual_channel_.try_emplace(pair);
  if (added) place->second = open(unit.from, unit.to, {});
  inject(CellTrain{unit.id, place->second, aal5_cells(unit.size)});
}

void AtmNetwork::inject(const CellTrain& given) {
  assert(given.cells > 0);
  Train train;
  train.id = given.id;
  train.connection = static_cast<std::uint32_t>(given.channel);
  train.cells = train.pending = given.cells;
  Connection& connection = fabric_.connections[train.connection];
  connection.counters.cells_in += given.cells;
  Hop& hop = connection.path.front();
  Host& host = fabric_.hosts[connection.from];

  Run run{};
  run.count = given.cells;
  run.hop = &hop;
  const std::int64_t ready = std::max(events_.now().ps(), host.sending_done) + host.send_work;
  host.sending_done = ready;
  std::int64_t left = 0;  // the first cell's last bit
  if (host.serial) {
    run.pitch = host.send_stage + host.cell_time;
    left = std::max(ready, host.link_free) + run.pitch;
  } else {
    run.pitch = std::max(host.send_stage, host.cell_time);
    const std::int64_t staged = std::max(ready, host.stage_free) + host.send_stage;
    host.stage_free = staged + (given.cells - 1) * host.send_stage;
    left = std::max(staged, host.link_free) + host.cell_time;
  }
  host.link_free = left + (given.cells - 1) * run.pitch;
  run.at = left + host.propagation + fabric_.switches[hop.at]->delay();
  train.end = train.bound = run.last() + hop.rest;
  run.train = store(train);
  fabric_.switches[hop.at]->inputs()[hop.input].push(run);
  fabric_.earliest[hop.at] = std::min(fabric_.earliest[hop.at], run.at);
  events_.schedule(SimTime::from_ps(host.link_free), *this, event(departure, run.train));
  events_.schedule(SimTime::from_ps(train.bound), *this, event(fate, run.train));
}

// Nothing new can be offered to `first` before this. What has been offered to other switches has been passed
// on; the rest has to be offered to a neighbour, wait behind what is queued there, and cross the trunk. No
// way leads through a switch twice.
std::int64_t AtmNetwork::bound_of(std::uint32_t first) const {
  const std::size_t n = topology_.switches;
  std::int64_t bound = never;
  for (const Incoming& trunk : incoming_[first]) {
    if (!trunk.used) continue;
    std::int64_t offered = far;
    for (std::size_t s = 0; s < n; ++s)
      if (s != first && fabric_.earliest[s] != never)
        offered = std::min(offered, fabric_.earliest[s] + lookahead_[s * n + trunk.from]);
    if (offered == far) continue;
    const std::int64_t sent = std::max(offered, fabric_.switches[trunk.from]->free_from(trunk.output));
    bound = std::min(bound, sent + trunk.time);
  }
  return bound;
}

// A switch goes ahead as far as no other can send it anything new.
void AtmNetwork::work_out(std::int64_t until) {
  const std::uint32_t n = topology_.switches;
  if (lookahead_is_old_) find_lookahead(true);
  while (true) {
    std::uint32_t first = 0;
    for (std::uint32_t s = 1; s < n; ++s)
      if (fabric_.earliest[s] < fabric_.earliest[first]) first = s;
    if (fabric_.earliest[first] > until) return;
    fabric_.switches[first]->advance(fabric_, std::min(until + 1, bound_of(first)));
    fabric_.earliest[first] = fabric_.switches[first]->earliest();
  }
}

void AtmNetwork::handle(std::uint64_t what) {
  const auto slot = static_cast<std::uint32_t>(what >> what_bits);
  switch (static_cast<What>(what & ((1U << what_bits) - 1))) {
    case departure:
      return depart(slot);
    case fate:
      return decide(slot);
    case worked_on:
      return deliver(slot);
  }
}

void AtmNetwork::depart(std::uint32_t slot) {
  const Train train = fabric_.trains[slot];  // a copy: the listener may inject
  listener_of(train).unit_departed(train.id, PortId{fabric_.connections[train.connection].from});
}

void AtmNetwork::decide(std::uint32_t slot) {
  const std::int64_t now = events_.now().ps();
  if (fabric_.trains[slot].pending > 0) work_out(now);
  const Train& train = fabric_.trains[slot];
  if (train.pending > 0 || train.end > now) {
    std::int64_t again = train.pending > 0 ? std::max(train.bound, train.end) : train.end;
    // A cell waits in a queue that knows priorities: it stays until something happens.
    if (again <= now) again = *std::min_element(fabric_.earliest.begin(), fabric_.earliest.end());
    assert(again > now && again < never);
    events_.schedule(SimTime::from_ps(again), *this, event(fate, slot));
    return;
  }
  if (train.lost > 0) {
    lost_ = train;
    free_trains_.push_back(slot);
    listener_of(lost_).unit_lost(lost_.id);
    return;
  }
  Host& host = fabric_.hosts[fabric_.connections[train.connection].to];
  host.receiving_done = std::max(now, host.receiving_done) + host.receive_work;
  if (host.receiving_done == now) return deliver(slot);
  events_.schedule(SimTime::from_ps(host.receiving_done), *this, event(worked_on, slot));
}

void AtmNetwork::deliver(std::uint32_t slot) {
  const Train train = fabric_.trains[slot];  // a copy: the listener may inject
  free_trains_.push_back(slot);
  listener_of(train).unit_delivered(train.id, PortId{fabric_.connections[train.connection].to});
}

std::uint32_t AtmNetwork::store(const Train& train) {
  if (free_trains_.empty()) {
    fabric_.trains.push_back(train);
    return static_cast<std::uint32_t>(fabric_.trains.size() - 1);
  }
  const std::uint32_t slot = free_trains_.back();
  free_trains_.pop_back();
  fabric_.trains[slot] = train;
  return slot;
}

void AtmNetwork::settle() {
  work_out(events_.now().ps());
}

std::vector<OutputCounters> AtmNetwork::counters(std::uint32_t switch_number) {
  settle();
  return fabric_.switches[switch_number]->counters(events_.now());
}

std::uint64_t AtmNetwork::cells_seen(std::uint32_t switch_number) const {
  return fabric_.switches[switch_number]->cells_seen();
}

std::uint64_t AtmNetwork::estimated_lost(std::uint32_t switch_number) const {
  return fabric_.switches[switch_number]->estimated_lost();
}

}  // namespace morgana
