#include <algorithm>

#include "emulator/core/end_of_time.h"
#include "emulator/engine/engine_impl.h"

namespace morgana {

/// The rank is in a call that may wait: its library goes on with what its nonblocking collectives owe.
/// @return whether that takes time; work_done() will look at the operation again
bool Engine::Impl::goes_on_in_call(Rank rank) {
  if (!collectives_.has_background(rank)) return false;
  RankState& state = ranks_[index(rank)];
  state.phase = RankState::Phase::waiting;
  state.in_call = state.working = true;  // what becomes ready at once does not end the operation yet
  collectives_.begin_call(rank, true);
  state.working = false;
  return works_on(rank);
}

/// A call is not left while its processor is busy with a collective's step.
/// @return whether it is; work_done() will look at the operation again
bool Engine::Impl::works_on(Rank rank) {
  RankState& state = ranks_[index(rank)];
  if (!state.in_call || collectives_.busy_until(rank) <= events_.now()) return false;
  state.phase = RankState::Phase::waiting;
  state.working = true;
  // Late: what else happens at that time is seen by the operation, whichever was scheduled first.
  events_.schedule_late(collectives_.busy_until(rank), *this, work_event + index(rank));
  return true;
}

void Engine::Impl::work_done(Rank rank) {
  RankState& state = ranks_[index(rank)];
  if (!state.working) return;  // the rank was killed, or its wait has reached its limit
  if (works_on(rank)) return;  // more has come meanwhile
  state.working = false;
  switch (state.operation.kind) {
    case OperationKind::wait:
      look_at_wait(rank);
      break;
    case OperationKind::test:
      end_test(rank);
      break;
    case OperationKind::probe:
    case OperationKind::test_probe:
      look_at_probe(rank);
      break;
    default:
      end(rank, events_.now());
  }
  if (sharing_) leave_if_idle(rank);
}

void Engine::Impl::leave_call(Rank rank) {
  ranks_[index(rank)].in_call = false;
  collectives_.end_call(rank);
}

/// When the processor has done everything that the call found to do, from `from` on: completing the requests
/// in these slots and the steps of collectives, each as soon as it was there. It is never idle while there is
/// something to do, so the end does not depend on the order.
SimTime Engine::Impl::end_of_work(Rank rank, std::span<const std::uint32_t> slots, SimTime from) {
  const auto steps = collectives_.work(rank);
  std::vector<RankProgress::Work> work(steps.begin(), steps.end());
  for (const std::uint32_t slot : slots)
    work.push_back({requests_[slot].ready_at - requests_[slot].early, cost_of_completing(slot)});
  std::ranges::stable_sort(work, {}, &RankProgress::Work::released);
  SimTime clock = from;
  for (const RankProgress::Work& item : work)
    clock = time_before_end(std::max(clock, item.released) + item.cost);
  if (causes_ != nullptr) {
    // Steps of collectives have told of themselves.
    SimTime idle_from = from;
    for (const RankProgress::Work& step : steps) idle_from = std::max(idle_from, step.released + step.cost);
    for (const std::uint32_t slot : slots) tell_release(slot, std::min(idle_from, clock));
  }
  return clock;
}

}  // namespace morgana
