#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "emulator/engine/engine_impl.h"

namespace morgana {

void Engine::Impl::begin_at_start(Rank rank) {
  if (!source_.is_service(rank)) ++started_;
  const SimTime start = source_.starts_at(rank);
  if (start == SimTime()) return begin(rank);
  ranks_[index(rank)].clock = start;
  events_.schedule(start, *this, begin_event + index(rank));
}

/// It is counted among those that have started.
void Engine::Impl::begin(Rank rank) {
  if (machine_.kernel || sharing_) give_processor(rank);
  if (machine_.kernel && !sharing_) {
    RankState& state = ranks_[index(rank)];
    state.interrupted = std::max(kernel_busy_until(rank), state.clock) - state.clock;
  }
  fetch(rank);
}

/// Whatever it is doing.
void Engine::Impl::end_early(Rank rank) {
  RankState& state = ranks_[index(rank)];
  if (state.phase == RankState::Phase::ended || state.phase == RankState::Phase::absent) return;
  std::erase(computing_, rank);
  std::erase(failed_polls_, rank);
  std::erase_if(pending_polls_, [rank](const PendingPoll& poll) { return poll.rank == rank; });
  // What it waits for may still come, and then nobody waits.
  for (const std::uint32_t slot : state.awaited) requests_[slot].awaited = false;
  give_up_copy(rank);
  state.working = false;
  const SimTime at = std::max(events_.now(), state.clock);  // its last operation may last until later
  Operation last;
  last.kind = OperationKind::exit;
  // What the kernel has still to do is not told apart from computing: a replay ends the rank at the same
  // time.
  last.elapsed = at - state.clock;
  for (OperationObserver* observer : observers_) observer->operation_ended(rank, last, at, at, {});
  state.clock = at;
  rank_ended(rank);
}

void Engine::Impl::rank_ended(Rank rank) {
  ranks_[index(rank)].phase = RankState::Phase::ended;
  if (machine_.kernel || sharing_) take_processor_back(rank);
  if (machine_.kernel && machine_.kernel->polls())
    if (const auto idle = poller(machine_.host_of[index(rank)]))
      machine_.kernel->look(machine_.host_of[index(rank)], *idle);
  if (!source_.is_service(rank)) ++ended_;
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

void Engine::Impl::start_spawn(Rank rank) {
  const Operation& operation = ranks_[index(rank)].operation;
  check_peer(rank, operation, false);
  const Rank fresh = operation.peer;
  if (ranks_[index(fresh)].phase != RankState::Phase::absent || operation.host < 0)
    throw Error(
        fmt::format("rank {}: {} starts rank {} on host {}, but it runs already or there is no such host",
                    index(rank), name_of(operation.call), index(fresh), operation.host));
  machine_.host_of[index(fresh)] = static_cast<HostId>(operation.host);
  ranks_[index(fresh)].clock = events_.now();
  if (causes_ != nullptr) tell_begin(fresh, events_.now(), rank);
  if (!source_.is_service(fresh)) ++started_;
  begin(fresh);
  end(rank, events_.now());
}

void Engine::Impl::start_kill(Rank rank) {
  const Operation& operation = ranks_[index(rank)].operation;
  check_peer(rank, operation, false);
  if (operation.peer == rank)
    throw Error(fmt::format("rank {}: {} ends the rank itself", index(rank), name_of(operation.call)));
  const SimTime now = events_.now();
  end_early(operation.peer);
  end(rank, now);
}

}  // namespace morgana
