#include "emulator/engine/request_table.h"

#include <fmt/format.h>

#include <utility>

#include "emulator/core/end_of_time.h"
#include "emulator/core/error.h"

namespace morgana {

std::uint32_t RequestTable::begin(Rank rank, RankState& state, SimTime now) {
  const std::uint32_t slot = requests_.take();
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
  request.payload = 0;
  request.partner_at = operation.kind == OperationKind::receive ? now : SimTime();
  return slot;
}

void RequestTable::give_back(std::uint32_t slot) {
  if (requests_[slot].streamed) coming_.erase(slot);
  requests_.give_back(slot);
}

void RequestTable::collect_awaited(Rank rank, RankState& state) {
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

std::size_t RequestTable::await_missing(const RankState& state) {
  std::size_t missing = 0;
  for (const std::uint32_t slot : state.awaited) {
    requests_[slot].awaited = !requests_[slot].ready;
    if (!requests_[slot].ready) ++missing;
  }
  return missing;
}

void RequestTable::stop_waiting(RankState& state) {
  for (const std::uint32_t slot : state.awaited) requests_[slot].awaited = false;
  state.awaited.clear();
}

std::uint32_t RequestTable::first_ready(const RankState& state) const {
  std::uint32_t first = no_slot;
  for (const std::uint32_t slot : state.awaited)
    if (requests_[slot].ready && (first == no_slot || requests_[slot].ready_at < requests_[first].ready_at))
      first = slot;
  return first;
}

std::vector<std::uint32_t> RequestTable::ready_among(const RankState& state) const {
  std::vector<std::uint32_t> ready;
  for (const std::uint32_t slot : state.awaited)
    if (requests_[slot].ready) ready.push_back(slot);
  return ready;
}

std::vector<std::uint32_t> RequestTable::found_by_test(const RankState& state) const {
  std::vector<std::uint32_t> ready;
  if (state.operation.completion == Completion::any) {
    if (const std::uint32_t first = first_ready(state); first != no_slot) ready.push_back(first);
  } else {
    ready = ready_among(state);
    if (state.operation.completion == Completion::all && ready.size() < state.awaited.size()) ready.clear();
  }
  return ready;
}

Completed RequestTable::outcome_of(std::uint32_t slot) const {
  const Request& request = requests_[slot];
  Completed completed;
  completed.request = request.id;
  completed.bytes = request.bytes;
  completed.payload = request.payload;
  completed.cancelled = request.cancelled;
  completed.outcome = request.outcome;
  if (const auto coming = coming_.find(slot); coming != coming_.end())
    completed.coming = coming->second.coming;
  if (request.kind == OperationKind::receive && !request.cancelled) {
    completed.source = request.envelope.source;
    completed.tag = request.envelope.tag;
  }
  return completed;
}

Completed RequestTable::take_completed(std::uint32_t slot) {
  Completed completed = outcome_of(slot);
  if (requests_[slot].kind == OperationKind::collective)
    if (const auto given = deposits_.find(slot); given != deposits_.end()) {
      completed.deposits = std::move(given.value());
      deposits_.erase(given);
    }
  return completed;
}

void RequestTable::keep_deposits(std::uint32_t slot, const std::vector<std::uint64_t>& deposits) {
  if (!deposits.empty()) deposits_[slot] = deposits;
}

std::span<const std::uint64_t> RequestTable::deposits(std::uint32_t slot) const {
  const auto given = deposits_.find(slot);
  if (given == deposits_.end()) return {};
  return given->second;
}

bool RequestTable::more_came(std::uint32_t slot, Bytes coming) {
  ComingMessage& message = coming_.find(slot).value();
  message.coming = coming;
  if (!message.forgotten) return true;
  if (coming == Bytes()) give_back(slot);
  return false;
}

bool RequestTable::has_come(std::uint32_t slot, Bytes part) const {
  const Bytes coming = coming_.find(slot)->second.coming;
  return coming == Bytes() || requests_[slot].bytes - coming >= part;
}

SimTime RequestTable::copy_what_came(std::uint32_t slot) {
  if (!requests_[slot].streamed) return SimTime();
  const auto found = coming_.find(slot);
  if (found == coming_.end()) return SimTime();
  ComingMessage& message = found.value();
  const Bytes there = requests_[slot].bytes - message.coming;
  const SimTime cost = time_before_end(message.copy, there) - message.copy.time_for(message.copied);
  message.copied = there;
  return cost;
}

void RequestTable::forget_rest(RankState& owner, std::uint32_t slot) {
  owner.heads.erase(requests_[slot].id);
  ComingMessage& message = coming_.find(slot).value();
  if (message.coming == Bytes())
    give_back(slot);
  else
    message.forgotten = true;
}

}  // namespace morgana
