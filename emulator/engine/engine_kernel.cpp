#include <algorithm>

#include "emulator/core/end_of_time.h"
#include "emulator/engine/engine_impl.h"

namespace morgana {

/// A rank gets the first processor of its host that has the fewest ranks, and so one of its own where there
/// are enough. A service has none.
void Engine::Impl::give_processor(Rank rank) {
  if (source_.is_service(rank)) return;
  processor_of_.resize(ranks_.size());
  std::vector<std::vector<Rank>>& processors =
      users_[static_cast<std::uint32_t>(machine_.host_of[index(rank)])];
  processors.resize(machine_.processors);
  const auto least = std::ranges::min_element(processors, {}, &std::vector<Rank>::size);
  processor_of_[index(rank)] = static_cast<std::size_t>(least - processors.begin());
  least->push_back(rank);
  if (!sharing_) return;
  const auto task = static_cast<std::uint32_t>(index(rank));
  sharing_->add(task, machine_.host_of[index(rank)], processor_of_[index(rank)]);
  sharing_->want(task);
}

void Engine::Impl::take_processor_back(Rank rank) {
  if (source_.is_service(rank)) return;
  const auto host = static_cast<std::uint32_t>(machine_.host_of[index(rank)]);
  std::erase(users_[host][processor_of_[index(rank)]], rank);
  if (sharing_) sharing_->remove(static_cast<std::uint32_t>(index(rank)));
}

bool Engine::Impl::uses_processor(Rank rank) const {
  const RankState& state = ranks_[index(rank)];
  switch (state.phase) {
    case RankState::Phase::computing:
    case RankState::Phase::scheduled:
      return state.asleep_until <= events_.now();
    case RankState::Phase::waiting:
      return state.posts_at > events_.now() ||
             collectives_.busy_until(rank) > std::max(kernel_busy_until(rank), events_.now());
    case RankState::Phase::ended:
    case RankState::Phase::absent:
      return false;
  }
  return false;
}

bool Engine::Impl::uses(HostId host, std::size_t processor) const {
  const auto found = users_.find(static_cast<std::uint32_t>(host));
  return found != users_.end() &&
         std::ranges::any_of(found->second[processor], [this](Rank rank) { return uses_processor(rank); });
}

/// What a rank computes, or its library does for it in a call that has ended, goes on later; if the rank
/// sleeps or waits, what it does next.
void Engine::Impl::interrupted(HostId host, std::size_t processor, SimTime cost, SimTime until) {
  const auto found = users_.find(static_cast<std::uint32_t>(host));
  if (found == users_.end()) return;
  for (const Rank rank : found->second[processor]) {
    if (sharing_ && !has_processor(rank)) continue;  // its turn comes after the kernel's work
    RankState& state = ranks_[index(rank)];
    if (state.phase == RankState::Phase::waiting && state.posts_at > events_.now()) {
      state.posts_at = time_before_end(state.posts_at + cost);
    } else if (state.phase == RankState::Phase::waiting) {
      collectives_.interrupted(rank, cost, until);
    } else if (state.phase == RankState::Phase::computing || state.phase == RankState::Phase::scheduled) {
      if (state.asleep_until > events_.now())
        state.interrupted = std::max(until, state.asleep_until) - state.asleep_until;
      else
        state.interrupted = time_before_end(state.interrupted + cost);
    }
  }
}

std::optional<std::size_t> Engine::Impl::poller(HostId host) const {
  const auto found = users_.find(static_cast<std::uint32_t>(host));
  if (found == users_.end()) return 0;
  bool deserted = true;
  for (std::size_t processor = 0; processor < found->second.size(); ++processor)
    for (const Rank rank : found->second[processor]) {
      if (ranks_[index(rank)].phase == RankState::Phase::waiting) return processor;
      deserted = false;
    }
  return deserted ? std::optional<std::size_t>(0) : std::nullopt;
}

/// The rank enters a call of its library.
void Engine::Impl::look_at_interface(Rank rank) {
  if (!machine_.kernel || !machine_.kernel->polls() || source_.is_service(rank)) return;
  switch (ranks_[index(rank)].operation.kind) {
    case OperationKind::nothing:
    case OperationKind::read_clock:
    case OperationKind::sleep:
      return;
    default:
      machine_.kernel->look(machine_.host_of[index(rank)], processor_of_[index(rank)]);
  }
}

std::optional<std::size_t> Engine::Impl::processor_of(Rank rank) const {
  if (source_.is_service(rank)) return std::nullopt;
  return processor_of_[index(rank)];
}

/// Time 0 where no kernel takes processors.
SimTime Engine::Impl::kernel_busy_until(Rank rank) const {
  if (!machine_.kernel || source_.is_service(rank)) return SimTime();
  return machine_.kernel->busy_until(machine_.host_of[index(rank)], processor_of_[index(rank)]);
}

/// When the kernel leaves the processor to a rank that waits, and the steps of its collectives that the
/// kernel has delayed are done.
SimTime Engine::Impl::processor_free(Rank rank, SimTime from) const {
  if (sharing_) return std::max(from, collectives_.busy_until(rank));  // got_processor() adds the kernel's
  if (!machine_.kernel) return from;
  return std::max({from, kernel_busy_until(rank), collectives_.busy_until(rank)});
}

}  // namespace morgana
