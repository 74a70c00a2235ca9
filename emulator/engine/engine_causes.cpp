#include "emulator/engine/engine_impl.h"

namespace morgana {

/// @param idle_from  since when the rank, which goes on at `at`, has had nothing to do
void Engine::Impl::tell_release(Rank rank, SimTime idle_from, SimTime at, const Origin& origin) const {
  const OperationKind kind = ranks_[index(rank)].operation.kind;
  const bool polled = kind == OperationKind::test || kind == OperationKind::test_probe;
  if (origin.by < Rank{0} || (at <= idle_from && !polled)) return;
  const SimTime ready = std::min(origin.ready, at);
  const SimTime wire = std::min(origin.wire, at - ready);
  causes_->released({{rank}, at, {origin.by}, ready, wire, origin.in_memory, polled, origin.timer_wait});
}

/// A request that is being completed.
void Engine::Impl::tell_release(std::uint32_t slot, SimTime idle_from) const {
  const auto origin = origins_.find(slot);
  if (origin == origins_.end()) return;
  const Request& request = requests_[slot];
  const SimTime at = request.ready_at - request.early;
  if (request.kind != OperationKind::collective)
    return tell_release(request.owner, idle_from, at, origin->second);
  if (at <= idle_from) return;
  causes_->released({{request.owner}, at, {request.owner, true}, std::min(origin->second.ready, at), {}});
}

/// A rank that another one has started.
void Engine::Impl::tell_begin(Rank rank, SimTime at, Rank by) const {
  causes_->released({{rank}, at, {by}, at, {}});
}

}  // namespace morgana
