#include "emulator/network/atm/priority_switch.h"

#include <algorithm>
#include <cassert>
#include <string>
#include <utility>

namespace morgana::atm {
PrioritySwitch::PrioritySwitch(const SwitchParameters& parameters, const std::vector<SimTime>& cell_times,
                               SimTime reference_cell_time, std::uint64_t seed, std::uint32_t number)
    : Switch(parameters.delay, cell_times.size()),
      parameters_(parameters),
      number_(number),
      background_(parameters.background, reference_cell_time, static_cast<std::uint32_t>(cell_times.size()),
                  seed, "atm switch " + std::to_string(number)) {
  for (const ServiceCategory category : parameters.background_categories) {
    background_contracts_.push_back(TrafficContract::of(category));
    background_evicts_ = background_evicts_ || !background_contracts_.back().evictable;
  }
  for (const SimTime cell_time : cell_times) {
    const double link = 1e12 / static_cast<double>(cell_time.ps());
    Output& output = outputs_.emplace_back();
    output.cell_time = cell_time.ps();
    output.feedback = make_rate_algorithm(parameters.feedback, link);
    output.reservations = Reservations(parameters.blocks.reservable * link);
  }
}

std::int64_t PrioritySwitch::earliest() const {
  std::int64_t first = inputs_.empty() ? never : inputs_.next_at();
  if (waiting_of_connections_ == 0) return first;
  // Background that evicts is an end of cells, too.
  if (parameters_.buffer > 0 && background_evicts_) first = std::min(first, background_.next_time());
  for (const Output& output : outputs_)
    if (output.waiting_of_connections > 0) first = std::min(first, output.busy_until);
  return first;
}

void PrioritySwitch::advance(Fabric& fabric, std::int64_t bound) {
  while (true) {
    const std::int64_t first = inputs_.empty() ? never : inputs_.next_at();
    // Background that meets no cell of a connection can wait.
    if (first >= bound && waiting_of_connections_ == 0) return;
    if (background_.next_time() <= first && background_.next_time() < bound) {
      offer_background(fabric);
      continue;
    }
    if (first >= bound) break;
    RunQueue& next = inputs_.next();
    CellRun& run = next.front();
    CellRun cell = run;
    cell.count = 1;
    run.skip(1);
    if (run.count == 0) next.pop_front();
    inputs_.taken();
    Connection& connection = fabric.connection_of(cell.train);
    const TrafficContract& contract = connection.contract;
    ++cells_seen_;
    const CellSource source{false, fabric.trains[cell.train].connection, is_guaranteed(contract.category),
                            connection.returned_of.has_value()};
    const Cell offered{cell.at, cell, cell.hop->output, contract.priority, contract.evictable, source};
    if (!conforms(connection, offered)) {
      ++connection.counters.policed;
      discard(fabric, offered);
    } else if (contract.category == ServiceCategory::abt && !admits(fabric, offered)) {
      discard(fabric, offered);
    } else {
      offer(fabric, offered);
    }
  }
  start_all_until(fabric, bound - 1);
}

void PrioritySwitch::start_until(Fabric& fabric, Output& output, std::int64_t now) {
  while (output.waiting > 0 && output.busy_until <= now) start_next(fabric, output);
}

void PrioritySwitch::start_all_until(Fabric& fabric, std::int64_t now) {
  for (Output& output : outputs_) start_until(fabric, output, now);
}

void PrioritySwitch::start_next(Fabric& fabric, Output& output) {
  std::size_t priority = 0;
  while (output.queues[priority].first == none) ++priority;
  const Slot slot = output.queues[priority].first;
  const Cell cell = cells_[slot];
  remove(slot);
  output.busy_until = std::max(output.busy_until, cell.offered) + output.cell_time;
  output.stays += static_cast<double>(output.busy_until - cell.offered);
  ++output.sent;
  if (cell.run.train == none) return;
  CellRun out = cell.run;
  out.at = output.busy_until;
  out.pitch = output.cell_time;
  fabric.pass_on(out);
}

// Usage parameter control: where a connection enters the network, its cells are held against its contract.
bool PrioritySwitch::conforms(Connection& connection, const Cell& cell) {
  if (!connection.policing || cell.run.hop != connection.path.data()) return true;
  if (!connection.policing->conforms(cell.offered)) return false;
  connection.policing->take(cell.offered);
  return true;
}

// A block goes on only where its rate is kept. With immediate transmission all of a refused block ends here;
// with delayed transmission the request goes on, but asks no other switch.
bool PrioritySwitch::admits(Fabric& fabric, const Cell& cell) {
  Train& train = fabric.trains[cell.run.train];
  Connection& connection = fabric.connections[train.connection];
  if (!train.resource) return !cell.run.hop->refused;
  ResourceCell& resource = *train.resource;
  if (!resource.backward) return admits_block(connection, train.connection, cell, resource);
  const std::uint32_t forward = *connection.returned_of;
  if (resource.congestion)
    outputs_[fabric.connections[forward].hop_at(number_).output].reservations.give_back(forward,
                                                                                        resource.sequence);
  return true;
}

bool PrioritySwitch::admits_block(Connection& connection, std::uint32_t number, const Cell& cell,
                                  ResourceCell& resource) {
  Reservations& reservations = outputs_[cell.output].reservations;
  bool& refused = cell.run.hop->refused;
  if (resource.block_rate == 0) {
    reservations.release(number);
    return !std::exchange(refused, false);
  }
  if (resource.congestion) return true;
  if (reservations.take(number, decode_rate(resource.block_rate), resource.sequence)) {
    refused = false;
    return true;
  }
  ++connection.counters.blocks_refused;
  refused = resource.protocol == ResourceProtocol::abt_immediate;
  resource.congestion = true;
  return !refused;
}

void PrioritySwitch::discard(Fabric& fabric, const Cell& cell) {
  ++outputs_[cell.output].counters.cells_in;
  lose(fabric, cell, cell.offered);
}

void PrioritySwitch::offer_background(Fabric& fabric) {
  const std::int64_t now = background_.next_time();
  const std::uint32_t number = background_.next_source();
  const TrafficContract& contract = background_contracts_[number % background_contracts_.size()];
  const CellSource source{true, number, is_guaranteed(contract.category)};
  background_.take([&](std::uint32_t output) {
    offer(fabric,
          {now, {now, 1, 1, none, 0, nullptr}, output, contract.priority, contract.evictable, source});
  });
}

// A cell that comes back is told by the output that its connection's data pass here.
void PrioritySwitch::give_feedback(Fabric& fabric, const Cell& cell) {
  outputs_[cell.output].feedback->offered(cell.offered, cell.source);
  if (cell.run.train == none) return;
  Train& train = fabric.trains[cell.run.train];
  const Connection& connection = fabric.connections[train.connection];
  if (connection.contract.category != ServiceCategory::abr) return;
  if (!train.resource) {
    if (connection.turned_to)
      cell.run.hop->marked = outputs_[cell.output].feedback->marks(outputs_[cell.output].waiting);
  } else if (!train.resource->backward) {
    // Marks of the cell of data before it, which the destination would keep for it.
    if (cell.run.hop->marked) train.resource->congestion = true;
    cell.run.hop->marked = false;
    outputs_[cell.output].feedback->forward(train.connection, *train.resource, outputs_[cell.output].waiting);
  } else {
    Output& output = outputs_[fabric.connections[*connection.returned_of].hop_at(number_).output];
    start_until(fabric, output, cell.offered);
    output.feedback->backward(cell.offered, *connection.returned_of, *train.resource, output.waiting);
  }
}

bool PrioritySwitch::holds(Fabric& fabric, std::int64_t now, std::int64_t least) {
  if (waiting_ + static_cast<std::int64_t>(outputs_.size()) < least) return false;
  start_all_until(fabric, now);
  std::int64_t cells = waiting_;
  for (const Output& output : outputs_) cells += output.busy_until > now ? 1 : 0;
  return cells >= least;
}

void PrioritySwitch::offer(Fabric& fabric, const Cell& cell) {
  const std::int64_t now = cell.offered;
  Output& output = outputs_[cell.output];
  ++(cell.run.train == none ? output.counters.background_in : output.counters.cells_in);
  start_until(fabric, output, now);
  if (output.feedback) give_feedback(fabric, cell);
  if (parameters_.estimate_buffer > 0 && cell.run.train != none &&
      holds(fabric, now, parameters_.estimate_buffer))
    ++estimated_lost_;
  if (parameters_.buffer > 0 && holds(fabric, now, parameters_.buffer)) {
    const Slot victim = cell.evictable ? none : evictable_.last;
    if (victim == none) return lose(fabric, cell, now);
    const Cell evicted = cells_[victim];
    remove(victim);
    outputs_[evicted.output].stays += static_cast<double>(now - evicted.offered);
    lose(fabric, evicted, now);
  }
  enqueue(cell);
  const std::int64_t here = output.waiting + (output.busy_until > now ? 1 : 0);
  output.longest_queue = std::max(output.longest_queue, here);
  if (output.busy_until <= now) start_next(fabric, output);
}

void PrioritySwitch::lose(Fabric& fabric, const Cell& cell, std::int64_t now) {
  OutputCounters& counters = outputs_[cell.output].counters;
  ++(cell.run.train == none ? counters.background_lost : counters.cells_lost);
  if (cell.run.train != none) fabric.lose(cell.run.train, cell.run.index, cell.run.hop, now);
}

void PrioritySwitch::enqueue(const Cell& cell) {
  Slot slot = 0;
  if (free_.empty()) {
    slot = static_cast<Slot>(cells_.size());
    cells_.push_back(cell);
  } else {
    slot = free_.back();
    free_.pop_back();
    cells_[slot] = cell;
  }
  Output& output = outputs_[cell.output];
  if (output.queues.size() <= cell.priority) output.queues.resize(cell.priority + std::size_t{1});
  Ends& queue = output.queues[cell.priority];
  cells_[slot].before = queue.last;
  (queue.last == none ? queue.first : cells_[queue.last].after) = slot;
  queue.last = slot;
  if (cell.evictable) {
    cells_[slot].older = evictable_.last;
    (evictable_.last == none ? evictable_.first : cells_[evictable_.last].younger) = slot;
    evictable_.last = slot;
  }
  ++output.waiting;
  ++waiting_;
  if (cell.run.train == none) return;
  ++output.waiting_of_connections;
  ++waiting_of_connections_;
}

void PrioritySwitch::remove(Slot slot) {
  const Cell& cell = cells_[slot];
  Output& output = outputs_[cell.output];
  Ends& queue = output.queues[cell.priority];
  (cell.before == none ? queue.first : cells_[cell.before].after) = cell.after;
  (cell.after == none ? queue.last : cells_[cell.after].before) = cell.before;
  if (cell.evictable) {
    (cell.older == none ? evictable_.first : cells_[cell.older].younger) = cell.younger;
    (cell.younger == none ? evictable_.last : cells_[cell.younger].older) = cell.older;
  }
  --output.waiting;
  --waiting_;
  if (cell.run.train != none) {
    --output.waiting_of_connections;
    --waiting_of_connections_;
  }
  free_.push_back(slot);
}

std::vector<OutputCounters> PrioritySwitch::counters(SimTime time) {
  const std::int64_t now = time.ps();
  Fabric nobody;  // whom no cell of a connection concerns: those were dealt with by advance()
  assert(earliest() > now);
  while (background_.next_time() <= now) {
    offer_background(nobody);
  }
  start_all_until(nobody, now);
  std::vector<OutputCounters> all;
  for (const Output& output : outputs_) {
    OutputCounters counters = output.counters;
    double stays = output.stays;
    double busy = static_cast<double>(output.sent) * static_cast<double>(output.cell_time);
    if (output.busy_until > now) {
      stays -= static_cast<double>(output.busy_until - now);
      busy -= static_cast<double>(output.busy_until - now);
    }
    for (const Ends& queue : output.queues)
      for (Slot slot = queue.first; slot != none; slot = cells_[slot].after)
        stays += static_cast<double>(now - cells_[slot].offered);
    const std::int64_t in_transmission = std::max<std::int64_t>(output.busy_until - now, 0);
    counters.queued = SimTime::from_ps(in_transmission + output.waiting * output.cell_time);
    counters.queue_seconds = stays * 1e-12;
    counters.busy_seconds = busy * 1e-12;
    counters.longest_queue = output.longest_queue;
    counters.seconds = time.seconds();
    all.push_back(counters);
  }
  return all;
}

}  // namespace morgana::atm
