#include "emulator/engine/rank_copies.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "emulator/core/end_of_time.h"

namespace morgana {

void RankCopies::begin(Rank rank, std::uint32_t slot, const MemoryWork& work) {
  const auto number = static_cast<std::uint32_t>(index(rank));
  Copier& copier = copiers_[number];
  assert(!copier.at);
  copier.at = {machine_.memory->begin(machine_.host_of[number], work, *this, number), slot};
}

void RankCopies::begin_before_send(Rank rank, const MemoryWork& work) {
  ranks_[index(rank)].phase = RankState::Phase::waiting;
  begin(rank, Copier::InMemory::sends, work);
}

void RankCopies::go_on_with(Rank rank, std::uint32_t slot) {
  if (!has(rank)) return go_on_with_awaited(rank);
  copier_of(rank).value().waiting.push_back(slot);
  go_on(rank);
}

void RankCopies::go_on_with_awaited(Rank rank) {
  const std::vector<std::uint32_t>& awaited = ranks_[index(rank)].awaited;
  if (std::ranges::none_of(awaited, [&](std::uint32_t slot) { return to_copy_.contains(slot); })) return;
  Copier& copier = copiers_[static_cast<std::uint32_t>(index(rank))];
  for (const std::uint32_t slot : awaited)
    if (requests_[slot].ready) copier.waiting.push_back(slot);
  in_order_of_coming(copier.waiting);
  go_on(rank);
}

void RankCopies::in_order_of_coming(std::vector<std::uint32_t>& slots) const {
  std::ranges::stable_sort(slots, {}, [&](std::uint32_t slot) { return requests_[slot].ready_at; });
}

bool RankCopies::come_before(Rank rank, std::span<const std::uint32_t> slots) {
  if (!has(rank) && std::ranges::none_of(slots, [&](std::uint32_t slot) { return to_copy_.contains(slot); }))
    return false;
  ranks_[index(rank)].phase = RankState::Phase::waiting;
  Copier& copier = copiers_[static_cast<std::uint32_t>(index(rank))];
  copier.waiting.clear();
  copier.completing.assign(slots.begin(), slots.end());
  in_order_of_coming(copier.completing);
  go_on(rank);
  return true;
}

bool RankCopies::are_completing(Rank rank) const {
  if (copiers_.empty()) return false;
  const auto found = copier_of(rank);
  return found != copiers_.end() && !found->second.completing.empty();
}

bool RankCopies::is_in_memory(Rank rank) const {
  if (copiers_.empty()) return false;
  const auto found = copier_of(rank);
  return found != copiers_.end() && found->second.at.has_value();
}

void RankCopies::note_limit(Rank rank, std::uint64_t limit) {
  copier_of(rank).value().limit = limit;
}

/// @return whether the memory is at the next copy, or will be; else there is none
bool RankCopies::begin_next(Rank rank, Copier& copier) {
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
        if (!std::exchange(copier.is_due, true)) events_.schedule(idle_from, *this, index(rank));
        return true;
      }
      // Completing it tells of polls.
      if (releases_.are_asked() && state.operation.kind == OperationKind::wait)
        releases_.tell(slot, idle_from);
      if (in_memory) {
        begin(rank, slot, found->second);
        return true;
      }
      copier.free_at = time_before_end(std::max(idle_from, request.ready_at - request.early) +
                                       std::exchange(request.cost, SimTime()));
    }
  return false;
}

/// A receive's overhead and what else was not in memory is done; or was, of an operation that has ended.
void RankCopies::handle(std::uint64_t number) {
  const Rank rank{static_cast<std::int32_t>(number)};
  if (const auto found = copier_of(rank); found != copiers_.end()) found.value().is_due = false;
  go_on(rank);
}

/// With what is there and the rank waits for; ends its operation if that is all that it completes.
void RankCopies::go_on(Rank rank) {
  const auto found = copier_of(rank);
  if (found == copiers_.end()) return;  // the rank was killed meanwhile
  Copier& copier = found.value();
  if (copier.at || begin_next(rank, copier)) return;
  const std::vector<std::uint32_t> completing = copier.completing;
  const std::optional<std::uint64_t> limit = copier.limit;
  if (completing.empty() && !limit) return;
  const SimTime from = std::max(copier.free_at, events_.now());
  copiers_.erase(found);
  if (!completing.empty()) return client_.copied(rank, completing, from);
  client_.limit_was_reached(*limit);
}

void RankCopies::memory_done(std::uint64_t what, [[maybe_unused]] CopyId copy) {
  const Rank rank{static_cast<std::int32_t>(what)};
  const auto found = copier_of(rank);
  assert(found != copiers_.end() && found->second.at && found->second.at->copy == copy);
  const std::uint32_t done = std::exchange(found.value().at, std::nullopt)->slot;
  if (done == Copier::InMemory::sends) {
    copiers_.erase(found);
    return client_.copied_before_send(rank);
  }
  to_copy_.erase(done);
  found.value().free_at = time_before_end(events_.now() + std::exchange(requests_[done].cost, SimTime()));
  go_on(rank);
  if (ranks_[index(rank)].phase == RankState::Phase::waiting && !is_in_memory(rank) && !are_completing(rank))
    client_.waits_on(rank);
}

SimTime RankCopies::end_of(Rank rank, SimTime at) {
  const auto found = copier_of(rank);
  if (found == copiers_.end()) return at;
  assert(!found->second.at);
  at = std::max(at, found->second.free_at);
  copiers_.erase(found);
  return at;
}

void RankCopies::give_up(Rank rank) {
  const auto found = copier_of(rank);
  if (found == copiers_.end()) return;
  if (found->second.at) machine_.memory->cancel(machine_.host_of[index(rank)], found->second.at->copy);
  copiers_.erase(found);
}

SimTime RankCopies::cost_alone(std::uint32_t slot) {
  if (to_copy_.empty()) return SimTime();
  const auto work = to_copy_.find(slot);
  if (work == to_copy_.end()) return SimTime();
  const SimTime cost = time_before_end(work->second.cost, work->second.bytes);
  to_copy_.erase(work);
  return cost;
}

}  // namespace morgana
