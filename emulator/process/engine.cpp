#include "emulator/process/engine.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/process/collective_runner.h"
#include "emulator/process/context_table.h"
#include "emulator/process/deadlock_report.h"
#include "emulator/process/messenger.h"
#include "emulator/process/rank_state.h"

namespace morgana {

class Engine::Impl final : private EventHandler, private MessengerClient, private CollectiveClient {
 public:
  Impl(Machine& machine, OperationSource& source, std::span<OperationObserver* const> observers)
      : machine_(machine),
        events_(*machine.events),
        source_(source),
        observers_(observers.begin(), observers.end()),
        messenger_(machine, *this),
        contexts_(machine.host_of.size()),
        collectives_(machine, messenger_, *this, contexts_),
        ranks_(machine.host_of.size()) {}

  std::vector<SimTime> run();
  SimTime now() const { return events_.now(); }
  const Messenger& messenger() const { return messenger_; }

 private:
  // The clock rule.
  void fetch(Rank rank);
  bool computing_ranks_are_past(SimTime horizon);

  // One function for each kind of operation; each either ends it or leaves the rank waiting.
  void handle(std::uint64_t what) override;
  void start(Rank rank);
  void start_send(Rank rank);
  void start_receive(Rank rank);
  void start_collective(Rank rank);
  void start_wait(Rank rank);
  void start_test(Rank rank);
  void start_probe(Rank rank);
  void start_cancel(Rank rank);
  void end(Rank rank, SimTime at, std::span<const Completed> completed = {});

  // Requests.
  std::uint32_t new_request(Rank rank);
  void collect_awaited(Rank rank);
  void make_ready(std::uint32_t slot, SimTime at, SimTime cost);
  void became_ready(std::uint32_t slot);
  void complete(Rank rank, std::span<const std::uint32_t> slots, SimTime from);
  std::uint32_t first_ready(const RankState& state) const;
  std::vector<std::uint32_t> ready_among(const RankState& state) const;
  void check_peer(Rank rank, const Operation& operation, bool wildcard) const;
  void check_envelope(Rank rank, const Operation& operation, bool wildcard) const;

  void sent(Token token) override;
  void received(Token token, const ReceivedMessage& message) override;
  void waits_unmatched(Rank receiver, const Envelope& envelope, Bytes bytes) override;
  void delivered(const Envelope& envelope, Rank receiver, Bytes bytes, SimTime sent) override;
  void collective_done(std::uint32_t request, SimTime done,
                       const std::vector<std::uint64_t>& deposits) override;

  static constexpr std::uint32_t no_slot = ~std::uint32_t{0};
  static constexpr std::uint64_t request_event = std::uint64_t{1} << 32;

