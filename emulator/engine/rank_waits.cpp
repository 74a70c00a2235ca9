#include "emulator/engine/rank_waits.h"

#include <algorithm>

#include "emulator/core/end_of_time.h"

namespace morgana {

void RankWaits::handle(std::uint64_t what) {
  if (what >= limit_event) return limit_reached(what - limit_event);
  if (what >= work_event) return work_done(Rank{static_cast<std::int32_t>(what - work_event)});
  became_ready(static_cast<std::uint32_t>(what));
}

void RankWaits::start_wait(Rank rank) {
  const Operation& operation = ranks_[index(rank)].operation;
  if (operation.requests.empty() && operation.completion != Completion::all)
    return ends_.end(rank, events_.now(), {});
  if (begin_waiting(rank)) return complete_awaited(rank);
  if (collectives_.progress(rank).has_background() && !goes_on_in_call(rank)) look_at(rank);
}

bool RankWaits::start_sleep(Rank rank) {
  Operation& operation = ranks_[index(rank)].operation;
  if (operation.duration <= SimTime() || !collectives_.progress(rank).has_background()) return false;
  operation.kind = OperationKind::wait;
  operation.requests.clear();
  operation.completion = Completion::some;  // of none: its limit ends it
  begin_waiting(rank);
  goes_on_in_call(rank);
  return true;
}

bool RankWaits::start_beside_probe(Rank rank) {
  RankState& state = ranks_[index(rank)];
  if (state.operation.kind == OperationKind::probe) state.operation.completion = Completion::some;
  if (!begin_waiting(rank)) return false;
  complete_awaited(rank);
  return true;
}

/// For the operation's requests, and its limit. @return whether it is over at once
bool RankWaits::begin_waiting(Rank rank) {
  RankState& state = ranks_[index(rank)];
  requests_.collect_awaited(rank, state);
  state.missing = requests_.await_missing(state);
  if (state.is_satisfied()) return true;
  state.phase = RankState::Phase::waiting;
  if (!copies_.are_none() && !collectives_.progress(rank).has_background()) copies_.go_on_with_awaited(rank);
  // What the rank does then comes before all else at that time, as it does in a replay, in which a wait that
  // has reached its limit is a sleep.
  if (state.operation.duration > SimTime())
    events_.schedule_operation(events_.now() + std::min(state.operation.duration, EventQueue::latest),
                               static_cast<std::uint32_t>(index(rank)), *this,
                               limit_event + (++state.limited_waits << rank_bits | index(rank)));
  return false;
}

void RankWaits::look_at(Rank rank) {
  if (ranks_[index(rank)].is_satisfied()) complete_awaited(rank);
}

void RankWaits::complete_awaited(Rank rank) {
  RankState& state = ranks_[index(rank)];
  if (state.operation.kind == OperationKind::probe) {
    state.operation.kind = OperationKind::wait;
    state.operation.call = Call::MPI_Waitsome;
  }
  switch (state.operation.completion) {
    case Completion::all:
      return complete(rank, state.awaited, state.begin);
    case Completion::any:
      one_slot_.assign(1, requests_.first_ready(state));
      return complete(rank, one_slot_, state.begin);
    case Completion::some:
      return complete(rank, requests_.ready_among(state), state.begin);
  }
}

void RankWaits::limit_reached(std::uint64_t wait) {
  const Rank rank{static_cast<std::int32_t>(wait & ((std::uint64_t{1} << rank_bits) - 1))};
  RankState& state = ranks_[index(rank)];
  const bool waits =
      state.operation.kind == OperationKind::wait || state.operation.kind == OperationKind::probe;
  const bool still_waits = state.phase == RankState::Phase::waiting && waits &&
                           state.operation.duration > SimTime() && state.limited_waits == wait >> rank_bits;
  if (!still_waits || copies_.are_completing(rank)) return;
  if (copies_.is_in_memory(rank)) return copies_.note_limit(rank, wait);
  state.operation.kind = OperationKind::wait;
  requests_.stop_waiting(state);
  state.working = false;
  const SimTime now = events_.now();
  const SimTime at = state.in_call ? std::max(now, collectives_.progress(rank).busy_until) : now;
  // The limit itself is the program's; what the kernel still has to do delays what the rank does next. Where
  // processors are shared, a rank that has none waits for its turn, and for the kernel then.
  if (!processors_.are_shared() || processors_.has(rank))
    state.interrupted = std::max(processors_.kernel_busy_until(rank), at) - at;
  ends_.end(rank, at, {});
}

void RankWaits::start_test(Rank rank) {
  RankState& state = ranks_[index(rank)];
  requests_.collect_awaited(rank, state);
  state.missing = state.awaited.size();
  const bool finds = state.operation.wants_answer && !requests_.found_by_test(state).empty();
  const bool may_go_on = collectives_.progress(rank).has_background() && !finds;
  if (!may_go_on || !goes_on_in_call(rank)) end_test(rank);
}

void RankWaits::end_test(Rank rank) {
  RankState& state = ranks_[index(rank)];
  const std::vector<std::uint32_t> ready = requests_.found_by_test(state);
  // One whose answer nobody asks for is known to have found nothing, as in an imported trace.
  if (!ready.empty() && state.operation.wants_answer) return complete(rank, ready, state.begin);
  requests_.stop_waiting(state);
  ends_.end_failed_poll(rank);
}

void RankWaits::complete(Rank rank, std::span<const std::uint32_t> slots, SimTime from) {
  RankState& state = ranks_[index(rank)];
  if (copies_.are_completing(rank)) return;
  if (!state.in_call && !copies_.are_none() && copies_.come_before(rank, slots)) return;
  reads_.catch_up(rank);
  const SimTime clock = state.in_call || !reads_.of_call(rank).empty()
                            ? processors_.free(rank, end_of_work(rank, slots, from))
                            : end_in_order(slots, from);
  completed_.clear();
  for (const std::uint32_t slot : slots) {
    tell_partner(requests_[slot]);
    completed_.push_back(requests_.take_completed(slot));
    state.requests.erase(requests_[slot].id);
    copies_.forget(slot);
    if (completed_.back().coming > Bytes())
      state.heads[requests_[slot].id] = slot;
    else
      requests_.give_back(slot);
  }
  requests_.stop_waiting(state);  // the slots may be others' from now on
  ends_.end(rank, clock, completed_);
}

/// When these are completed, one after the other, and nothing else is done.
SimTime RankWaits::end_in_order(std::span<const std::uint32_t> slots, SimTime from) {
  in_order_.clear();
  for (std::size_t i = 0; i < slots.size(); ++i) in_order_.emplace_back(requests_[slots[i]].ready_at, i);
  if (slots.size() > 1) std::ranges::sort(in_order_);
  SimTime clock = from;
  for (const auto& [ready_at, i] : in_order_) {
    if (releases_.are_asked()) releases_.tell(slots[i], clock);
    clock =
        time_before_end(std::max(clock, ready_at - requests_[slots[i]].early) + cost_of_completing(slots[i]));
  }
  return clock;
}

/// When the processor has done everything that the call found to do, from `from` on: completing the requests
/// in these slots, the steps of collectives and what came into its sockets, each as soon as it was there. It
/// is never idle while there is something to do, so the end does not depend on the order.
SimTime RankWaits::end_of_work(Rank rank, std::span<const std::uint32_t> slots, SimTime from) {
  struct Item : RankProgress::Work {
    std::uint32_t slot = RequestTable::no_slot;
  };
  std::span<const RankProgress::Work> steps;
  if (ranks_[index(rank)].in_call) steps = collectives_.progress(rank).work;
  const auto reads = reads_.of_call(rank);
  std::vector<Item> work;
  for (const auto& done : {steps, reads})
    for (const RankProgress::Work& item : done) work.push_back({item});
  for (const std::uint32_t slot : slots)
    work.push_back({{requests_[slot].ready_at - requests_[slot].early, cost_of_completing(slot)}, slot});
  std::ranges::stable_sort(work, {}, &Item::released);
  const bool tells_in_order = releases_.are_asked() && !reads.empty();
  SimTime clock = from;
  for (const Item& item : work) {
    if (tells_in_order && item.slot != RequestTable::no_slot) releases_.tell(item.slot, clock);
    clock = time_before_end(std::max(clock, item.released) + item.cost);
  }
  if (releases_.are_asked() && reads.empty()) {
    // Steps of collectives have told of themselves.
    SimTime idle_from = from;
    for (const RankProgress::Work& step : steps) idle_from = std::max(idle_from, step.released + step.cost);
    for (const std::uint32_t slot : slots) releases_.tell(slot, std::min(idle_from, clock));
  }
  return clock;
}

SimTime RankWaits::cost_of_completing(std::uint32_t slot) {
  return time_before_end(requests_[slot].cost + requests_.copy_what_came(slot) + copies_.cost_alone(slot));
}

void RankWaits::tell_partner(const Request& request) const {
  if (request.partner_at == SimTime()) return;
  WaitCause cause = WaitCause::collective;
  switch (request.kind) {
    case OperationKind::receive:
      cause = WaitCause::late_sender;
      break;
    case OperationKind::send:
      cause = WaitCause::late_receiver;
      break;
    case OperationKind::collective:
      break;
    default:
      return;
  }
  for (OperationObserver* observer : observers_)
    observer->partner_came(request.owner, cause, request.partner_at);
}

void RankWaits::make_ready(std::uint32_t slot, SimTime at, SimTime cost) {
  requests_[slot].cost = cost;
  if (at > events_.now())
    events_.schedule(at, *this, slot);
  else
    became_ready(slot);
}

void RankWaits::became_ready(std::uint32_t slot) {
  Request& request = requests_[slot];
  request.ready = true;
  request.ready_at = processors_.free(request.owner, events_.now());
  RankState& state = ranks_[index(request.owner)];
  ++state.news;
  if (!request.awaited) return;
  request.awaited = false;
  --state.missing;
  // A wait for several that is not over yet waits for that work, too: it ends where a wait for any of them
  // would have found them all, which is what a replay makes of MPI_Waitsome.
  if (state.working || works_on(request.owner) || !state.is_satisfied()) return;
  complete_awaited(request.owner);
}

void RankWaits::start_part(Rank rank) {
  RankState& state = ranks_[index(rank)];
  const Operation& operation = state.operation;
  const auto found = state.heads.find(operation.request);
  // The receive has got the whole message at once: always so where nothing is streamed.
  if (found == state.heads.end()) return ends_.end(rank, events_.now(), {});
  const std::uint32_t slot = found->second;
  if (operation.bytes == Bytes()) {
    requests_.forget_rest(state, slot);
    return ends_.end(rank, events_.now(), {});
  }
  if (requests_.has_come(slot, operation.bytes)) return end_part(rank, slot);
  state.phase = RankState::Phase::waiting;
}

void RankWaits::more_came(std::uint32_t slot, Bytes coming) {
  const Rank rank = requests_[slot].owner;
  if (!requests_.more_came(slot, coming)) return;
  const RankState& state = ranks_[index(rank)];
  const Operation& operation = state.operation;
  const bool is_waited_for = state.phase == RankState::Phase::waiting &&
                             operation.kind == OperationKind::wait_part &&
                             operation.request == requests_[slot].id;
  if (!is_waited_for || !requests_.has_come(slot, operation.bytes)) return;
  if (releases_.are_asked())
    if (const Origin* origin = releases_.origin_of(slot))
      releases_.tell(rank, state.begin, events_.now(), *origin);
  end_part(rank, slot);
}

void RankWaits::end_part(Rank rank, std::uint32_t slot) {
  const SimTime at = time_before_end(events_.now() + requests_.copy_what_came(slot));
  completed_.assign(1, requests_.take_completed(slot));
  if (completed_.front().coming == Bytes()) requests_.forget_rest(ranks_[index(rank)], slot);
  ends_.end(rank, at, completed_);
}

bool RankWaits::goes_on_in_call(Rank rank) {
  if (!collectives_.progress(rank).has_background()) return false;
  RankState& state = ranks_[index(rank)];
  state.phase = RankState::Phase::waiting;
  state.in_call = state.working = true;  // what becomes ready at once does not end the operation yet
  collectives_.begin_call(rank, true);
  state.working = false;
  return works_on(rank);
}

bool RankWaits::works_on(Rank rank) {
  RankState& state = ranks_[index(rank)];
  if (!state.in_call || collectives_.progress(rank).busy_until <= events_.now()) return false;
  state.phase = RankState::Phase::waiting;
  state.working = true;
  // Late: what else happens at that time is seen by the operation, whichever was scheduled first.
  events_.schedule_late(collectives_.progress(rank).busy_until, *this, work_event + index(rank));
  return true;
}

void RankWaits::work_done(Rank rank) {
  RankState& state = ranks_[index(rank)];
  if (!state.working) return;  // the rank was killed, or its wait has reached its limit
  if (works_on(rank)) return;  // more has come meanwhile
  state.working = false;
  switch (state.operation.kind) {
    case OperationKind::wait:
      look_at(rank);
      break;
    case OperationKind::test:
      end_test(rank);
      break;
    case OperationKind::probe:
    case OperationKind::test_probe:
      ends_.look_at_probe(rank);
      break;
    default:
      ends_.end(rank, events_.now(), {});
  }
  if (processors_.are_shared()) processors_.leave_if_idle(rank);
}

void RankWaits::leave_library(Rank rank) {
  ranks_[index(rank)].in_call = false;
  collectives_.end_call(rank);
}

}  // namespace morgana
