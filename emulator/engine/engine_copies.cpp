// Copies in ranks' calls that the hosts' memories may slow: before a send, and of received messages. A rank
// completes what it waits for as soon as that is there, one receive after the other, each with its overhead
// and its copy, and goes on when that is done for all that its call completes.

#include <algorithm>
#include <array>
#include <utility>

#include "emulator/core/end_of_time.h"
#include "emulator/engine/engine_impl.h"

namespace morgana {

void Engine::Impl::copy_before_send(Rank rank, const MemoryWork& work) {
  ranks_[index(rank)].phase = RankState::Phase::waiting;
  copiers_[static_cast<std::uint32_t>(index(rank))].at = Copier::sends;
  machine_.memory->begin(machine_.host_of[index(rank)], work, *this, index(rank));
}

/// A receive that the rank waits for is there.
void Engine::Impl::copy_while_waiting(Rank rank, std::uint32_t slot) {
  copiers_[static_cast<std::uint32_t>(index(rank))].waiting.push_back(slot);
  go_on_copying(rank);
}

/// The rank begins to wait; some of what it waits for may be there.
void Engine::Impl::copy_what_is_there(Rank rank) {
  Copier& copier = copiers_[static_cast<std::uint32_t>(index(rank))];
  for (const std::uint32_t slot : ranks_[index(rank)].awaited)
    if (to_copy_.contains(slot)) copier.waiting.push_back(slot);
  go_on_copying(rank);
}

/// @return whether these receives complete later, when the last of them has been copied
bool Engine::Impl::copies_before_completion(Rank rank, std::span<const std::uint32_t> slots) {
  const auto number = static_cast<std::uint32_t>(index(rank));
  if (!copiers_.contains(number) &&
      std::ranges::none_of(slots, [&](std::uint32_t slot) { return to_copy_.contains(slot); }))
    return false;
  ranks_[index(rank)].phase = RankState::Phase::waiting;
  Copier& copier = copiers_[number];
  copier.waiting.clear();
  copier.completing.assign(slots.begin(), slots.end());
  go_on_copying(rank);
  return true;
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
      if (found == to_copy_.end()) continue;
      const MemoryWork work = found->second;
      const SimTime free_at = std::max(copier.free_at, events_.now());
      const bool in_memory = may_slow(rank, work);
      if (in_memory && free_at > events_.now()) {
        if (!std::exchange(copier.is_due, true)) events_.schedule(free_at, *this, copy_event + index(rank));
        return true;
      }
      // Completing it tells of polls.
      if (causes_ != nullptr && state.operation.kind == OperationKind::wait)
        tell_release(slot, std::max(state.begin, copier.free_at));
      if (in_memory) {
        copier.at = slot;
        machine_.memory->begin(machine_.host_of[index(rank)], work, *this, index(rank));
        return true;
      }
      to_copy_.erase(found);
      copier.free_at = time_before_end(free_at + time_before_end(work.cost, work.bytes) +
                                       std::exchange(requests_[slot].cost, SimTime()));
    }
  return false;
}

/// A receive's overhead and what else was not in memory is done; or was, of an operation that has ended.
void Engine::Impl::copy_is_due(Rank rank) {
  if (const auto found = copiers_.find(static_cast<std::uint32_t>(index(rank))); found != copiers_.end())
    found.value().is_due = false;
  go_on_copying(rank);
}

/// Whether the rank's receives go through its copier: some copy of its host may be slowed.
bool Engine::Impl::copies_in_memory(Rank rank) const {
  if (!machine_.memory || sharing_ || machine_.kernel || source_.is_service(rank)) return false;
  const MessageLayer& layer = machine_.messages;
  return std::ranges::any_of(
      std::array{layer.copy_per_byte, layer.send_per_byte, layer.receive_per_byte}, [&](ByteCost cost) {
        return machine_.memory->may_slow(machine_.host_of[index(rank)], cost, MemoryWork::copied);
      });
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

void Engine::Impl::memory_done(std::uint64_t what) {
  const auto number = static_cast<std::uint32_t>(what);
  const auto found = copiers_.find(number);
  if (found == copiers_.end() || !found->second.at) return;  // the rank was killed meanwhile
  const Rank rank{static_cast<std::int32_t>(number)};
  const std::uint32_t done = *std::exchange(found.value().at, std::nullopt);
  if (done == Copier::sends) {
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
  at = std::max(at, found->second.free_at);
  copiers_.erase(found);
  return at;
}

/// Of one that is not slowed all the same, as its rank's processor goes on with collectives, too.
SimTime Engine::Impl::cost_of_copy(std::uint32_t slot) {
  if (to_copy_.empty()) return SimTime();
  const auto work = to_copy_.find(slot);
  if (work == to_copy_.end()) return SimTime();
  const SimTime cost = time_before_end(work->second.cost, work->second.bytes);
  to_copy_.erase(work);
  return cost;
}

}  // namespace morgana
