#include <algorithm>

#include "emulator/engine/engine_impl.h"

namespace morgana {

/// A test or probe that finds nothing. It is answered only when everything before its end is done: then the
/// answer can tell all ranks that poll at the same time how long that will do them no good.
void Engine::Impl::end_failed_poll(Rank rank) {
  RankState& state = ranks_[index(rank)];
  if (state.in_call) leave_call(rank);
  const SimTime at = events_.now() + machine_.messages.poll_cost;
  for (OperationObserver* observer : observers_)
    observer->operation_ended(rank, state.operation, state.begin, at, {});
  state.clock = state.bound = at;
  state.phase = RankState::Phase::computing;
  failed_polls_.push_back(rank);
}

bool Engine::Impl::failed_polls_are_due(SimTime horizon) const {
  return std::any_of(failed_polls_.begin(), failed_polls_.end(),
                     [&](Rank rank) { return ranks_[index(rank)].clock <= horizon; });
}

/// Whether the same poll, now, would find what has come since it began, or go on with a collective; or took
/// longer than such polls do, so that the rank can't tell from it what the next one will cost.
bool Engine::Impl::would_find_something(Rank rank) {
  const RankState& state = ranks_[index(rank)];
  const Operation& poll = state.operation;
  if (collectives_.owes(rank) || state.clock - state.begin != machine_.messages.poll_cost) return true;
  // An interrupt before the poll would be taken for its cost, and one since then sets the rank's own time
  // back.
  // What others do on its processor delays it at times that it can't know.
  if (shares_processor(rank)) return true;
  if (poll.interrupted > SimTime() || state.interrupted > SimTime()) return true;
  if (poll.kind != OperationKind::test)
    return messenger_->find(rank, {poll.context, poll.peer, poll.tag}).has_value();
  const auto is_ready = [&](RequestId id) {
    const auto found = state.requests.find(id);
    return found != state.requests.end() && requests_[found->second].ready;
  };
  if (poll.requests.empty()) return false;
  return poll.completion == Completion::all ? std::ranges::all_of(poll.requests, is_ready)
                                            : std::ranges::any_of(poll.requests, is_ready);
}

/// Whether the rank only asks, and does so when it says: nobody else uses its processor, and no collective of
/// its goes on in the call, whose messages would be under way before the rank is known to be any further.
bool Engine::Impl::is_pure_poll(Rank rank) const {
  const Operation& operation = ranks_[index(rank)].operation;
  return operation.wants_answer && !sharing_ && !machine_.kernel && !collectives_.has_background(rank) &&
         (operation.kind == OperationKind::test || operation.kind == OperationKind::test_probe);
}

const Engine::Impl::PendingPoll& Engine::Impl::first_pending_poll() const {
  return *std::ranges::min_element(pending_polls_, {}, &PendingPoll::begin);
}

/// Puts the first pending poll into the queue if nothing is to happen before it. @return whether it is
bool Engine::Impl::schedule_pending_poll(SimTime horizon) {
  const PendingPoll first = first_pending_poll();
  if (first.begin > horizon) return false;
  std::erase_if(pending_polls_, [&](const PendingPoll& poll) { return poll.rank == first.rank; });
  const auto number = static_cast<std::uint32_t>(index(first.rank));
  events_.schedule_operation(first.begin, number, *this, number);
  return true;
}

void Engine::Impl::answer_failed_polls() {
  const std::vector<Rank> asking = std::exchange(failed_polls_, {});
  // Nothing changes before the next event, or before a rank that computes does something.
  const SimTime next_event = events_.empty() ? SimTime::max() : events_.next_time();
  std::vector<Rank> computing = computing_;
  computing.insert(computing.end(), asking.begin(), asking.end());
  for (const Rank rank : asking) {
    const RankState& state = ranks_[index(rank)];
    if (!state.operation.wants_answer) continue;
    Answer answer;
    answer.clock = state.clock;
    if (would_find_something(rank)) {
      source_.answer(rank, answer);
      continue;
    }
    answer.quiet_until = answer.quiet_but_for_computing = next_event;
    const bool are_told = computing.size() + pending_polls_.size() <= most_computing_told;
    const auto limit = [&](Rank other, SimTime bound) {
      answer.quiet_until = std::min(answer.quiet_until, bound);
      if (are_told) answer.computing.push_back({other});
    };
    for (const Rank other : computing)
      if (other != rank) limit(other, ranks_[index(other)].bound);
    for (const PendingPoll& poll : pending_polls_) limit(poll.rank, poll.begin);
    if (answer.computing.empty()) answer.quiet_but_for_computing = SimTime();
    source_.answer(rank, answer);
  }
  for (const Rank rank : asking) fetch(rank);
}

}  // namespace morgana
