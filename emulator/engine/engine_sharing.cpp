#include <algorithm>
#include <utility>

#include "emulator/engine/engine_impl.h"

namespace morgana {

// A rank needs its processor while it computes, and while its library works in a call: from the begin of an
// operation until it waits. What a rank waits for finds it in its call; what completing it costs, and what
// the rank computes then, begin when the rank's turn comes: like kernel work, the turns of others make begins
// later (RankState::interrupted), and what is under way ends later, though what it has sent has left.

/// Whether others may take the rank's processor at any time.
bool Engine::Impl::shares_processor(Rank rank) const {
  return sharing_ && !source_.is_service(rank) &&
         !sharing_->is_alone(static_cast<std::uint32_t>(index(rank)));
}

/// Where processors are shared.
bool Engine::Impl::has_processor(Rank rank) const {
  return source_.is_service(rank) || sharing_->has_processor(static_cast<std::uint32_t>(index(rank)));
}

/// The rank waits or sleeps: others get its processor when its library has done what it is at.
void Engine::Impl::leave_if_idle(Rank rank) {
  const RankState& state = ranks_[index(rank)];
  const auto task = static_cast<std::uint32_t>(index(rank));
  if (source_.is_service(rank) || !sharing_->has_processor(task)) return;
  if (state.phase == RankState::Phase::waiting) {
    if (state.working) return;  // work_done() will look
    const SimTime busy = collectives_.busy_until(rank);
    if (busy > events_.now()) return sharing_->remind(task, busy);
    sharing_->leave(task);
  } else if (state.asleep_until > events_.now()) {
    sharing_->remind(task, state.asleep_until);
    sharing_->leave(task);
  }
}

/// The rank's operation has ended.
void Engine::Impl::needs_processor(Rank rank) {
  if (source_.is_service(rank)) return;
  RankState& state = ranks_[index(rank)];
  const auto task = static_cast<std::uint32_t>(index(rank));
  // A step of another collective may have brought it into line before what it has waited for was there: until
  // then the processor was not missed, but for the rest of what the library was at.
  if (const auto since = sharing_->in_line_since(task); since && state.phase == RankState::Phase::waiting)
    state.interrupted -= std::max(events_.now() - std::max(*since, collectives_.busy_until(rank)), SimTime());
  state.phase = RankState::Phase::scheduled;  // or it computes: the same to got_processor()
  sharing_->want(task);
}

/// A sleeper wakes, or what a waiting rank's library was at may be done.
void Engine::Impl::reminded(std::uint32_t task) {
  const Rank rank{static_cast<std::int32_t>(task)};
  switch (ranks_[task].phase) {
    case RankState::Phase::computing:
    case RankState::Phase::scheduled:
      if (ranks_[task].asleep_until == events_.now()) sharing_->want(task);
      return;
    case RankState::Phase::waiting:
      return leave_if_idle(rank);
    case RankState::Phase::ended:
    case RankState::Phase::absent:
      return;
  }
}

/// The time since it was ready is taken from it, and the kernel's work goes first.
void Engine::Impl::got_processor(std::uint32_t task, SimTime since) {
  const Rank rank{static_cast<std::int32_t>(task)};
  RankState& state = ranks_[task];
  const SimTime now = events_.now();
  const SimTime begin = std::max(kernel_busy_until(rank), now);
  if (state.phase == RankState::Phase::waiting) {
    sharing_->remind(task, now);
  } else {
    state.interrupted += begin - since;
    if (std::exchange(state.start_is_due, false))
      events_.schedule_operation(std::max(begin_of_next(state), now), task, *this, task);
  }
  collectives_.go_on(rank, since, begin > now ? begin : SimTime());
}

bool Engine::Impl::gets_processor(Rank rank) {
  const auto task = static_cast<std::uint32_t>(index(rank));
  const RankState::Phase phase = ranks_[task].phase;
  if (source_.is_service(rank) || phase == RankState::Phase::ended || phase == RankState::Phase::absent)
    return true;
  sharing_->want(task);
  return sharing_->has_processor(task);
}

}  // namespace morgana
