#include "emulator/network/atm/atm_network.h"

#include <algorithm>
#include <cassert>
#include <string>

#include "emulator/core/error.h"
#include "emulator/network/atm/cell.h"

namespace morgana {
namespace {
using namespace atm;

// What an event is about stands in the lowest bits, the train's slot above them.
enum What : std::uint64_t { departure, fate, worked_on };
constexpr unsigned what_bits = 2;
constexpr std::uint64_t event(What what, std::uint32_t slot) {
  return std::uint64_t{slot} << what_bits | what;
}

}  // namespace

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
  fabric_.switches[hop.at]->inputs().push(hop.input, run);
  fabric_.earliest[hop.at] = std::min(fabric_.earliest[hop.at], run.at);
  events_.schedule(SimTime::from_ps(host.link_free), *this, event(departure, run.train));
  events_.schedule(SimTime::from_ps(train.bound), *this, event(fate, run.train));
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
