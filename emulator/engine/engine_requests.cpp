#include <fmt/format.h>

#include <algorithm>

#include "emulator/core/end_of_time.h"
#include "emulator/engine/engine_impl.h"

namespace morgana {

void Engine::Impl::collect_awaited(Rank rank) {
  RankState& state = ranks_[index(rank)];
  state.awaited.clear();
  for (const RequestId id : state.operation.requests) {
    const auto found = state.requests.find(id);
    if (found == state.requests.end())
      throw Error(fmt::format("rank {}: {} names request {}, which is not pending", index(rank),
                              name_of(state.operation.call), static_cast<std::uint64_t>(id)));
    if (requests_[found->second].awaited)
      throw Error(fmt::format("rank {}: {} names request {} twice", index(rank),
                              name_of(state.operation.call), static_cast<std::uint64_t>(id)));
    requests_[found->second].awaited = true;
    state.awaited.push_back(found->second);
  }
}

std::uint32_t Engine::Impl::first_ready(const RankState& state) const {
  std::uint32_t first = no_slot;
  for (const std::uint32_t slot : state.awaited)
    if (requests_[slot].ready && (first == no_slot || requests_[slot].ready_at < requests_[first].ready_at))
      first = slot;
  return first;
}

std::vector<std::uint32_t> Engine::Impl::ready_among(const RankState& state) const {
  std::vector<std::uint32_t> ready;
  for (const std::uint32_t slot : state.awaited)
    if (requests_[slot].ready) ready.push_back(slot);
  return ready;
}

bool Engine::Impl::is_satisfied(const RankState& state) {
  return state.operation.completion == Completion::all ? state.missing == 0
                                                       : state.missing < state.awaited.size();
}

void Engine::Impl::start_wait(Rank rank) {
  const Operation& operation = ranks_[index(rank)].operation;
  if (operation.requests.empty() && operation.completion != Completion::all) return end(rank, events_.now());
  if (begin_waiting(rank)) return complete_wait(rank);
  if (collectives_.has_background(rank) && !goes_on_in_call(rank)) look_at_wait(rank);
}

/// For the operation's requests, and its limit. @return whether it is over at once
bool Engine::Impl::begin_waiting(Rank rank) {
  RankState& state = ranks_[index(rank)];
  if (state.operation.kind == OperationKind::probe) state.operation.completion = Completion::some;
  collect_awaited(rank);
  state.missing = 0;
  for (const std::uint32_t slot : state.awaited)
    if (!requests_[slot].ready) ++state.missing;
  if (is_satisfied(state)) return true;
  for (const std::uint32_t slot : state.awaited) requests_[slot].awaited = !requests_[slot].ready;
  state.phase = RankState::Phase::waiting;
  if (!to_copy_.empty() && !collectives_.has_background(rank)) copy_what_is_there(rank);
  // What the rank does then comes before all else at that time, as it does in a replay, in which a wait that
  // has reached its limit is a sleep.
  if (state.operation.duration > SimTime())
    events_.schedule_operation(events_.now() + std::min(state.operation.duration, EventQueue::latest),
                               static_cast<std::uint32_t>(index(rank)), *this,
                               limit_event + (++state.limited_waits << rank_bits | index(rank)));
  return false;
}

void Engine::Impl::stop_waiting(RankState& state) {
  for (const std::uint32_t slot : state.awaited) requests_[slot].awaited = false;
  state.awaited.clear();
}

void Engine::Impl::look_at_wait(Rank rank) {
  if (is_satisfied(ranks_[index(rank)])) complete_wait(rank);
}

void Engine::Impl::complete_wait(Rank rank) {
  RankState& state = ranks_[index(rank)];
  if (state.operation.kind == OperationKind::probe) {
    state.operation.kind = OperationKind::wait;
    state.operation.call = Call::MPI_Waitsome;
  }
  switch (state.operation.completion) {
    case Completion::all:
      return complete(rank, state.awaited, state.begin);
    case Completion::any:
      one_slot_.assign(1, first_ready(state));
      return complete(rank, one_slot_, state.begin);
    case Completion::some:
      return complete(rank, ready_among(state), state.begin);
  }
}

void Engine::Impl::limit_reached(std::uint64_t wait) {
  const Rank rank{static_cast<std::int32_t>(wait & ((std::uint64_t{1} << rank_bits) - 1))};
  RankState& state = ranks_[index(rank)];
  const bool waits =
      state.operation.kind == OperationKind::wait || state.operation.kind == OperationKind::probe;
  const bool still_waits = state.phase == RankState::Phase::waiting && waits &&
                           state.operation.duration > SimTime() && state.limited_waits == wait >> rank_bits;
  if (!still_waits || is_completing(rank)) return;
  if (is_copying(rank)) {
    copiers_.find(static_cast<std::uint32_t>(index(rank))).value().limit = wait;
    return;
  }
  state.operation.kind = OperationKind::wait;
  stop_waiting(state);
  state.working = false;
  const SimTime now = events_.now();
  const SimTime at = state.in_call ? std::max(now, collectives_.busy_until(rank)) : now;
  // The limit itself is the program's; what the kernel still has to do delays what the rank does next. Where
  // processors are shared, got_processor() sees to it for a rank that has none.
  if (!sharing_ || has_processor(rank)) state.interrupted = std::max(kernel_busy_until(rank), at) - at;
  end(rank, at);
}

std::vector<std::uint32_t> Engine::Impl::found_by_test(const RankState& state) const {
  std::vector<std::uint32_t> ready;
  if (state.operation.completion == Completion::any) {
    if (const std::uint32_t first = first_ready(state); first != no_slot) ready.push_back(first);
  } else {
    ready = ready_among(state);
    if (state.operation.completion == Completion::all && ready.size() < state.awaited.size()) ready.clear();
  }
  return ready;
}

void Engine::Impl::start_test(Rank rank) {
  collect_awaited(rank);
  RankState& state = ranks_[index(rank)];
  state.missing = state.awaited.size();
  const bool may_go_on = collectives_.has_background(rank) && found_by_test(state).empty();
  if (!may_go_on || !goes_on_in_call(rank)) end_test(rank);
}

void Engine::Impl::end_test(Rank rank) {
  RankState& state = ranks_[index(rank)];
  const std::vector<std::uint32_t> ready = found_by_test(state);
  if (!ready.empty()) return complete(rank, ready, state.begin);
  stop_waiting(state);
  end_failed_poll(rank);
}

/// What a completed request says; a moment before its slot is free again.
Completed Engine::Impl::take_completed(std::uint32_t slot) {
  Completed completed = outcome_of(slot);
  if (requests_[slot].kind == OperationKind::collective)
    if (const auto given = deposits_.find(slot); given != deposits_.end()) {
      completed.deposits = std::move(given.value());
      deposits_.erase(given);
    }
  return completed;
}

/// Completes the requests in these slots, one after the other as they became ready, and ends the rank's
/// operation.
void Engine::Impl::complete(Rank rank, std::span<const std::uint32_t> slots, SimTime from) {
  RankState& state = ranks_[index(rank)];
  if (is_completing(rank)) return;
  if (!state.in_call && !(to_copy_.empty() && copiers_.empty()) && copies_before_completion(rank, slots))
    return;
  SimTime clock = from;
  if (state.in_call) {
    clock = processor_free(rank, end_of_work(rank, slots, from));
  } else if (slots.size() == 1) {
    const Request& request = requests_[slots[0]];
    if (causes_ != nullptr) tell_release(slots[0], clock);
    clock = time_before_end(std::max(clock, request.ready_at - request.early) + cost_of_completing(slots[0]));
  } else {
    in_order_.clear();
    for (std::size_t i = 0; i < slots.size(); ++i) in_order_.emplace_back(requests_[slots[i]].ready_at, i);
    std::ranges::sort(in_order_);
    for (const auto& [ready_at, i] : in_order_) {
      if (causes_ != nullptr) tell_release(slots[i], clock);
      clock = time_before_end(std::max(clock, ready_at - requests_[slots[i]].early) +
                              cost_of_completing(slots[i]));
    }
  }
  completed_.clear();
  for (const std::uint32_t slot : slots) {
    tell_partner(requests_[slot]);
    completed_.push_back(take_completed(slot));
    state.requests.erase(requests_[slot].id);
    if (completed_.back().coming > Bytes())
      state.heads[requests_[slot].id] = slot;
    else
      give_back(slot);
  }
  stop_waiting(state);  // the slots may be others' from now on
  end(rank, clock, completed_);
}

void Engine::Impl::make_ready(std::uint32_t slot, SimTime at, SimTime cost) {
  requests_[slot].cost = cost;
  if (at > events_.now())
    events_.schedule(at, *this, request_event + slot);
  else
    became_ready(slot);
}

void Engine::Impl::became_ready(std::uint32_t slot) {
  Request& request = requests_[slot];
  request.ready = true;
  request.ready_at = processor_free(request.owner, events_.now());
  if (!request.awaited) return;
  request.awaited = false;
  RankState& state = ranks_[index(request.owner)];
  --state.missing;
  if (state.working || !is_satisfied(state) || works_on(request.owner)) return;
  complete_wait(request.owner);
}

void Engine::Impl::access_done(std::uint32_t request, Outcome outcome, SimTime timer_wait) {
  requests_[request].outcome = outcome;
  if (causes_ != nullptr)
    if (const auto origin = origins_.find(request); origin != origins_.end()) {
      origin.value().came = events_.now();
      origin.value().timer_wait = timer_wait;
      // A lock is not on the wire while somebody else holds it.
      if (requests_[request].kind == OperationKind::access)
        origin.value().wire = std::max(events_.now() - origin->second.ready - timer_wait, SimTime());
    }
  make_ready(request, events_.now(), SimTime());
}

void Engine::Impl::sent(Token token, const Origin& origin) {
  const auto number = static_cast<std::uint32_t>(token);
  if (number >= CollectiveRunner::first_token) return collectives_.sent(token, origin);
  note_origin(number, origin);
  make_ready(number, events_.now(), SimTime());
}

/// A receive's message does not come: it ends with none of its bytes.
void Engine::Impl::returned(Token token, const Envelope& envelope, std::uint64_t payload, Outcome why) {
  const auto number = static_cast<std::uint32_t>(token);
  if (number >= CollectiveRunner::first_token) return collectives_.returned(token, why);
  Request& request = requests_[number];
  request.outcome = why;
  request.payload = payload;
  if (request.kind == OperationKind::receive) {
    request.envelope.source = envelope.source;
    request.envelope.tag = envelope.tag;
    request.bytes = Bytes();
  }
  make_ready(number, events_.now(), SimTime());
}

void Engine::Impl::recalled(Token token, std::uint64_t payload) {
  Request& request = requests_[static_cast<std::uint32_t>(token)];
  request.cancelled = true;
  request.payload = payload;
  request.bytes = Bytes();
  make_ready(static_cast<std::uint32_t>(token), events_.now(), SimTime());
}

void Engine::Impl::matched(Token token) {
  const auto number = static_cast<std::uint32_t>(token);
  if (number < CollectiveRunner::first_token) requests_[number].place = Matcher::no_place;
}

void Engine::Impl::met(Token send, Token receive) {
  const auto number = static_cast<std::uint32_t>(send);
  if (number >= CollectiveRunner::first_token) return;
  requests_[number].partner_at = requests_[static_cast<std::uint32_t>(receive)].partner_at;
}

void Engine::Impl::tell_partner(const Request& request) const {
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

void Engine::Impl::received(Token token, const ReceivedMessage& message) {
  const auto number = static_cast<std::uint32_t>(token);
  if (number >= CollectiveRunner::first_token)
    return collectives_.received(token, message.early, message.cost, {message.bytes, message.copy},
                                 message.origin);
  note_origin(number, message.origin);
  Request& request = requests_[number];
  request.envelope.source = message.envelope.source;
  request.envelope.tag = message.envelope.tag;
  request.bytes = message.bytes;
  request.payload = message.payload;
  request.early = shares_processor(request.owner) ? SimTime() : message.early;
  request.partner_at = message.begun;
  if (message.coming > Bytes()) {
    coming_[number] = {message.coming, message.copy, Bytes()};
    return make_ready(number, events_.now(), message.cost);
  }
  const MemoryWork copy{message.bytes, message.copy};
  const Rank owner = request.owner;
  const bool slowed = may_slow(owner, copy);
  SimTime cost = message.cost;
  if (slowed) {
    request.early = SimTime();
    to_copy_[number] = copy;
  } else {
    cost = time_before_end(cost + time_before_end(copy.cost, copy.bytes));
  }
  const RankState& state = ranks_[index(owner)];
  const bool is_awaited = request.awaited && !state.in_call;
  make_ready(number, events_.now(), cost);
  const bool still_waits = is_awaited && !state.awaited.empty() && !is_completing(owner);
  if (still_waits && (slowed || is_in_copier(owner))) copy_while_waiting(owner, number);
}

void Engine::Impl::collective_done(std::uint32_t request, SimTime done,
                                   const std::vector<std::uint64_t>& deposits, Outcome outcome,
                                   SimTime partner_at) {
  requests_[request].bytes = Bytes();
  requests_[request].under_way = CollectiveRunner::no_part;
  requests_[request].partner_at = partner_at;
  requests_[request].outcome = outcome;
  if (!deposits.empty()) deposits_[request] = deposits;
  if (causes_ != nullptr) {
    // What goes on in the rank's calls has told of itself; what goes on beside them reaches the rank now.
    const auto origin = origins_.find(request);
    if (origin != origins_.end()) origin.value().ready = origin.value().came = done;
  }
  make_ready(request, done, SimTime());
}
}  // namespace morgana
