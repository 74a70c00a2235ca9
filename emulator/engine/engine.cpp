#include <fmt/format.h>

#include <algorithm>

#include "emulator/core/end_of_time.h"
#include "emulator/engine/deadlock_report.h"
#include "emulator/engine/engine_impl.h"

namespace morgana {

Engine::Engine(Machine& machine, OperationSource& source, std::span<OperationObserver* const> observers,
               CausalityObserver* causes)
    : impl_(std::make_unique<Impl>(machine, source, observers, causes)) {}
Engine::~Engine() = default;

std::vector<SimTime> Engine::run(const std::function<void(SimTime)>& all_ended) {
  return impl_->run(all_ended);
}

SimTime Engine::now() const {
  return impl_->now();
}
std::uint64_t Engine::unreceived_messages() const {
  return impl_->unreceived();
}
std::string Engine::unreceived_report() const {
  return impl_->unreceived_report();
}
std::uint64_t Engine::lost_messages() const {
  return impl_->losses().lost();
}

std::string Engine::unstable() const {
  return impl_->losses().unstable();
}
std::uint64_t Engine::returned_messages() const {
  return impl_->losses().returned();
}

std::string Engine::loss_report() const {
  return impl_->loss_report();
}

std::string Engine::activity_report() const {
  return impl_->activity_report();
}

HostUse Engine::host_use() const {
  return impl_->host_use();
}

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

std::vector<SimTime> Engine::Impl::run(const std::function<void(SimTime)>& all_ended) {
  try {
    return run_all(all_ended);
  } catch (const TimePastEnd& refused) {
    throw Error(describe_past_end(refused.what(), events_.now(), ranks_, requests_.all(), contexts_));
  }
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

std::vector<SimTime> Engine::Impl::run_all(const std::function<void(SimTime)>& all_ended) {
  if (source_.ranks() != ranks_.size())
    throw Error(
        fmt::format("the machine is made for {} ranks, the program has {}", ranks_.size(), source_.ranks()));
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    const Rank rank{static_cast<std::int32_t>(i)};
    ranks_[i].phase = RankState::Phase::absent;
    if (source_.runs_at_start(rank))
      begin_at_start(rank);
    else if (i < machine_.program_ranks)
      machine_.places_later = true;
  }
  while (ended_ < started_) {
    SimTime horizon = events_.empty() ? SimTime::max() : events_.next_time();
    if (!pending_polls_.empty()) horizon = std::min(horizon, first_pending_poll().begin);
    if (!failed_polls_.empty() && failed_polls_are_due(horizon)) {
      answer_failed_polls();
      continue;
    }
    if (!computing_.empty() && !computing_ranks_are_past(horizon)) continue;
    if (!pending_polls_.empty() && schedule_pending_poll(horizon)) continue;
    // With upkeep as the horizon ranks may still compute, poll, or wait for a poll's answer, beyond it.
    const bool nobody_acts = computing_.empty() && failed_polls_.empty() && pending_polls_.empty();
    if (nobody_acts && (events_.idle() || (machine_.background && only_background_goes_on(machine_))))
      throw deadlock();
    events_.handle_next();
  }
  SimTime last_exit;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    const Rank rank{static_cast<std::int32_t>(i)};
    if (source_.is_service(rank))
      end_early(rank);
    else
      last_exit = std::max(last_exit, ranks_[i].clock);
  }
  finish_network(machine_, last_exit, all_ended);
  std::vector<SimTime> exits;
  for (const RankState& state : ranks_) exits.push_back(state.clock);
  return exits;
}

void Engine::Impl::fetch(Rank rank) {
  RankState& state = ranks_[index(rank)];
  if (!source_.next(rank, state.operation)) {
    state.phase = RankState::Phase::computing;
    state.bound = state.clock;
    computing_.push_back(rank);
    return;
  }
  if (state.operation.elapsed < SimTime())
    throw Error(fmt::format("rank {}: an operation lies before the end of the one before it", index(rank)));
  // As the event queue would say; but the sum must not overflow.
  constexpr SimTime latest = EventQueue::latest;
  if (state.clock > latest || state.operation.elapsed > latest - state.clock)
    throw Error(
        fmt::format("rank {} computes or sleeps beyond the end of simulated time, 53 days after the "
                    "start",
                    index(rank)));
  state.phase = RankState::Phase::scheduled;
  const auto number = static_cast<std::uint32_t>(index(rank));
  // A source that reports less than it let the engine believe can't turn back the clock.
  const SimTime begin = std::max(begin_of_next(state), events_.now());
  if (pending_polls_.size() < most_computing_told && is_pure_poll(rank))
    pending_polls_.push_back({rank, begin});
  else
    events_.schedule_operation(begin, number, *this, number);
}

