#include "emulator/network/atm/atm_network.h"

#include <algorithm>
#include <cassert>
#include <string>

#include "emulator/core/error.h"
#include "emulator/network/atm/cell.h"

namespace morgana {
namespace {
using namespace atm;

// The kind of an event is its lowest bits, the train's slot above them.
enum What : std::uint64_t { departure, fate, worked_on, happening, ready_to_go };
constexpr unsigned what_bits = 3;
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
  Host& host = fabric_.hosts[connection.from];
  const std::int64_t ready = std::max(events_.now().ps(), host.sending_done) + host.send_work;
  host.sending_done = ready;
  const std::uint32_t slot = store(train);
  if (paced_.paces(train.connection)) return paced_.wait(train.connection, slot, given.cells, ready);
  // A cell that goes at a rate of its own may come before a packet that is still worked on.
  const bool may_be_passed = rates_.feedback || rates_.contracts == Contracts::shaped ||
                             rates_.blocks.transmission != BlockTransmission::none;
  if (may_be_passed && ready > events_.now().ps())
    events_.schedule(SimTime::from_ps(ready), *this, event(ready_to_go, slot));
  else
    send(slot, ready);
}

void AtmNetwork::send(std::uint32_t slot, std::int64_t ready) {
  CellRun run = lay(fabric_.connection_of(slot), fabric_.trains[slot].cells, ready);
  run.train = slot;
  push(run);
  await(slot, run);
}

// Cells join the sending interface, one after the other; its link is free again when the last has left it.
CellRun AtmNetwork::lay(Connection& connection, std::uint32_t cells, std::int64_t ready) {
  Hop& hop = connection.path.front();
  Host& host = fabric_.hosts[connection.from];
  CellRun run{};
  run.count = cells;
  run.hop = &hop;
  std::int64_t left = 0;  // the first cell's last bit
  if (host.serial) {
    run.pitch = host.send_stage + host.cell_time;
    left = std::max(ready, host.link_free) + run.pitch;
  } else {
    run.pitch = std::max(host.send_stage, host.cell_time);
    const std::int64_t staged = std::max(ready, host.stage_free) + host.send_stage;
    host.stage_free = staged + (cells - 1) * host.send_stage;
    left = std::max(staged, host.link_free) + host.cell_time;
  }
  host.link_free = left + (cells - 1) * run.pitch;
  run.at = left + host.propagation + fabric_.switches[hop.at]->delay();
  return run;
}

void AtmNetwork::push(const CellRun& run) {
  const Hop& hop = *run.hop;
  fabric_.switches[hop.at]->inputs().push(hop.input, run);
  fabric_.earliest[hop.at] = std::min(fabric_.earliest[hop.at], run.at);
}

// The last cells of a train have been laid: it leaves its host now and may be out in its least time.
void AtmNetwork::await(std::uint32_t slot, const CellRun& last) {
  Train& train = fabric_.trains[slot];
  train.bound = std::max(train.bound, last.last() + last.hop->rest);
  train.end = std::max(train.end, train.bound);
  const Host& host = fabric_.hosts[fabric_.connections[train.connection].from];
  if (!train.resource) events_.schedule(SimTime::from_ps(host.link_free), *this, event(departure, slot));
  events_.schedule(SimTime::from_ps(train.bound), *this, event(fate, slot));
}

void AtmNetwork::send_data(std::uint32_t slot, std::uint32_t index) {
  CellRun run = lay(fabric_.connection_of(slot), 1, events_.now().ps());
  run.train = slot;
  run.index = index;
  push(run);
  if (index + 1 == fabric_.trains[slot].cells) await(slot, run);
}

void AtmNetwork::send_resource(std::uint32_t number, const ResourceCell& cell) {
  Connection& connection = fabric_.connections[number];
  ++connection.counters.cells_in;
  if (cell.protocol != ResourceProtocol::abr && cell.block_rate == 0) ++connection.counters.blocks;
  Train train;
  train.connection = number;
  train.cells = train.pending = 1;
  train.resource = cell;
  CellRun run = lay(connection, 1, events_.now().ps());
  run.train = store(train);
  push(run);
  await(run.train, run);
}

// At the destination a resource management cell turns around if its source waits for it, and at the source
// its connection takes it.
void AtmNetwork::arrive(const ResourceCell& cell, std::uint32_t number) {
  const Connection& connection = fabric_.connections[number];
  if (cell.backward) return paced_.take(*connection.returned_of, cell);
  const bool ends_block = cell.protocol == ResourceProtocol::abt_delayed && cell.block_rate == 0;
  if (cell.protocol == ResourceProtocol::abt_immediate || ends_block) return;
  ResourceCell turned = cell;
  turned.backward = true;
  send_resource(*connection.turned_to, turned);
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
    case happening:
      return look_after();
    case ready_to_go:
      return send(slot, events_.now().ps());
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
    const std::int64_t again = train.pending > 0 ? std::max(train.bound, train.end) : train.end;
    if (again <= now) return wait(slot);
    events_.schedule(SimTime::from_ps(again), *this, event(fate, slot));
    return;
  }
  if (train.resource) {
    const Train gone = train;  // a copy: its slot may be taken again
    free_trains_.push_back(slot);
    if (gone.lost == 0) arrive(*gone.resource, gone.connection);
    return;
  }
  if (!comes_whole(train)) {
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

// Trains of a connection come to their ends in the order in which they were sent, but for such of which no
// cell comes out: those change nothing here.
bool AtmNetwork::comes_whole(const Train& train) {
  Connection& connection = fabric_.connections[train.connection];
  lost_behind_.reset();
  if (connection.contract.delimiting == Delimiting::cell_headers) return train.lost == 0;
  if (train.end_lost) {
    if (train.lost < train.cells) connection.without_end = train;
    return false;
  }
  lost_behind_.swap(connection.without_end);
  if (train.lost > 0) {
    lost_behind_.reset();
    return false;
  }
  if (lost_behind_) ++connection.counters.packets_joined;
  return !lost_behind_;
}

// A cell waits in a queue that knows priorities: it stays until something happens.
void AtmNetwork::wait(std::uint32_t slot) {
  fabric_.trains[slot].waits = ++waits_;
  ++waiting_;
  await_happening();
}

void AtmNetwork::await_happening() {
  const std::int64_t next = *std::min_element(fabric_.earliest.begin(), fabric_.earliest.end());
  assert(next > events_.now().ps() && next < never);
  if (next >= happening_at_) return;
  happening_at_ = next;
  events_.schedule(SimTime::from_ps(next), *this, event(happening, 0));
}

// Of trains that have come to an end each is told in the order in which they began to wait.
void AtmNetwork::look_after() {
  if (events_.now().ps() != happening_at_) return;  // something else happened before this
  happening_at_ = never;
  work_out(events_.now().ps());
  std::vector<std::uint32_t> finished;
  finished.swap(fabric_.finished);
  std::ranges::sort(finished, {}, [&](std::uint32_t slot) { return fabric_.trains[slot].waits; });
  waiting_ -= finished.size();
  for (const std::uint32_t slot : finished) {
    fabric_.trains[slot].waits = 0;
    decide(slot);
  }
  if (waiting_ > 0) await_happening();
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
