#include "emulator/host/kernel.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "emulator/core/end_of_time.h"

namespace morgana {

Kernel::Kernel(EventQueue& events, std::size_t processors, const InterruptParameters& interrupts)
    : events_(events), processors_(processors), interrupts_(interrupts) {}

std::size_t Kernel::choose(HostId host, const Processors& processors) const {
  if (interrupts_.handling == InterruptParameters::Handling::fixed)
    return static_cast<std::size_t>(interrupts_.affinity);
  const auto load = [&](std::size_t number) {
    return std::tuple(std::max(processors[number].busy_until, events_.now()), is_used(host, number));
  };
  std::size_t least = 0;
  for (std::size_t number = 1; number < processors.size(); ++number)
    if (load(number) < load(least)) least = number;
  return least;
}

Kernel::Work Kernel::interrupt(HostId host) {
  Processors& processors = of(host);
  const std::size_t number = choose(host, processors);
  ++processors[number].interrupts;
  if (is_used(host, number)) ++processors[number].hits;
  return {number, work(host, number, interrupts_.cost)};
}

SimTime Kernel::work(HostId host, std::size_t number, SimTime cost) {
  Processor& processor = of(host)[number];
  const SimTime begin = std::max(processor.busy_until, events_.now());
  processor.busy_until = time_before_end(begin + cost);
  processor.busy += cost;
  if (users_ != nullptr) users_->interrupted(host, number, cost, processor.busy_until);
  return processor.busy_until;
}

SimTime Kernel::busy_until(HostId host, std::size_t processor) const {
  const auto found = hosts_.find(static_cast<std::uint32_t>(host));
  return found == hosts_.end() ? SimTime() : found->second[processor].busy_until;
}

std::vector<CounterTable> Kernel::counted() const {
  if (hosts_.empty()) return {};
  CounterTable table;
  table.title = "kernels";
  table.columns = {{"host"}, {"processor"}, {"interrupts"}, {"of a running program"}, {"kernel time (us)"}};
  constexpr double us_per_s = 1e6;
  const std::map<std::uint32_t, Processors> in_order(hosts_.begin(), hosts_.end());
  for (const auto& [host, processors] : in_order)
    for (std::size_t number = 0; number < processors.size(); ++number)
      if (const Processor& one = processors[number]; one.interrupts > 0 || one.busy > SimTime())
        table.rows.push_back({static_cast<std::int64_t>(host), static_cast<std::int64_t>(number),
                              one.interrupts, one.hits, one.busy.seconds() * us_per_s});
  return {table};
}

}  // namespace morgana
