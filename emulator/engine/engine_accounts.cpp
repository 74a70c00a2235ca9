// What is known of a run: what was lost, where each rank is, why none can go on.

#include <algorithm>
#include <set>

#include "emulator/engine/deadlock_report.h"
#include "emulator/engine/engine_impl.h"

namespace morgana {

Losses Engine::Impl::losses() const {
  Losses all = messenger_->losses();
  all.add(remote_access_.losses());
  return all;
}

std::string Engine::Impl::loss_report() const {
  return losses().report(machine_.transport ? machine_.transport->remedy() : std::string());
}

std::string Engine::Impl::activity_report() const {
  return describe_activities(events_.now(), ranks_, requests_.all(), contexts_);
}

Deadlock Engine::Impl::deadlock() const {
  const DeadlockAnalysis analysis =
      analyse_deadlock(ranks_, requests_.all(), contexts_, collectives_, machine_, losses());
  std::vector<Deadlock::Waiting> cycle;
  for (const Rank rank : analysis.cycle)
    cycle.push_back({rank, std::string(name_of(ranks_[index(rank)].operation.call))});
  std::vector<Rank> ended;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
    if (ranks_[rank].phase == RankState::Phase::ended) ended.push_back(Rank{static_cast<std::int32_t>(rank)});
  std::string report = loss_report();
  if (const std::string standstill = machine_.network ? machine_.network->standstill() : "";
      !standstill.empty())
    report += (report.empty() ? "" : "\n") + standstill;
  return Deadlock(
      describe_deadlock(analysis, ranks_, requests_.all(), contexts_, losses(), *messenger_, report),
      losses().unstable(), std::move(cycle), std::move(ended));
}

HostUse Engine::Impl::host_use() const {
  std::set<HostId> hosts;
  for (std::size_t i = 0; i < std::min(ranks_.size(), machine_.program_ranks); ++i)
    if (ranks_[i].phase != RankState::Phase::absent &&
        !source_.is_service(Rank{static_cast<std::int32_t>(i)}))
      hosts.insert(machine_.host_of[i]);
  HostUse use{hosts.size(), machine_.processors, machine_.within_hosts, machine_.between_hosts};
  if (machine_.memory) {
    use.memory_wait = machine_.memory->slowed();
    use.memory_at_limit = machine_.memory->longest_at_limit();
  }
  return use;
}

}  // namespace morgana
