#include <algorithm>

#include "emulator/process/engine_impl.h"

namespace morgana {

/// A test or probe that finds nothing. It is answered only when everything before its end is done: then the
/// answer can tell all ranks that poll at the same time how long that will do them no good.
void Engine::Impl::end_in_vain(Rank rank) {
  RankState& state = ranks_[index(rank)];
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
    answer.quiet_until = answer.quiet_but_for_computing = next_event;
    for (const Rank other : computing) {
      if (other == rank) continue;
      answer.quiet_until = std::min(answer.quiet_until, ranks_[index(other)].bound);
      if (computing.size() <= most_computing_told) answer.computing.push_back({other});
    }
    if (answer.computing.empty()) answer.quiet_but_for_computing = SimTime();
    source_.answer(rank, answer);
  }
  for (const Rank rank : asking) fetch(rank);
}

}  // namespace morgana
