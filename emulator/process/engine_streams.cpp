#include "emulator/process/engine_impl.h"

namespace morgana {

bool Engine::Impl::takes_heads(Token token) const {
  const auto number = static_cast<std::uint32_t>(token);
  return number < CollectiveRunner::first_token && requests_[number].streamed;
}

/// Whatever is there of a message is copied in one go. @return how long that takes
SimTime Engine::Impl::copy_what_came(Request& request) {
  if (request.kind != OperationKind::receive || request.copy == ByteCost()) return SimTime();
  const Bytes there = request.completed.bytes - request.completed.coming;
  const SimTime cost = request.copy.time_for(there) - request.copy.time_for(request.copied);
  request.copied = there;
  return cost;
}

void Engine::Impl::more_came(Token token, Bytes coming) {
  const auto slot = static_cast<std::uint32_t>(token);
  Request& request = requests_[slot];
  request.completed.coming = coming;
  if (request.forgotten) {
    if (coming == Bytes()) free_requests_.push_back(slot);
    return;
  }
  const Rank rank = request.owner;
  const RankState& state = ranks_[index(rank)];
  const Operation& operation = state.operation;
  const bool is_waited_for = state.phase == RankState::Phase::waiting &&
                             operation.kind == OperationKind::wait_part && operation.request == request.id;
  if (is_waited_for && (coming == Bytes() || request.completed.bytes - coming >= operation.bytes))
    end_wait_part(rank, slot);
}

void Engine::Impl::start_wait_part(Rank rank) {
  RankState& state = ranks_[index(rank)];
  const Operation& operation = state.operation;
  const auto found = state.heads.find(operation.request);
  // The receive has got the whole message at once: always so where nothing is streamed.
  if (found == state.heads.end()) return end(rank, events_.now());
  const std::uint32_t slot = found->second;
  if (operation.bytes == Bytes()) {
    forget_rest(rank, slot);
    return end(rank, events_.now());
  }
  const Completed& message = requests_[slot].completed;
  if (message.coming == Bytes() || message.bytes - message.coming >= operation.bytes)
    return end_wait_part(rank, slot);
  state.phase = RankState::Phase::waiting;
}

void Engine::Impl::end_wait_part(Rank rank, std::uint32_t slot) {
  Request& request = requests_[slot];
  const SimTime at = events_.now() + copy_what_came(request);
  completed_.assign(1, request.completed);
  if (request.completed.coming == Bytes()) forget_rest(rank, slot);
  end(rank, at, completed_);
}

/// Its place is given back when nothing can come for it any more.
void Engine::Impl::forget_rest(Rank rank, std::uint32_t slot) {
  Request& request = requests_[slot];
  ranks_[index(rank)].heads.erase(request.id);
  if (request.completed.coming == Bytes())
    free_requests_.push_back(slot);
  else
    request.forgotten = true;
}

}  // namespace morgana
