#include "emulator/engine/clock_rule.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/core/error.h"
#include "emulator/operations/unknown_time.h"

namespace morgana {

ClockRule::ClockRule(EventQueue& events, OperationSource& source, std::vector<RankState>& ranks,
                     const RequestTable& requests, const CollectiveRunner& collectives,
                     const RankProcessors& processors, Polls& polls, EventHandler& starts)
    : events_(events),
      source_(source),
      ranks_(ranks),
      requests_(requests),
      collectives_(collectives),
      processors_(processors),
      polls_(polls),
      starts_(starts) {}

void ClockRule::fetch(Rank rank) {
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
  const SimTime begin = std::max(state.begin_of_next(), events_.now());
  if (!polls_.keep(rank, begin)) events_.schedule_operation(begin, number, starts_, number);
}

/// @return as lets_next_event_happen()
bool ClockRule::is_past_next_event() {
  const SimTime horizon =
      std::min(events_.empty() ? SimTime::max() : events_.next_time(), polls_.first_begin());
  if (polls_.are_due(horizon)) {
    for (const Rank rank : polls_.answer_failed(computing_)) fetch(rank);
    return false;
  }
  if (!computing_.empty() && !computing_ranks_are_past(horizon)) return false;
  const auto poll = polls_.take_first(horizon);
  if (!poll) return true;
  const auto number = static_cast<std::uint32_t>(index(poll->rank));
  events_.schedule_operation(poll->begin, number, starts_, number);
  return false;
}

/// @return false if something has changed or had to be waited for: look again
bool ClockRule::computing_ranks_are_past(SimTime horizon) {
  awaited_.clear();
  for (std::size_t i = 0; i < computing_.size(); ++i) {
    const Rank rank = computing_[i];
    RankState& state = ranks_[index(rank)];
    if (state.bound > horizon) continue;
    // An event will give it a processor, and until then it can't act.
    if (processors_.are_shared() && !processors_.has(rank)) continue;
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

/// Whether nothing that happens from now on changes what the request brings, only when it does. Members of a
/// collective give their data when they enter.
bool ClockRule::is_certain(std::uint32_t slot) const {
  const Request& request = requests_[slot];
  if (request.ready) return true;
  if (request.kind != OperationKind::collective) return false;
  return request.under_way == CollectiveRunner::no_part ||
         collectives_.entered().all_have_entered(collectives_.collective_of(request.under_way));
}

/// Ranks that wait for what is certain go on; the engine ends their waits as ever, when it knows the time.
void ClockRule::answer_without_time() {
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    RankState& state = ranks_[i];
    Operation& wait = state.operation;
    const bool waits = state.phase == RankState::Phase::waiting && wait.kind == OperationKind::wait &&
                       wait.completion == Completion::all && wait.duration == SimTime() && wait.wants_answer;
    if (!waits || !std::ranges::all_of(state.awaited, [&](std::uint32_t slot) { return is_certain(slot); }))
      continue;
    Answer answer;
    answer.clock = unknown_time;
    for (const std::uint32_t slot : state.awaited) {
      Completed& completed = answer.completed.emplace_back(requests_.outcome_of(slot));
      const Request& request = requests_[slot];
      if (request.kind != OperationKind::collective) continue;
      completed.bytes = Bytes();
      const bool is_done = request.under_way == CollectiveRunner::no_part;
      const std::span<const std::uint64_t> deposits =
          is_done ? requests_.deposits(slot)
                  : collectives_.entered().deposits(collectives_.collective_of(request.under_way));
      completed.deposits.assign(deposits.begin(), deposits.end());
    }
    wait.wants_answer = false;
    source_.answer(Rank{static_cast<std::int32_t>(i)}, answer);
  }
}

void ClockRule::forget(Rank rank) {
  std::erase(computing_, rank);
  polls_.forget(rank);
}

}  // namespace morgana
