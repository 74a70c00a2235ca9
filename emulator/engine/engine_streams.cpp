#include "emulator/core/end_of_time.h"
#include "emulator/engine/engine_impl.h"

namespace morgana {

bool Engine::Impl::takes_heads(Token token) const {
  const auto number = static_cast<std::uint32_t>(token);
  return number < CollectiveRunner::first_token && requests_[number].streamed;
}

/// A request's slot may serve another one.
void Engine::Impl::give_back(std::uint32_t slot) {
  if (requests_[slot].streamed) coming_.erase(slot);
  if (!to_copy_.empty()) to_copy_.erase(slot);
  requests_.give_back(slot);
}

/// Whatever is there of a message that comes part by part is copied in one go. @return how long that takes
SimTime Engine::Impl::copy_what_came(std::uint32_t slot) {
  if (!requests_[slot].streamed) return SimTime();
  const auto found = coming_.find(slot);
  if (found == coming_.end()) return SimTime();
  ComingMessage& message = found.value();
  const Bytes there = requests_[slot].bytes - message.coming;
  const SimTime cost = time_before_end(message.copy, there) - message.copy.time_for(message.copied);
  message.copied = there;
  return cost;
}

SimTime Engine::Impl::cost_of_completing(std::uint32_t slot) {
  return time_before_end(requests_[slot].cost + copy_what_came(slot) + cost_of_copy(slot));
}

void Engine::Impl::more_came(Token token, Bytes coming) {
  const auto slot = static_cast<std::uint32_t>(token);
  const Request& request = requests_[slot];
  ComingMessage& message = coming_.find(slot).value();
  message.coming = coming;
  if (message.forgotten) {
    if (coming == Bytes()) give_back(slot);
    return;
  }
  const Rank rank = request.owner;
  const RankState& state = ranks_[index(rank)];
  const Operation& operation = state.operation;
  const bool is_waited_for = state.phase == RankState::Phase::waiting &&
                             operation.kind == OperationKind::wait_part && operation.request == request.id;
  if (!is_waited_for || !has_come(slot, operation.bytes)) return;
  if (causes_ != nullptr)
    if (const auto origin = origins_.find(slot); origin != origins_.end())
      tell_release(rank, state.begin, events_.now(), origin->second);
  end_wait_part(rank, slot);
}

bool Engine::Impl::has_come(std::uint32_t slot, Bytes part) const {
  const Bytes coming = coming_.find(slot)->second.coming;
  return coming == Bytes() || requests_[slot].bytes - coming >= part;
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
  if (has_come(slot, operation.bytes)) return end_wait_part(rank, slot);
  state.phase = RankState::Phase::waiting;
}

void Engine::Impl::end_wait_part(Rank rank, std::uint32_t slot) {
  const SimTime at = time_before_end(events_.now() + copy_what_came(slot));
  completed_.assign(1, take_completed(slot));
  if (completed_.front().coming == Bytes()) forget_rest(rank, slot);
  end(rank, at, completed_);
}

/// Its place is given back when nothing can come for it any more.
void Engine::Impl::forget_rest(Rank rank, std::uint32_t slot) {
  ranks_[index(rank)].heads.erase(requests_[slot].id);
  ComingMessage& message = coming_.find(slot).value();
  if (message.coming == Bytes())
    give_back(slot);
  else
    message.forgotten = true;
}

}  // namespace morgana
