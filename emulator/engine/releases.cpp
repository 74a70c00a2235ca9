#include "emulator/engine/releases.h"

#include <algorithm>

namespace morgana {

Origin* Releases::origin_of(std::uint32_t slot) {
  const auto found = origins_.find(slot);
  return found == origins_.end() ? nullptr : &found.value();
}

void Releases::tell(Rank rank, SimTime idle_from, SimTime at, const Origin& origin) const {
  const OperationKind kind = ranks_[index(rank)].operation.kind;
  const bool polled = kind == OperationKind::test || kind == OperationKind::test_probe;
  if (origin.by < Rank{0} || (at <= idle_from && !polled)) return;
  const SimTime ready = std::min(origin.ready, at);
  const SimTime wire = std::min(origin.wire, at - ready);
  observer_->released(
      {{rank}, at, {origin.by}, ready, wire, origin.in_memory, polled, origin.timer_wait, origin.carried});
}

void Releases::tell(std::uint32_t slot, SimTime idle_from) const {
  const auto origin = origins_.find(slot);
  if (origin == origins_.end()) return;
  const Request& request = requests_[slot];
  const SimTime at = request.ready_at - request.early;
  if (request.kind != OperationKind::collective) return tell(request.owner, idle_from, at, origin->second);
  if (at <= idle_from) return;
  observer_->released({{request.owner}, at, {request.owner, true}, std::min(origin->second.ready, at), {}});
}

void Releases::tell_begin(Rank rank, SimTime at, Rank by) const {
  observer_->released({{rank}, at, {by}, at, {}});
}

}  // namespace morgana