  Machine& machine_;
  EventQueue& events_;
  OperationSource& source_;
  std::vector<OperationObserver*> observers_;
  Messenger messenger_;
  ContextTable contexts_;
  CollectiveRunner collectives_;
  std::vector<RankState> ranks_;
  std::vector<Rank> computing_;
  std::size_t ended_ = 0;
  std::vector<Request> requests_;
  std::vector<std::uint32_t> free_requests_;
  std::vector<std::uint32_t> one_slot_;  // scratch
  std::vector<Completed> completed_;     // scratch
  std::vector<OperationSource::Laggard> laggards_;
};

Engine::Engine(Machine& machine, OperationSource& source, std::span<OperationObserver* const> observers)
    : impl_(std::make_unique<Impl>(machine, source, observers)) {}
Engine::~Engine() = default;
std::vector<SimTime> Engine::run() {
  return impl_->run();
}
SimTime Engine::now() const {
  return impl_->now();
}
std::uint64_t Engine::unreceived_messages() const {
  return impl_->messenger().unreceived();
}
std::uint64_t Engine::lost_messages() const {
  return impl_->messenger().lost();
}

std::vector<SimTime> Engine::Impl::run() {
  if (source_.ranks() != ranks_.size())
    throw Error(
        fmt::format("the machine is made for {} ranks, the program has {}", ranks_.size(), source_.ranks()));
  for (std::size_t i = 0; i < ranks_.size(); ++i) fetch(Rank(static_cast<std::int32_t>(i)));
  while (ended_ < ranks_.size()) {
    const SimTime horizon = events_.empty() ? SimTime::max() : events_.next_time();
    if (!computing_.empty() && !computing_ranks_are_past(horizon)) continue;
    if (events_.empty())
      throw Deadlock(describe_deadlock(events_.now(), ranks_, requests_, messenger_.lost()));
    events_.handle_next();
  }
  while (!events_.empty()) events_.handle_next();  // what is still under way: messages that nobody receives
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
  state.phase = RankState::Phase::scheduled;
  const auto number = static_cast<std::uint32_t>(index(rank));
  // A source that reports less than it let the engine believe can't turn back the clock.
  const SimTime begin = std::max(state.clock + state.operation.elapsed, events_.now());
  events_.schedule_operation(begin, number, *this, number);
}

/// @return false if something has changed or had to be waited for: look again
bool Engine::Impl::computing_ranks_are_past(SimTime horizon) {
  laggards_.clear();
  for (std::size_t i = 0; i < computing_.size(); ++i) {
    const Rank rank = computing_[i];
    RankState& state = ranks_[index(rank)];
    if (state.bound > horizon) continue;
    if (const auto computed = source_.computed(rank)) {
      state.bound = state.clock + *computed;
      if (state.bound > horizon) continue;
      laggards_.push_back({rank, state.clock, horizon});
    } else {
      computing_[i] = computing_.back();
      computing_.pop_back();
      fetch(rank);
      return false;
    }
  }
  if (laggards_.empty()) return true;
  source_.wait(laggards_);
  return false;
}

void Engine::Impl::handle(std::uint64_t what) {
  if (what >= request_event)
    became_ready(static_cast<std::uint32_t>(what - request_event));
  else
    start(Rank(static_cast<std::int32_t>(what)));
}

void Engine::Impl::start(Rank rank) {
  RankState& state = ranks_[index(rank)];
  const SimTime begin = events_.now();
  state.begin = begin;
  const Operation& operation = state.operation;
  if (operation.bytes < Bytes(0))
    throw Error(fmt::format("rank {}: {} names a negative size", index(rank), name_of(operation.call)));
  switch (operation.kind) {
    case OperationKind::nothing:
    case OperationKind::read_clock:
      return end(rank, begin);
    case OperationKind::sleep:
      return end(rank, begin + std::max(operation.duration, SimTime()));
    case OperationKind::context_created:
      contexts_.announce(operation.context, operation.members, rank);
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
    case OperationKind::exit:
      return end(rank, begin);
  }
  throw Error(
      fmt::format("rank {}: an operation of unknown kind {}", index(rank), static_cast<int>(operation.kind)));
}

void Engine::Impl::end(Rank rank, SimTime at, std::span<const Completed> completed) {
  RankState& state = ranks_[index(rank)];
  for (OperationObserver* observer : observers_)
    observer->operation_ended(rank, state.operation, state.begin, at, completed);
  state.clock = at;
  if (state.operation.wants_answer)
    source_.answer(rank, Answer{at, std::vector<Completed>(completed.begin(), completed.end())});
  if (state.operation.kind == OperationKind::exit) {
    state.phase = RankState::Phase::ended;
    ++ended_;
    return;
  }
  fetch(rank);
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
  if ((static_cast<std::uint64_t>(operation.context) & collective_plane) != 0)
    throw Error(fmt::format("rank {}: {} names a context that is out of range", index(rank),
                            name_of(operation.call)));
  if (operation.tag < Tag{0} && !(wildcard && operation.tag == any_tag))
    throw Error(fmt::format("rank {}: {} names tag {}", index(rank), name_of(operation.call),
                            static_cast<std::int32_t>(operation.tag)));
}

std::uint32_t Engine::Impl::new_request(Rank rank) {
  std::uint32_t slot = static_cast<std::uint32_t>(requests_.size());
  if (free_requests_.empty()) {
    requests_.emplace_back();
  } else {
    slot = free_requests_.back();
    free_requests_.pop_back();
  }
  RankState& state = ranks_[index(rank)];
  const Operation& operation = state.operation;
  if (!state.requests.try_emplace(operation.request, slot).second)
    throw Error(fmt::format("rank {}: {} starts request {} while it is pending", index(rank),
                            name_of(operation.call), static_cast<std::uint64_t>(operation.request)));
  Request& request = requests_[slot];
  request.owner = rank;
  request.id = operation.request;
  request.kind = operation.kind;
  request.call = operation.call;
  request.ready = request.awaited = false;
  request.envelope = {operation.context, operation.peer, operation.tag};
  request.bytes = operation.bytes;
  request.place = Matcher::no_place;
  request.completed = Completed{};
  request.completed.request = operation.request;
  return slot;
}

void Engine::Impl::start_send(Rank rank) {
  const Operation& operation = ranks_[index(rank)].operation;
  check_envelope(rank, operation, false);
  const std::uint32_t slot = new_request(rank);
  const SimTime begin = events_.now();
  const SimTime ready = begin + messenger_.send_cost(rank, operation.peer, operation.bytes, operation.mode);
  requests_[slot].completed.bytes = operation.bytes;
  if (messenger_.send({{operation.context, rank, operation.tag},
                       operation.peer,
                       operation.bytes,
                       operation.mode,
                       operation.payload,
                       begin,
                       ready,
                       Token{slot}})) {
    requests_[slot].ready = true;
    requests_[slot].ready_at = ready;
    requests_[slot].cost = SimTime();
  }
  end(rank, ready);
}

void Engine::Impl::start_receive(Rank rank) {
  const Operation& operation = ranks_[index(rank)].operation;
  check_envelope(rank, operation, true);
  const std::uint32_t slot = new_request(rank);
  const Matcher::Place place = messenger_.receive(rank, requests_[slot].envelope, Token{slot});
  requests_[slot].place = place;
  end(rank, events_.now());
}

void Engine::Impl::start_collective(Rank rank) {
  const std::uint32_t slot = new_request(rank);
  collectives_.enter(rank, ranks_[index(rank)].operation, slot);
  end(rank, events_.now());
}

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

void Engine::Impl::start_wait(Rank rank) {
  collect_awaited(rank);
  RankState& state = ranks_[index(rank)];
  state.missing = 0;
  for (const std::uint32_t slot : state.awaited)
    if (!requests_[slot].ready) ++state.missing;
  const SimTime begin = events_.now();
  if (state.missing == 0 && state.operation.completion == Completion::all)
    return complete(rank, state.awaited, begin);
  if (state.missing < state.awaited.size() && state.operation.completion == Completion::any) {
    one_slot_.assign(1, first_ready(state));
    return complete(rank, one_slot_, begin);
  }
  if (state.missing < state.awaited.size() && state.operation.completion == Completion::some)
    return complete(rank, ready_among(state), begin);
  if (state.awaited.empty()) return end(rank, begin);
  for (const std::uint32_t slot : state.awaited) requests_[slot].awaited = !requests_[slot].ready;
  state.phase = RankState::Phase::waiting;
}

void Engine::Impl::start_test(Rank rank) {
  collect_awaited(rank);
  RankState& state = ranks_[index(rank)];
  const SimTime begin = events_.now();
  std::vector<std::uint32_t> ready;
  if (state.operation.completion == Completion::any) {
    if (const std::uint32_t first = first_ready(state); first != no_slot) ready.push_back(first);
  } else {
    ready = ready_among(state);
    if (state.operation.completion == Completion::all && ready.size() < state.awaited.size()) ready.clear();
  }
  if (ready.empty()) {
    for (const std::uint32_t slot : state.awaited) requests_[slot].awaited = false;
    return end(rank, begin + machine_.messages.poll_cost);
  }
  complete(rank, ready, begin);
}

/// Completes the requests in these slots, one after the other as they became ready, and ends the rank's
/// operation.
void Engine::Impl::complete(Rank rank, std::span<const std::uint32_t> slots, SimTime from) {
  RankState& state = ranks_[index(rank)];
  SimTime clock = from;
  if (slots.size() == 1) {
    const Request& request = requests_[slots[0]];
    clock = std::max(clock, request.ready_at) + request.cost;
  } else {
    std::vector<std::uint32_t> in_order(slots.begin(), slots.end());
    std::ranges::stable_sort(in_order, {}, [this](std::uint32_t slot) { return requests_[slot].ready_at; });
    for (const std::uint32_t slot : in_order)
      clock = std::max(clock, requests_[slot].ready_at) + requests_[slot].cost;
  }
  completed_.clear();
  for (const std::uint32_t slot : slots) {
    completed_.push_back(std::move(requests_[slot].completed));
    state.requests.erase(requests_[slot].id);
    free_requests_.push_back(slot);
  }
  for (const std::uint32_t slot : state.awaited) requests_[slot].awaited = false;
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
  request.ready_at = events_.now();
  if (!request.awaited) return;
  request.awaited = false;
  RankState& state = ranks_[index(request.owner)];
  --state.missing;
  switch (state.operation.completion) {
    case Completion::all:
      if (state.missing == 0) complete(request.owner, state.awaited, state.begin);
      return;
    case Completion::any:
      one_slot_.assign(1, slot);
      return complete(request.owner, one_slot_, state.begin);
    case Completion::some:
      return complete(request.owner, ready_among(state), state.begin);
  }
}

void Engine::Impl::start_probe(Rank rank) {
  RankState& state = ranks_[index(rank)];
  const Operation& operation = state.operation;
  check_envelope(rank, operation, true);
  const auto found = messenger_.find(rank, {operation.context, operation.peer, operation.tag});
  const SimTime begin = events_.now();
  if (found) {
    completed_.assign(1, Completed{});
    completed_[0].source = found->envelope.source;
    completed_[0].tag = found->envelope.tag;
    completed_[0].bytes = found->bytes;
    return end(rank, begin, completed_);
  }
  if (operation.kind == OperationKind::test_probe) return end(rank, begin + machine_.messages.poll_cost);
  state.phase = RankState::Phase::waiting;
}

void Engine::Impl::waits_unmatched(Rank receiver, const Envelope& envelope, Bytes bytes) {
  RankState& state = ranks_[index(receiver)];
  const Operation& operation = state.operation;
  if (state.phase != RankState::Phase::waiting || operation.kind != OperationKind::probe) return;
  if (operation.context != envelope.context ||
      (operation.peer != any_rank && operation.peer != envelope.source) ||
      (operation.tag != any_tag && operation.tag != envelope.tag))
    return;
  completed_.assign(1, Completed{});
  completed_[0].source = envelope.source;
  completed_[0].tag = envelope.tag;
  completed_[0].bytes = bytes;
  end(receiver, events_.now(), completed_);
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
    messenger_.cancel(rank, request.envelope, request.place);
    request.place = Matcher::no_place;
    request.completed.cancelled = true;
    make_ready(found->second, events_.now(), SimTime());
  }
  end(rank, events_.now());
}

