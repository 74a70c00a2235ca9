#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/engine/engine_impl.h"
#include "emulator/messaging/element_runs.h"

namespace morgana {
namespace {

/// Whether the program that receives a message of this call takes it out part by part: MPI's receives wait
/// for the whole.
bool may_take_heads(Call call) {
  return !name_of(call).starts_with("MPI_");
}

/// A sleep, or a wait that has reached its limit: to a replay they are the same.
bool is_time_that_passes(const Operation& operation, std::span<const Completed> completed) {
  return operation.kind == OperationKind::sleep ||
         (operation.kind == OperationKind::wait && operation.duration > SimTime() && completed.empty());
}

}  // namespace

void Engine::Impl::start(Rank rank) {
  RankState& state = ranks_[index(rank)];
  const SimTime begin = events_.now();
  state.begin = begin;
  state.operation.interrupted = std::exchange(state.interrupted, SimTime());
  const Operation& operation = state.operation;
  checks_.sizes(rank, operation);
  if (makes_progress(operation.kind)) reads_.begin_call(rank);
  switch (operation.kind) {
    case OperationKind::nothing:
    case OperationKind::read_clock:
      return end(rank, begin);
    case OperationKind::sleep:
      state.asleep_in_call = name_of(operation.call).starts_with("MPI_");
      // In a replay this is what a wait that reached its limit was, and that has read what had come before,
      // and has gone on with collectives.
      if (state.asleep_in_call) {
        reads_.begin_call(rank);
        if (waits_.start_sleep(rank)) return;
      }
      // Longer than time lasts is told by what follows; the sum must not overflow.
      state.asleep_until = begin + std::clamp(operation.duration, SimTime(), EventQueue::latest);
      return end(rank, state.asleep_until);
    case OperationKind::context_created:
      contexts_.announce(operation.context, operation.members, rank, operation.call);
      return end(rank, begin);
    case OperationKind::send:
      return start_send(rank);
    case OperationKind::receive:
      return start_receive(rank);
    case OperationKind::collective:
      return start_collective(rank);
    case OperationKind::wait:
      return waits_.start_wait(rank);
    case OperationKind::test:
      return waits_.start_test(rank);
    case OperationKind::probe:
    case OperationKind::test_probe:
      return start_probe(rank);
    case OperationKind::cancel:
      return start_cancel(rank);
    case OperationKind::access:
    case OperationKind::lock:
    case OperationKind::unlock:
      return start_access(rank);
    case OperationKind::spawn:
      return start_spawn(rank);
    case OperationKind::kill:
      return start_kill(rank);
    case OperationKind::wait_part:
      return waits_.start_part(rank);
    case OperationKind::exit:
      return end(rank, begin);
  }
  throw Error(
      fmt::format("rank {}: an operation of unknown kind {}", index(rank), static_cast<int>(operation.kind)));
}

void Engine::Impl::start_send(Rank rank) {
  const Operation& operation = ranks_[index(rank)].operation;
  checks_.envelope(rank, operation, false);
  const Messenger::SendCost cost =
      messenger_->send_cost(rank, operation.peer, operation.bytes, operation.mode);
  if (cost.copied.bytes > Bytes() && copies_.may_slow(rank, cost.copied))
    return copies_.begin_before_send(rank, cost.copied);
  send_now(rank, cost);
}

/// What may take longer than alone, its copy, is done.
void Engine::Impl::send_now(Rank rank, const Messenger::SendCost& cost) {
  const Operation& operation = ranks_[index(rank)].operation;
  const std::uint32_t slot = new_request(rank);
  const SimTime begin = events_.now();
  const SimTime done = begin + cost.all();
  const bool whole_elements = machine_.transport && machine_.transport->keeps_elements_whole();
  Messenger::Send send;
  send.envelope = {operation.context, rank, operation.tag};
  send.receiver = operation.peer;
  send.token = Token{slot};
  send.bytes = operation.bytes;
  send.payload = operation.payload;
  send.begun = ranks_[index(rank)].begin;
  send.ready = begin + cost.before;
  send.mode = operation.mode;
  send.has_parts = !operation.parts.empty() && may_take_heads(operation.call);
  send.may_suspend = true;
  send.serves = source_.is_service(rank) || source_.is_service(operation.peer);
  if (whole_elements) send.elements = element_runs(operation.parts);
  const Messenger::Begun begun = messenger_->send(send);
  if (begun.under_way) {
    requests_[slot].under_way = *begun.under_way;
  } else if (begun.suspended == Messenger::Suspended::thread) {
    requests_[slot].writing = true;
  } else {
    requests_[slot].ready = true;
    requests_[slot].ready_at = done;
    requests_[slot].cost = SimTime();
  }
  if (begun.suspended == Messenger::Suspended::process)
    ranks_[index(rank)].phase = RankState::Phase::waiting;
  else
    end(rank, done);
}

void Engine::Impl::start_receive(Rank rank) {
  RankState& state = ranks_[index(rank)];
  const Operation& operation = state.operation;
  checks_.envelope(rank, operation, true);
  const std::uint32_t slot = new_request(rank);
  if (operation.taken != no_request) return take_message(rank, slot);
  // A service has room for messages of any length, and none of it needs to be looked up for it.
  if (messenger_->receives_cost() && !source_.is_service(rank)) {
    const SimTime cost = messenger_->receive_cost(rank, requests_[slot].envelope, operation.bytes);
    if (cost > SimTime()) {
      state.phase = RankState::Phase::waiting;
      state.posts_at = events_.now() + cost;
      return events_.schedule(state.posts_at, *this, post_event + index(rank));
    }
  }
  post_receive(rank);
}

/// At the time at which its kernel has the receive's addresses; what has interrupted that delays it.
void Engine::Impl::post_receive(Rank rank) {
  RankState& state = ranks_[index(rank)];
  const SimTime now = events_.now();
  if (state.phase == RankState::Phase::waiting) {
    if (state.posts_at > now) return events_.schedule(state.posts_at, *this, post_event + index(rank));
    state.posts_at = SimTime();
  } else if (state.phase != RankState::Phase::scheduled) {
    return;  // it was killed meanwhile
  }
  const std::uint32_t slot = state.requests.at(state.operation.request);
  const Messenger::Posted posted = messenger_->receive(rank, requests_[slot].envelope, Token{slot});
  requests_[slot].place = posted.place;
  end(rank, now + posted.after);
}

void Engine::Impl::take_message(Rank rank, std::uint32_t slot) {
  const Operation& operation = ranks_[index(rank)].operation;
  auto& taken = ranks_[index(rank)].taken;
  const auto found = taken.find(operation.taken);
  if (found == taken.end())
    throw Error(fmt::format("rank {}: {} receives message {}, which no probe has taken", index(rank),
                            name_of(operation.call), static_cast<std::uint64_t>(operation.taken)));
  const std::uint32_t message = found->second;
  taken.erase(found);
  const SimTime after = messenger_->receive_taken(message, Token{slot});
  end(rank, events_.now() + after);
}

void Engine::Impl::start_collective(Rank rank) {
  RankState& state = ranks_[index(rank)];
  const std::uint32_t slot = new_request(rank);
  const bool in_background = collectives_.in_background(state.operation);
  if (in_background) {
    state.in_call = true;
    collectives_.begin_call(rank, false);
  }
  if (collectives_.goes_on_besides(state.operation)) {
    Origin besides;
    besides.by = rank;
    releases_.note(slot, besides);
  }
  requests_[slot].under_way = 0;
  const std::uint32_t part = collectives_.enter(rank, state.operation, slot);
  if (requests_[slot].under_way != CollectiveRunner::no_part) requests_[slot].under_way = part;
  if (in_background && waits_.works_on(rank)) return;
  end(rank, events_.now());
}

void Engine::Impl::start_probe(Rank rank) {
  RankState& state = ranks_[index(rank)];
  const Operation& operation = state.operation;
  checks_.envelope(rank, operation, true);
  if (operation.taken != no_request && state.taken.contains(operation.taken))
    throw Error(fmt::format("rank {}: {} takes message {} before the one of that name is received",
                            index(rank), name_of(operation.call),
                            static_cast<std::uint64_t>(operation.taken)));
  const auto found = find_probed(rank);
  if (found) return end_probe(rank, *found);
  const bool waits_besides = !operation.requests.empty() || operation.duration > SimTime();
  if (waits_besides && waits_.start_beside_probe(rank)) return;
  if (!waits_.goes_on_in_call(rank)) look_at_probe(rank);
}

void Engine::Impl::look_at_probe(Rank rank) {
  RankState& state = ranks_[index(rank)];
  const Operation& operation = state.operation;
  const auto found = find_probed(rank);
  if (found) return end_probe(rank, *found);
  if (operation.kind == OperationKind::test_probe) return end_failed_poll(rank);
  state.phase = RankState::Phase::waiting;
  if (!state.awaited.empty()) waits_.look_at(rank);
}

void Engine::Impl::end_probe(Rank rank, const Messenger::Found& found) {
  RankState& state = ranks_[index(rank)];
  if (state.operation.taken != no_request) {
    messenger_->take(rank, {state.operation.context, state.operation.peer, state.operation.tag});
    state.taken[state.operation.taken] = found.message;
  }
  completed_.assign(1, Completed{});
  completed_[0].request = state.operation.taken;
  completed_[0].source = found.envelope.source;
  completed_[0].tag = found.envelope.tag;
  completed_[0].bytes = found.bytes;
  requests_.stop_waiting(state);
  state.operation.requests.clear();
  state.operation.duration = SimTime();
  for (OperationObserver* observer : observers_)
    observer->partner_came(rank, WaitCause::late_sender, found.begun);
  if (releases_.are_asked()) releases_.tell(rank, state.begin, found.origin.came, found.origin);
  end(rank, processors_.free(rank, events_.now()), completed_);
}

void Engine::Impl::start_cancel(Rank rank) {
  RankState& state = ranks_[index(rank)];
  const auto found = state.requests.find(state.operation.request);
  if (found == state.requests.end())
    throw Error(fmt::format("rank {}: {} names request {}, which is not pending", index(rank),
                            name_of(state.operation.call),
                            static_cast<std::uint64_t>(state.operation.request)));
  Request& request = requests_[found->second];
  if (request.kind == OperationKind::receive && request.place != Matcher::no_place) {
    messenger_->cancel(rank, request.envelope, request.place);
    request.place = Matcher::no_place;
    request.cancelled = true;
    request.bytes = Bytes();
    waits_.make_ready(found->second, events_.now(), SimTime());
  }
  if (request.kind == OperationKind::send && !request.ready && !request.writing)
    messenger_->recall(request.under_way);
  end(rank, events_.now());
}

void Engine::Impl::start_access(Rank rank) {
  const Operation& operation = ranks_[index(rank)].operation;
  checks_.peer(rank, operation, false);
  const std::uint32_t slot = new_request(rank);
  using Kind = RemoteAccess::Access::Kind;
  const Kind kind = operation.kind == OperationKind::access ? Kind::memory
                    : operation.kind == OperationKind::lock ? Kind::lock
                                                            : Kind::unlock;
  const SimTime ready =
      events_.now() + remote_access_.cost(rank, operation.peer, operation.bytes, operation.reply);
  Origin origin;
  origin.by = rank;
  origin.ready = ready;
  releases_.note(slot, origin);
  remote_access_.start({kind, rank, operation.peer, operation.context, operation.exclusive, operation.bytes,
                        operation.reply, ready, slot});
  end(rank, ready);
}

void Engine::Impl::start_spawn(Rank rank) {
  const Operation& operation = ranks_[index(rank)].operation;
  checks_.peer(rank, operation, false);
  const Rank fresh = operation.peer;
  if (ranks_[index(fresh)].phase != RankState::Phase::absent || operation.host < 0)
    throw Error(
        fmt::format("rank {}: {} starts rank {} on host {}, but it runs already or there is no such host",
                    index(rank), name_of(operation.call), index(fresh), operation.host));
  machine_.host_of[index(fresh)] = static_cast<HostId>(operation.host);
  ranks_[index(fresh)].clock = events_.now();
  if (releases_.are_asked()) releases_.tell_begin(fresh, events_.now(), rank);
  if (!source_.is_service(fresh)) ++started_;
  begin(fresh);
  end(rank, events_.now());
}

void Engine::Impl::start_kill(Rank rank) {
  const Operation& operation = ranks_[index(rank)].operation;
  checks_.peer(rank, operation, false);
  if (operation.peer == rank)
    throw Error(fmt::format("rank {}: {} ends the rank itself", index(rank), name_of(operation.call)));
  const SimTime now = events_.now();
  end_early(operation.peer);
  end(rank, now);
}

std::uint32_t Engine::Impl::new_request(Rank rank) {
  const std::uint32_t slot = requests_.begin(rank, ranks_[index(rank)], events_.now());
  releases_.forget(slot);
  return slot;
}

std::optional<Messenger::Found> Engine::Impl::find_probed(Rank rank) {
  const Operation& operation = ranks_[index(rank)].operation;
  return messenger_->find(rank, {operation.context, operation.peer, operation.tag});
}

void Engine::Impl::message_waits_for_probe(Rank rank) {
  if (const auto found = find_probed(rank))
    if (!waits_.works_on(rank)) end_probe(rank, *found);
}

/// Nothing of its copies is under way any more.
void Engine::Impl::waits_on(Rank rank) {
  if (ranks_[index(rank)].operation.kind == OperationKind::probe) look_at_probe(rank);
}

void Engine::Impl::copied_before_send(Rank rank) {
  const Operation& operation = ranks_[index(rank)].operation;
  Messenger::SendCost cost = messenger_->send_cost(rank, operation.peer, operation.bytes, operation.mode);
  cost.before = cost.before_without_copy();
  send_now(rank, cost);
}

/// A test or probe that finds nothing. It is answered only when everything before its end is done: then the
/// answer can tell all ranks that poll at the same time how long that will do them no good.
void Engine::Impl::end_failed_poll(Rank rank) {
  RankState& state = ranks_[index(rank)];
  waits_.leave_call(rank);
  const SimTime at = reads_.end_call(rank, events_.now()) + machine_.messages.poll_cost;
  for (OperationObserver* observer : observers_)
    observer->operation_ended(rank, state.operation, state.begin, at, {});
  state.clock = state.bound = at;
  state.phase = RankState::Phase::computing;
  polls_.failed(rank);
}

void Engine::Impl::end(Rank rank, SimTime at, std::span<const Completed> completed) {
  RankState& state = ranks_[index(rank)];
  const bool goes_on_with_collectives = state.in_call;
  waits_.leave_call(rank);
  at = copies_.end(rank, at);
  if (is_time_that_passes(state.operation, completed)) {
    reads_.end_at_limit(rank);
    // To a replay it is a sleep, which lasts as long, but for steps of collectives, which the replay has,
    // too.
    if (state.operation.kind == OperationKind::wait && !goes_on_with_collectives)
      state.operation.duration = at - state.begin;
  } else {
    at = reads_.end_call(rank, at);
  }
  for (OperationObserver* observer : observers_)
    observer->operation_ended(rank, state.operation, state.begin, at, completed);
  state.clock = at;
  if (!state.operation.wants_answer) {
    for (const Completed& one : completed)
      if (one.outcome != Outcome::delivered) source_.returned(rank, state.operation, one.outcome);
  } else {
    Answer answer;
    answer.clock = at;
    answer.news = state.news;
    answer.completed.assign(completed.begin(), completed.end());
    source_.answer(rank, answer);
  }
  if (state.operation.kind == OperationKind::exit) {
    // Nothing of the program's can wait for them, but the other members of its collectives may.
    if (collectives_.progress(rank).has_background()) collectives_.begin_call(rank, true);
    return rank_ended(rank);
  }
  if (processors_.are_shared()) processors_.needs(rank);
  clock_.fetch(rank);
}

}  // namespace morgana
