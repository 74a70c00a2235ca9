#include "emulator/messaging/counter_sampler.h"

#include <algorithm>
#include <iterator>

namespace morgana {
std::map<std::string, double> by_name(std::span<const TroubleCount> troubles) {
  std::map<std::string, double> counts;
  for (const TroubleCount& one : troubles) {
    std::string name = one.title;
    name += ": ";
    name += one.name;
    counts[name] += static_cast<double>(one.count);
  }
  return counts;
}

CounterSampler::CounterSampler(Machine& machine, SimTime first, std::size_t most)
    : machine_(machine), distance_(first), most_(most) {
  machine_.events->schedule_upkeep(distance_, *this);
}

void CounterSampler::take(SimTime at) {
  std::vector<TroubleCount> troubles = machine_.network->troubles(at);
  std::ranges::move(troubles_in(machine_.transport->counted()), std::back_inserter(troubles));
  samples_.push_back({at, by_name(troubles)});
}

void CounterSampler::handle(std::uint64_t) {
  machine_.events->upkeep_handled();
  if (closed_) return;
  take(machine_.events->now());
  if (samples_.size() > most_) {
    std::vector<Sample> kept;
    for (std::size_t i = 1; i < samples_.size(); i += 2) kept.push_back(std::move(samples_[i]));
    samples_ = std::move(kept);
    distance_ += distance_;
  }
  const SimTime next = samples_.back().at + distance_;
  if (next <= EventQueue::latest) machine_.events->schedule_upkeep(next, *this);
}

std::vector<CounterHistory> CounterSampler::close(SimTime end) {
  closed_ = true;
  take(std::max(end, machine_.events->now()));
  std::vector<CounterHistory> histories;
  for (const auto& [name, total] : samples_.back().counts) {
    if (total <= 0) continue;
    CounterHistory& history = histories.emplace_back(CounterHistory{name, {{SimTime(), 0}}});
    for (const Sample& sample : samples_) {
      const auto count = sample.counts.find(name);
      if (count != sample.counts.end() && count->second != history.counts.back().second)
        history.counts.emplace_back(sample.at, count->second);
    }
  }
  return histories;
}

}  // namespace morgana
