// Copies in ranks' calls that the hosts' memories may slow: before a send, and of received messages. A rank
// completes what it waits for as soon as that is there, one receive after the other, each with its overhead
// and its copy, and goes on when that is done for all that its call completes.

#include <algorithm>
#include <cassert>
#include <utility>

#include "emulator/core/end_of_time.h"
#include "emulator/engine/engine_impl.h"

namespace morgana {

void Engine::Impl::begin_copy(Rank rank, std::uint32_t slot, const MemoryWork& work) {
  const auto number = static_cast<std::uint32_t>(index(rank));
  Copier& copier = copiers_[number];
  assert(!copier.at);
  copier.at = {machine_.memory->begin(machine_.host_of[number], work, *this, number), slot};
}

void Engine::Impl::copy_before_send(Rank rank, const MemoryWork& work) {
  ranks_[index(rank)].phase = RankState::Phase::waiting;
  begin_copy(rank, Copier::InMemory::sends, work);
}

/// A receive that the rank waits for is there.
void Engine::Impl::copy_while_waiting(Rank rank, std::uint32_t slot) {
  if (!is_in_copier(rank)) return copy_what_is_there(rank);
  copiers_[static_cast<std::uint32_t>(index(rank))].waiting.push_back(slot);
  go_on_copying(rank);
}

/// The rank waits; some of what it waits for may be there. Its copier does all of that, in the order in which
/// it came, if the memory may slow any of it.
void Engine::Impl::copy_what_is_there(Rank rank) {
  const std::vector<std::uint32_t>& awaited = ranks_[index(rank)].awaited;
  if (std::ranges::none_of(awaited, [&](std::uint32_t slot) { return to_copy_.contains(slot); })) return;
  Copier& copier = copiers_[static_cast<std::uint32_t>(index(rank))];
  for (const std::uint32_t slot : awaited)
    if (requests_[slot].ready) copier.waiting.push_back(slot);
  in_order_of_coming(copier.waiting);
  go_on_copying(rank);
}

void Engine::Impl::in_order_of_coming(std::vector<std::uint32_t>& slots) const {
  std::ranges::stable_sort(slots, {}, [&](std::uint32_t slot) { return requests_[slot].ready_at; });
}

/// @return whether these receives complete later, when the last of them has been copied
bool Engine::Impl::copies_before_completion(Rank rank, std::span<const std::uint32_t> slots) {
  if (!is_in_copier(rank) &&
      std::ranges::none_of(slots, [&](std::uint32_t slot) { return to_copy_.contains(slot); }))
    return false;
  ranks_[index(rank)].phase = RankState::Phase::waiting;
  Copier& copier = copiers_[static_cast<std::uint32_t>(index(rank))];
  copier.waiting.clear();
  copier.completing.assign(slots.begin(), slots.end());
  in_order_of_coming(copier.completing);
  go_on_copying(rank);
  return true;
}

bool Engine::Impl::is_in_copier(Rank rank) const {
  return !copiers_.empty() && copiers_.contains(static_cast<std::uint32_t>(index(rank)));
}

bool Engine::Impl::is_completing(Rank rank) const {
  if (copiers_.empty()) return false;
  const auto found = copiers_.find(static_cast<std::uint32_t>(index(rank)));
  return found != copiers_.end() && !found->second.completing.empty();
}

/// What else happens to the rank's operation waits for the end of the copy.
bool Engine::Impl::is_copying(Rank rank) const {
  if (copiers_.empty()) return false;
  const auto found = copiers_.find(static_cast<std::uint32_t>(index(rank)));
  return found != copiers_.end() && found->second.at.has_value();
}

/// @return whether the memory is at the next copy, or will be; else there is none
bool Engine::Impl::begin_next_copy(Rank rank, Copier& copier) {
  const RankState& state = ranks_[index(rank)];
  if (copier.limit && copier.completing.empty()) return false;
  for (const std::vector<std::uint32_t>* line : {&copier.completing, &copier.waiting})
    for (const std::uint32_t slot : *line) {
      const auto found = to_copy_.find(slot);
      const bool in_memory = found != to_copy_.end();
      Request& request = requests_[slot];
      if (!in_memory && request.cost == SimTime()) continue;
      const SimTime idle_from = std::max(state.begin, copier.free_at);
      if (in_memory && idle_from > events_.now()) {
        if (!std::exchange(copier.is_due, true)) events_.schedule(idle_from, *this, copy_event + index(rank));
        return true;
      }
      // Completing it tells of polls.
      if (causes_ != nullptr && state.operation.kind == OperationKind::wait) tell_release(slot, idle_from);
      if (in_memory) {
        begin_copy(rank, slot, found->second);
        return true;
      }
      copier.free_at = time_before_end(std::max(idle_from, request.ready_at - request.early) +
                                       std::exchange(request.cost, SimTime()));
    }
  return false;
}

/// A receive's overhead and what else was not in memory is done; or was, of an operation that has ended.
void Engine::Impl::copy_is_due(Rank rank) {
  if (const auto found = copiers_.find(static_cast<std::uint32_t>(index(rank))); found != copiers_.end())
    found.value().is_due = false;
  go_on_copying(rank);
}

/// With what is there and the rank waits for; ends its operation if that is all that it completes.
void Engine::Impl::go_on_copying(Rank rank) {
  const auto found = copiers_.find(static_cast<std::uint32_t>(index(rank)));
  if (found == copiers_.end()) return;  // the rank was killed meanwhile
  Copier& copier = found.value();
  if (copier.at || begin_next_copy(rank, copier)) return;
  const std::vector<std::uint32_t> completing = copier.completing;
  const std::optional<std::uint64_t> limit = copier.limit;
  if (completing.empty() && !limit) return;
  const SimTime from = std::max(copier.free_at, events_.now());
  copiers_.erase(found);
  if (!completing.empty()) return complete(rank, completing, from);
  limit_reached(*limit);
}

void Engine::Impl::memory_done(std::uint64_t what, [[maybe_unused]] CopyId copy) {
  const auto number = static_cast<std::uint32_t>(what);
  const auto found = copiers_.find(number);
  assert(found != copiers_.end() && found->second.at && found->second.at->copy == copy);
  const Rank rank{static_cast<std::int32_t>(number)};
  const std::uint32_t done = std::exchange(found.value().at, std::nullopt)->slot;
  if (done == Copier::InMemory::sends) {
    copiers_.erase(found);
    const Operation& operation = ranks_[number].operation;
    Messenger::SendCost cost = messenger_->send_cost(rank, operation.peer, operation.bytes, operation.mode);
    cost.before = cost.before_without_copy();
    return send_now(rank, cost);
  }
  to_copy_.erase(done);
  found.value().free_at = time_before_end(events_.now() + std::exchange(requests_[done].cost, SimTime()));
  go_on_copying(rank);
  if (ranks_[number].phase == RankState::Phase::waiting && !is_copying(rank) && !is_completing(rank) &&
      ranks_[number].operation.kind == OperationKind::probe)
    look_at_probe(rank);
}

/// The rank's operation ends `at` or, if its processor has something left to do, then.
SimTime Engine::Impl::end_of_copies(Rank rank, SimTime at) {
  const auto found = copiers_.find(static_cast<std::uint32_t>(index(rank)));
  if (found == copiers_.end()) return at;
  assert(!found->second.at);
  at = std::max(at, found->second.free_at);
  copiers_.erase(found);
  return at;
}

/// The rank was killed: its copy ends with it.
void Engine::Impl::give_up_copy(Rank rank) {
  const auto found = copiers_.find(static_cast<std::uint32_t>(index(rank)));
  if (found == copiers_.end()) return;
  if (found->second.at) machine_.memory->cancel(machine_.host_of[index(rank)], found->second.at->copy);
  copiers_.erase(found);
}

/// Of one that takes as long as alone all the same, as its rank's processor goes on with collectives, too.
SimTime Engine::Impl::cost_of_copy(std::uint32_t slot) {
  if (to_copy_.empty()) return SimTime();
  const auto work = to_copy_.find(slot);
  if (work == to_copy_.end()) return SimTime();
  const SimTime cost = time_before_end(work->second.cost, work->second.bytes);
  to_copy_.erase(work);
  return cost;
}

}  // namespace morgana
