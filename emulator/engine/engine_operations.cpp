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

}  // namespace

void Engine::Impl::start(Rank rank) {
  RankState& state = ranks_[index(rank)];
  const SimTime begin = events_.now();
  state.begin = begin;
  state.operation.interrupted = std::exchange(state.interrupted, SimTime());
  const Operation& operation = state.operation;
  check_size(rank, operation.bytes);
  check_size(rank, operation.reply);
  switch (operation.kind) {
    case OperationKind::nothing:
    case OperationKind::read_clock:
      return end(rank, begin);
    case OperationKind::sleep:
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
      return start_wait(rank);
    case OperationKind::test:
      return start_test(rank);
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
      return start_wait_part(rank);
    case OperationKind::exit:
      return end(rank, begin);
  }
  throw Error(
      fmt::format("rank {}: an operation of unknown kind {}", index(rank), static_cast<int>(operation.kind)));
}

void Engine::Impl::refuse_size(Rank rank, Bytes size) const {
  const std::string_view call = name_of(ranks_[index(rank)].operation.call);
  if (size < Bytes(0)) throw Error(fmt::format("rank {}: {} names a negative size", index(rank), call));
  throw Error(
      fmt::format("rank {}: {} names {} bytes; with {} ranks {} are the most: the program or trace must "
                  "move less at once",
                  index(rank), call, size.count(), ranks_.size(), largest_size_.count()));
}

void Engine::Impl::check_peer(Rank rank, const Operation& operation, bool wildcard) const {
  if (wildcard && operation.peer == any_rank) return;
  if (operation.peer < Rank{0} || index(operation.peer) >= ranks_.size())
    throw Error(fmt::format("rank {}: {} names rank {}, but the ranks are 0 to {}", index(rank),
                            name_of(operation.call), static_cast<std::int32_t>(operation.peer),
                            ranks_.size() - 1));
}

void Engine::Impl::check_envelope(Rank rank, const Operation& operation, bool wildcard) const {
  check_peer(rank, operation, wildcard);
  if (is_for_collectives(operation.context) || (operation.context == any_context && !wildcard))
    throw Error(fmt::format("rank {}: {} names a context that is out of range", index(rank),
                            name_of(operation.call)));
  if (operation.tag < Tag{0} && !(wildcard && operation.tag == any_tag))
    throw Error(fmt::format("rank {}: {} names tag {}", index(rank), name_of(operation.call),
                            static_cast<std::int32_t>(operation.tag)));
}

std::uint32_t Engine::Impl::new_request(Rank rank) {
  const std::uint32_t slot = requests_.take();
  RankState& state = ranks_[index(rank)];
  const Operation& operation = state.operation;
  if (state.heads.contains(operation.request) || !state.requests.try_emplace(operation.request, slot).second)
    throw Error(fmt::format("rank {}: {} starts request {} while it is pending", index(rank),
                            name_of(operation.call), static_cast<std::uint64_t>(operation.request)));
  Request& request = requests_[slot];
  request.owner = rank;
  request.id = operation.request;
  request.kind = operation.kind;
  request.call = operation.call;
  request.ready = request.awaited = request.cancelled = request.writing = false;
  request.streamed = operation.kind == OperationKind::receive && operation.streamed;
  request.synchronous = operation.kind == OperationKind::send && operation.mode == SendMode::synchronous;
  request.envelope = {operation.context, operation.peer, operation.tag};
  request.bytes = operation.bytes;
  request.place = Matcher::no_place;
  request.early = SimTime();
  request.outcome = Outcome::delivered;
  if (causes_ != nullptr) origins_.erase(slot);
  request.payload = 0;
  request.partner_at = operation.kind == OperationKind::receive ? events_.now() : SimTime();
  return slot;
}

