#include "emulator/host/reception_handlers.h"

#include <algorithm>
#include <utility>

#include "emulator/core/end_of_time.h"

namespace morgana {
namespace {

// What an event is about: a port whose handler has done a step, or the next unit that a program has brought.
constexpr std::uint64_t brought_by_program = std::uint64_t{1} << 32;

}  // namespace

ReceptionHandlers::ReceptionHandlers(EventQueue& events, Kernel& kernel, std::unique_ptr<Network> network,
                                     const HandlerParameters& parameters)
    : InterfaceNetwork(std::move(network)), events_(events), kernel_(kernel), parameters_(parameters) {
  network_->report_to(*this);
  if (kernel_.polls()) kernel_.own_interfaces(*this);
}

void ReceptionHandlers::inject(const Unit& unit) {
  if (unit.by_program) {
    ++counters_.by_programs;
    by_program_.push_back(unit);
    return events_.schedule(events_.now(), *this, brought_by_program);
  }
  ++counters_.launched;
  Host& host = host_at(unit.from);
  if (host.answering)
    host.tasks.insert(host.tasks.begin() + host.answers++, {false, unit});
  else
    host.tasks.push_back({false, unit});
  if (host.runs) return;
  host.runs = true;
  go_on(unit.from);
}

void ReceptionHandlers::unit_delivered(UnitId id, PortId to) {
  const auto number = static_cast<std::uint64_t>(id);
  const Unit unit = under_way_.at(number);
  under_way_.erase(number);
  ++counters_.received;
  Host& host = host_at(to);
  host.tasks.push_back({true, unit});
  counters_.most_waiting = std::max<std::uint64_t>(counters_.most_waiting, host.tasks.size());
  if (host.runs) return;
  if (kernel_.polls()) {
    if (const auto processor = kernel_.poller(static_cast<HostId>(to)))
      looked_at(static_cast<HostId>(to), *processor);
    return;
  }
  host.runs = true;
  ++counters_.interrupts;
  const Kernel::Work interrupt = kernel_.interrupt(static_cast<HostId>(to));
  host.processor = interrupt.processor;
  events_.schedule(interrupt.done, *this, static_cast<std::uint32_t>(to));
}

void ReceptionHandlers::looked_at(HostId at, std::size_t processor) {
  const auto port = static_cast<PortId>(at);
  Host& host = host_at(port);
  if (host.runs || host.tasks.empty()) return;
  ++counters_.polls;
  host.runs = true;
  host.processor = processor;
  go_on(port);
}

/// The handler begins its next task, or ends.
void ReceptionHandlers::go_on(PortId port) {
  Host& host = host_at(port);
  host.has_begun = !host.tasks.empty();
  host.runs = host.has_begun;
  if (!host.runs) return;
  const Task& task = host.tasks.front();
  const SimTime cost =
      task.received ? parameters_.reception + time_before_end(parameters_.reception_per_byte, task.unit.size)
                    : parameters_.launch + time_before_end(parameters_.launch_per_byte, task.unit.size);
  events_.schedule(kernel_.work(static_cast<HostId>(port), host.processor, cost), *this,
                   static_cast<std::uint32_t>(port));
}

// A listener may send at once, and so give the handler more to do, or make hosts_ grow.
void ReceptionHandlers::handle(std::uint64_t what) {
  if (what == brought_by_program) {
    const Unit unit = by_program_.front();
    by_program_.pop_front();
    return to_queue(unit.from, unit);
  }
  const auto port = static_cast<PortId>(what);
  if (Host& host = host_at(port); host.has_begun) {
    const Task task = host.tasks.front();
    host.tasks.pop_front();
    host.answers = 0;
    host.answering = true;
    if (task.received)
      listener_->unit_delivered(task.unit.id, port);
    else
      to_queue(port, task.unit);
    host_at(port).answering = false;
  }
  go_on(port);
}

/// A unit is at the interface.
void ReceptionHandlers::to_queue(PortId port, const Unit& unit) {
  Host& host = host_at(port);
  if (host.in_queue == parameters_.outgoing) return host.outgoing.push_back(unit);
  ++host.in_queue;
  under_way_[static_cast<std::uint64_t>(unit.id)] = unit;
  network_->inject(unit);
  listener_->unit_departed(unit.id, port);
}

void ReceptionHandlers::unit_departed(UnitId, PortId from) {
  Host& host = host_at(from);
  --host.in_queue;
  if (host.outgoing.empty()) return;
  const Unit unit = host.outgoing.front();
  host.outgoing.pop_front();
  to_queue(from, unit);
}

void ReceptionHandlers::unit_lost(UnitId id) {
  under_way_.erase(static_cast<std::uint64_t>(id));
  listener_->unit_lost(id);
}

std::vector<CounterTable> ReceptionHandlers::counted(SimTime until) {
  std::vector<CounterTable> tables = network_->counted(until);
  const auto count = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  tables.push_back({"reception handlers",
                    {{"units received"},
                     {"most waiting"},
                     {kernel_.polls() ? "polls with success" : "interrupts"},
                     {"launched"},
                     {"by programs"}},
                    {{count(counters_.received), count(counters_.most_waiting),
                      count(kernel_.polls() ? counters_.polls : counters_.interrupts),
                      count(counters_.launched), count(counters_.by_programs)}}});
  return tables;
}

}  // namespace morgana