void Engine::Impl::sent(Token token) {
  const auto number = static_cast<std::uint32_t>(token);
  if (number >= CollectiveRunner::first_token) return collectives_.sent(token);
  make_ready(number, events_.now(), SimTime());
}

void Engine::Impl::received(Token token, const ReceivedMessage& message) {
  const auto number = static_cast<std::uint32_t>(token);
  if (number >= CollectiveRunner::first_token) return collectives_.received(token, message.cost);
  Request& request = requests_[number];
  request.place = Matcher::no_place;
  request.completed.source = message.envelope.source;
  request.completed.tag = message.envelope.tag;
  request.completed.bytes = message.bytes;
  request.completed.payload = message.payload;
  make_ready(number, events_.now(), message.cost);
}

void Engine::Impl::delivered(const Envelope& envelope, Rank receiver, Bytes bytes, SimTime sent) {
  if ((static_cast<std::uint64_t>(envelope.context) & collective_plane) != 0) return;
  for (OperationObserver* observer : observers_)
    observer->message_delivered(envelope.source, receiver, bytes, sent, events_.now());
}

void Engine::Impl::collective_done(std::uint32_t request, SimTime done,
                                   const std::vector<std::uint64_t>& deposits) {
  requests_[request].completed.deposits = deposits;
  make_ready(request, done, SimTime());
}

}  // namespace morgana
