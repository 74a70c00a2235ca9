#include "replay/graph_processors.h"

#include <algorithm>

#include "emulator/core/end_of_time.h"
#include "emulator/core/error.h"

namespace morgana {

/// As the engine does: a rank gets the first processor of its host that has the fewest ranks.
GraphProcessors::GraphProcessors(Machine& machine, const DependencyGraph& graph,
                                 const GraphMessages& messages, const GraphProgress& progress,
                                 GraphCpus& cpus)
    : machine_(machine), messages_(messages), progress_(progress), cpus_(cpus) {
  if (!machine_.kernel && machine_.quantum == SimTime()) return;
  processor_of_.resize(graph.ranks());
  for (std::size_t i = 0; i < graph.ranks(); ++i) {
    const HostId host = messages_.host_of(Rank{static_cast<std::int32_t>(i)});
    std::vector<std::vector<Rank>>& processors = users_[static_cast<std::uint32_t>(host)];
    processors.resize(machine_.processors);
    const auto least = std::ranges::min_element(processors, {}, &std::vector<Rank>::size);
    if (!least->empty())
      throw Error(graph.file().string() +
                  ": ranks of a schedule take no turns on processors: set hosts.processors so that each has "
                  "one to itself, or hosts.quantum=\"0 s\"");
    processor_of_[i] = static_cast<std::size_t>(least - processors.begin());
    least->push_back(Rank{static_cast<std::int32_t>(i)});
  }
  if (machine_.kernel) machine_.kernel->report_to(*this);
}

bool GraphProcessors::uses(HostId host, std::size_t processor) const {
  const auto found = users_.find(static_cast<std::uint32_t>(host));
  return found != users_.end() && std::ranges::any_of(found->second[processor], [this](Rank rank) {
           const GraphCpus::Cpu& cpu = cpus_.processor(rank);
           return cpu.doing != GraphCpus::Doing::nothing && !cpu.suspended;
         });
}

/// What is under way ends later, and nothing begins before.
void GraphProcessors::interrupted(HostId host, std::size_t processor, SimTime cost, SimTime until) {
  const auto found = users_.find(static_cast<std::uint32_t>(host));
  if (found == users_.end()) return;
  for (const Rank rank : found->second[processor]) {
    GraphCpus::Cpu& cpu = cpus_[cpus_.first(rank)];
    if (cpu.doing != GraphCpus::Doing::nothing) cpu.until = time_before_end(cpu.until + cost);
    cpu.until = std::max(cpu.until, until);
  }
}

std::optional<std::size_t> GraphProcessors::poller(HostId host) const {
  const auto found = users_.find(static_cast<std::uint32_t>(host));
  if (found == users_.end()) return 0;
  bool deserted = true;
  for (std::size_t processor = 0; processor < found->second.size(); ++processor)
    for (const Rank rank : found->second[processor]) {
      if (progress_.rank_has_ended(rank)) continue;
      if (cpus_.processor(rank).doing == GraphCpus::Doing::nothing) return processor;
      deserted = false;
    }
  return deserted ? std::optional<std::size_t>(0) : std::nullopt;
}

void GraphProcessors::rank_ended(Rank rank) const {
  if (!machine_.kernel || !machine_.kernel->polls()) return;
  const HostId host = messages_.host_of(rank);
  if (const auto idle = poller(host)) machine_.kernel->look(host, *idle);
}

bool GraphProcessors::may_go_on(GraphCpus::Cpu& cpu, std::uint32_t number, bool computes) const {
  if (number != cpus_.first(cpu.rank)) return true;
  if (!computes && machine_.kernel->polls() && !progress_.rank_has_ended(cpu.rank))
    machine_.kernel->look(messages_.host_of(cpu.rank), of(cpu.rank));
  return cpu.until <= machine_.events->now() || cpu.line.empty();
}

}  // namespace morgana
