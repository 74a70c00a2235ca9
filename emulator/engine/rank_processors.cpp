#include "emulator/engine/rank_processors.h"

#include <algorithm>
#include <utility>

#include "emulator/core/end_of_time.h"

namespace morgana {

RankProcessors::RankProcessors(Machine& machine, OperationSource& source, std::vector<RankState>& ranks,
                               CollectiveRunner& collectives, EventHandler& starts)
    : machine_(machine),
      events_(*machine.events),
      source_(source),
      ranks_(ranks),
      collectives_(collectives),
      starts_(starts) {
  if (machine_.kernel) machine_.kernel->report_to(*this);
  if (machine_.quantum == SimTime()) return;
  TimeSharingClient& client = *this;
  sharing_ = std::make_unique<TimeSharing>(events_, machine_.quantum, machine_.processors, client);
  collectives_.share_processors();
}

void RankProcessors::give(Rank rank) {
  if (!may_be_taken() || source_.is_service(rank)) return;
  processor_of_.resize(ranks_.size());
  std::vector<std::vector<Rank>>& processors =
      users_[static_cast<std::uint32_t>(machine_.host_of[index(rank)])];
  processors.resize(machine_.processors);
  const auto least = std::ranges::min_element(processors, {}, &std::vector<Rank>::size);
  processor_of_[index(rank)] = static_cast<std::size_t>(least - processors.begin());
  least->push_back(rank);
  if (!sharing_) {
    RankState& state = ranks_[index(rank)];
    state.interrupted = std::max(kernel_busy_until(rank), state.clock) - state.clock;
    return;
  }
  const auto task = static_cast<std::uint32_t>(index(rank));
  sharing_->add(task, machine_.host_of[index(rank)], processor_of_[index(rank)]);
  sharing_->want(task);
}

void RankProcessors::take_back(Rank rank) {
  if (!may_be_taken() || source_.is_service(rank)) return;
  const auto host = static_cast<std::uint32_t>(machine_.host_of[index(rank)]);
  std::erase(users_[host][processor_of_[index(rank)]], rank);
  if (sharing_) sharing_->remove(static_cast<std::uint32_t>(index(rank)));
}

std::optional<std::size_t> RankProcessors::of(Rank rank) const {
  if (source_.is_service(rank)) return std::nullopt;
  return processor_of_[index(rank)];
}

bool RankProcessors::uses_processor(Rank rank) const {
  const RankState& state = ranks_[index(rank)];
  switch (state.phase) {
    case RankState::Phase::computing:
    case RankState::Phase::scheduled:
      return state.asleep_until <= events_.now();
    case RankState::Phase::waiting:
      return state.posts_at > events_.now() ||
             collectives_.progress(rank).busy_until > std::max(kernel_busy_until(rank), events_.now());
    case RankState::Phase::ended:
    case RankState::Phase::absent:
      return false;
  }
  return false;
}

std::span<const Rank> RankProcessors::users_of(HostId host, std::size_t processor) const {
  const auto found = users_.find(static_cast<std::uint32_t>(host));
  if (found == users_.end()) return {};
  return found->second[processor];
}

bool RankProcessors::uses(HostId host, std::size_t processor) const {
  return std::ranges::any_of(users_of(host, processor), [this](Rank rank) { return uses_processor(rank); });
}

/// What a rank computes, or its library does for it in a call that has ended, goes on later; if the rank
/// sleeps or waits, what it does next.
void RankProcessors::interrupted(HostId host, std::size_t processor, SimTime cost, SimTime until) {
  for (const Rank rank : users_of(host, processor)) {
    if (sharing_ && !has(rank)) continue;  // its turn comes after the kernel's work
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

std::optional<std::size_t> RankProcessors::poller(HostId host) const {
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

void RankProcessors::look_at_interface(Rank rank) {
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

void RankProcessors::look_without(Rank rank) {
  if (!machine_.kernel || !machine_.kernel->polls()) return;
  const HostId host = machine_.host_of[index(rank)];
  if (const auto idle = poller(host)) machine_.kernel->look(host, *idle);
}

SimTime RankProcessors::kernel_busy_until(Rank rank) const {
  if (!machine_.kernel || source_.is_service(rank)) return SimTime();
  return machine_.kernel->busy_until(machine_.host_of[index(rank)], processor_of_[index(rank)]);
}

SimTime RankProcessors::free_of_others(Rank rank, SimTime from) const {
  if (sharing_)
    return std::max(from, collectives_.progress(rank).busy_until);  // got_processor() adds the kernel's
  return std::max({from, kernel_busy_until(rank), collectives_.progress(rank).busy_until});
}

bool RankProcessors::is_shared(Rank rank) const {
  return sharing_ && !source_.is_service(rank) &&
         !sharing_->is_alone(static_cast<std::uint32_t>(index(rank)));
}

void RankProcessors::leave_if_idle(Rank rank) {
  const RankState& state = ranks_[index(rank)];
  const auto task = static_cast<std::uint32_t>(index(rank));
  if (source_.is_service(rank) || !sharing_->has_processor(task)) return;
  if (state.phase == RankState::Phase::waiting) {
    if (state.working) return;  // it is asked again when that is done
    const SimTime busy = collectives_.progress(rank).busy_until;
    if (busy > events_.now()) return sharing_->remind(task, busy);
    sharing_->leave(task);
  } else if (state.asleep_until > events_.now()) {
    sharing_->remind(task, state.asleep_until);
    sharing_->leave(task);
  }
}

void RankProcessors::needs(Rank rank) {
  if (source_.is_service(rank)) return;
  RankState& state = ranks_[index(rank)];
  const auto task = static_cast<std::uint32_t>(index(rank));
  // A step of another collective may have brought it into line before what it has waited for was there: until
  // then the processor was not missed, but for the rest of what the library was at.
  if (const auto since = sharing_->in_line_since(task); since && state.phase == RankState::Phase::waiting)
    state.interrupted -=
        std::max(events_.now() - std::max(*since, collectives_.progress(rank).busy_until), SimTime());
  state.phase = RankState::Phase::scheduled;  // or it computes: the same to got_processor()
  sharing_->want(task);
}

/// A sleeper wakes, or what a waiting rank's library was at may be done.
void RankProcessors::reminded(std::uint32_t task) {
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
void RankProcessors::got_processor(std::uint32_t task, SimTime since) {
  const Rank rank{static_cast<std::int32_t>(task)};
  RankState& state = ranks_[task];
  const SimTime now = events_.now();
  const SimTime begin = std::max(kernel_busy_until(rank), now);
  if (state.phase == RankState::Phase::waiting) {
    sharing_->remind(task, now);
  } else {
    state.interrupted += begin - since;
    if (std::exchange(state.start_is_due, false))
      events_.schedule_operation(std::max(state.begin_of_next(), now), task, starts_, task);
  }
  collectives_.go_on(rank, since, begin > now ? begin : SimTime());
}

bool RankProcessors::gets(Rank rank) {
  const auto task = static_cast<std::uint32_t>(index(rank));
  const RankState::Phase phase = ranks_[task].phase;
  if (source_.is_service(rank) || phase == RankState::Phase::ended || phase == RankState::Phase::absent)
    return true;
  sharing_->want(task);
  return sharing_->has_processor(task);
}

}  // namespace morgana