void Engine::Impl::start_send(Rank rank) {
  const Operation& operation = ranks_[index(rank)].operation;
  check_envelope(rank, operation, false);
  const Messenger::SendCost cost =
      messenger_->send_cost(rank, operation.peer, operation.bytes, operation.mode);
  if (cost.copied.bytes > Bytes() && may_slow(rank, cost.copied)) return copy_before_send(rank, cost.copied);
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

/// A send suspends its sender no longer.
void Engine::Impl::resumed(Token token) {
  const auto slot = static_cast<std::uint32_t>(token);
  if (std::exchange(requests_[slot].writing, false)) return make_ready(slot, events_.now(), SimTime());
  const Rank rank = requests_[slot].owner;
  const RankState& state = ranks_[index(rank)];
  const bool still_writes =
      state.phase == RankState::Phase::waiting && state.operation.kind == OperationKind::send;
  if (still_writes) end(rank, processor_free(rank, events_.now()));  // else it was killed meanwhile
}

void Engine::Impl::start_receive(Rank rank) {
  RankState& state = ranks_[index(rank)];
  const Operation& operation = state.operation;
  check_envelope(rank, operation, true);
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
  const CollectivePart& mine = state.operation.collective;
  check_size(rank, mine.bytes);
  for (const Bytes size : mine.send_sizes) check_size(rank, size);
  for (const Bytes size : mine.receive_sizes) check_size(rank, size);
  const std::uint32_t slot = new_request(rank);
  const bool in_background = collectives_.in_background(state.operation);
  if (in_background) {
    state.in_call = true;
    collectives_.begin_call(rank, false);
  }
  if (collectives_.goes_on_besides(state.operation)) {
    Origin besides;
    besides.by = rank;
    note_origin(slot, besides);
  }
  requests_[slot].under_way = 0;
  const std::uint32_t part = collectives_.enter(rank, state.operation, slot);
  if (requests_[slot].under_way != CollectiveRunner::no_part) requests_[slot].under_way = part;
  if (in_background && works_on(rank)) return;
  end(rank, events_.now());
}

void Engine::Impl::start_probe(Rank rank) {
  RankState& state = ranks_[index(rank)];
  const Operation& operation = state.operation;
  check_envelope(rank, operation, true);
  if (operation.taken != no_request && state.taken.contains(operation.taken))
    throw Error(fmt::format("rank {}: {} takes message {} before the one of that name is received",
                            index(rank), name_of(operation.call),
                            static_cast<std::uint64_t>(operation.taken)));
  const auto found = messenger_->find(rank, {operation.context, operation.peer, operation.tag});
  if (found) return end_probe(rank, *found);
  const bool waits_besides = !operation.requests.empty() || operation.duration > SimTime();
  if (waits_besides && begin_waiting(rank)) return complete_wait(rank);
  if (!goes_on_in_call(rank)) look_at_probe(rank);
}

void Engine::Impl::look_at_probe(Rank rank) {
  RankState& state = ranks_[index(rank)];
  const Operation& operation = state.operation;
  const auto found = messenger_->find(rank, {operation.context, operation.peer, operation.tag});
  if (found) return end_probe(rank, *found);
  if (operation.kind == OperationKind::test_probe) return end_failed_poll(rank);
  state.phase = RankState::Phase::waiting;
  if (!state.awaited.empty()) look_at_wait(rank);
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
  stop_waiting(state);
  state.operation.requests.clear();
  state.operation.duration = SimTime();
  for (OperationObserver* observer : observers_)
    observer->partner_came(rank, WaitCause::late_sender, found.begun);
  if (causes_ != nullptr) tell_release(rank, state.begin, found.origin.came, found.origin);
  end(rank, processor_free(rank, events_.now()), completed_);
}

void Engine::Impl::waits_unmatched(Rank receiver, const Envelope& envelope, Bytes) {
  const RankState& state = ranks_[index(receiver)];
  const Operation& operation = state.operation;
  if (state.phase != RankState::Phase::waiting || operation.kind != OperationKind::probe || state.working ||
      is_copying(receiver))
    return;
  if (operation.context != envelope.context && operation.context != any_context) return;
  if (const auto found = messenger_->find(receiver, {operation.context, operation.peer, operation.tag}))
    if (!works_on(receiver)) end_probe(receiver, *found);
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
    make_ready(found->second, events_.now(), SimTime());
  }
  if (request.kind == OperationKind::send && !request.ready && !request.writing)
    messenger_->recall(request.under_way);
  end(rank, events_.now());
}

void Engine::Impl::start_access(Rank rank) {
  const Operation& operation = ranks_[index(rank)].operation;
  check_peer(rank, operation, false);
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
  note_origin(slot, origin);
  remote_access_.start({kind, rank, operation.peer, operation.context, operation.exclusive, operation.bytes,
                        operation.reply, ready, slot});
  end(rank, ready);
}

void Engine::Impl::delivered(const Envelope& envelope, Rank receiver, Bytes bytes, SimTime sent) {
  if (is_for_collectives(envelope.context) || envelope.context == service_context) return;
  for (OperationObserver* observer : observers_)
    observer->message_delivered(envelope.source, receiver, bytes, sent, events_.now());
}
}  // namespace morgana
