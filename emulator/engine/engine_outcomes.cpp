// What requests bring, once that is certain.

#include <algorithm>

#include "emulator/engine/engine_impl.h"
#include "emulator/operations/unknown_time.h"

namespace morgana {

/// Of a collective, without its members' deposits.
Completed Engine::Impl::outcome_of(std::uint32_t slot) const {
  const Request& request = requests_[slot];
  Completed completed;
  completed.request = request.id;
  completed.bytes = request.bytes;
  completed.payload = request.payload;
  completed.cancelled = request.cancelled;
  completed.outcome = request.outcome;
  if (const auto coming = coming_.find(slot); coming != coming_.end())
    completed.coming = coming->second.coming;
  if (request.kind == OperationKind::receive && !request.cancelled) {
    completed.source = request.envelope.source;
    completed.tag = request.envelope.tag;
  }
  return completed;
}

/// Whether nothing that happens from now on changes what the request brings, only when it does. Members of a
/// collective give their data when they enter.
bool Engine::Impl::is_certain(std::uint32_t slot) const {
  const Request& request = requests_[slot];
  if (request.ready) return true;
  if (request.kind != OperationKind::collective) return false;
  return request.under_way == CollectiveRunner::no_part || collectives_.all_have_entered(request.under_way);
}

/// Ranks that wait for what is certain go on; the engine ends their waits as ever, when it knows the time.
void Engine::Impl::answer_without_time() {
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
      Completed& completed = answer.completed.emplace_back(outcome_of(slot));
      const Request& request = requests_[slot];
      if (request.kind != OperationKind::collective) continue;
      completed.bytes = Bytes();
      if (request.under_way != CollectiveRunner::no_part)
        completed.deposits = collectives_.deposits(request.under_way);
      else if (const auto given = deposits_.find(slot); given != deposits_.end())
        completed.deposits = given->second;
    }
    wait.wants_answer = false;
    source_.answer(Rank{static_cast<std::int32_t>(i)}, answer);
  }
}

}  // namespace morgana