/// @return false if something has changed or had to be waited for: look again
bool Engine::Impl::computing_ranks_are_past(SimTime horizon) {
  awaited_.clear();
  for (std::size_t i = 0; i < computing_.size(); ++i) {
    const Rank rank = computing_[i];
    RankState& state = ranks_[index(rank)];
    if (state.bound > horizon) continue;
    if (sharing_ && !has_processor(rank)) continue;  // an event will give it one, and until then it can't act
    if (const auto computed = source_.computed(rank)) {
      const SimTime since = state.clock + state.interrupted;
      state.bound = since + *computed;
      if (state.bound > horizon) continue;
      awaited_.push_back({rank, since, horizon});
    } else {
      computing_[i] = computing_.back();
      computing_.pop_back();
      fetch(rank);
      if (state.phase != RankState::Phase::computing) return false;
      awaited_.assign(1, {rank, state.clock + state.interrupted,
                          horizon});  // half an operation: the rest may take a while
      break;
    }
  }
  if (awaited_.empty()) return true;
  if (source_.is_held_up()) answer_without_time();
  source_.wait(awaited_);
  return false;
}

void Engine::Impl::handle(std::uint64_t what) {
  if (what >= limit_event) return limit_reached(what - limit_event);
  if (what >= begin_event) return begin(Rank{static_cast<std::int32_t>(what - begin_event)});
  if (what >= work_event) return work_done(Rank{static_cast<std::int32_t>(what - work_event)});
  if (what >= post_event) return post_receive(Rank{static_cast<std::int32_t>(what - post_event)});
  if (what >= copy_event) return copy_is_due(Rank{static_cast<std::int32_t>(what - copy_event)});
  if (what >= request_event) return became_ready(static_cast<std::uint32_t>(what - request_event));
  const Rank rank{static_cast<std::int32_t>(what)};
  RankState& state = ranks_[index(rank)];
  if (state.phase != RankState::Phase::scheduled) return;  // it was killed meanwhile
  if (sharing_ && !has_processor(rank)) {
    state.start_is_due = true;
    return;
  }
  const SimTime interrupted = state.interrupted;
  look_at_interface(rank);
  if (state.interrupted > SimTime()) {
    const auto number = static_cast<std::uint32_t>(what);
    const SimTime begin = begin_of_next(state);
    // What its call has found at the interface is done before it goes on.
    if (state.interrupted > interrupted) return events_.schedule(begin, *this, number);
    if (begin > events_.now()) return events_.schedule_operation(begin, number, *this, number);
  }
  start(rank);
  if (sharing_) leave_if_idle(rank);
}

void Engine::Impl::end(Rank rank, SimTime at, std::span<const Completed> completed) {
  RankState& state = ranks_[index(rank)];
  if (state.in_call) leave_call(rank);
  if (!copiers_.empty()) at = end_of_copies(rank, at);
  for (OperationObserver* observer : observers_)
    observer->operation_ended(rank, state.operation, state.begin, at, completed);
  state.clock = at;
  if (!state.operation.wants_answer) {
    for (const Completed& one : completed)
      if (one.outcome != Outcome::delivered) source_.returned(rank, state.operation, one.outcome);
  } else {
    Answer answer;
    answer.clock = at;
    answer.completed.assign(completed.begin(), completed.end());
    source_.answer(rank, answer);
  }
  if (state.operation.kind == OperationKind::exit) {
    // Nothing of the program's can wait for them, but the other members of its collectives may.
    if (collectives_.has_background(rank)) collectives_.begin_call(rank, true);
    return rank_ended(rank);
  }
  if (sharing_) needs_processor(rank);
  fetch(rank);
}

}  // namespace morgana
