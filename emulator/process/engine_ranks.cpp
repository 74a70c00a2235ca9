#include <fmt/format.h>

#include <algorithm>

#include "emulator/process/engine_impl.h"

namespace morgana {

void Engine::Impl::start_spawn(Rank rank) {
  const Operation& operation = ranks_[index(rank)].operation;
  if (operation.hosts.size() != operation.members.size())
    throw Error(fmt::format("rank {}: {} starts {} ranks on {} hosts", index(rank), name_of(operation.call),
                            operation.members.size(), operation.hosts.size()));
  const SimTime now = events_.now();
  // Its own next operation may depend on theirs: they begin first.
  const std::vector<Rank> members = operation.members;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Rank member = members[i];
    if (member < Rank{0} || index(member) >= ranks_.size() ||
        ranks_[index(member)].phase != RankState::Phase::absent)
      throw Error(fmt::format("rank {}: {} starts rank {}, which runs or can't", index(rank),
                              name_of(operation.call), static_cast<std::int32_t>(member)));
    machine_.host_of[index(member)] = static_cast<HostId>(operation.hosts[i]);
    ranks_[index(member)].clock = now;
    ++started_;
    fetch(member);
  }
  end(rank, now);
}

void Engine::Impl::start_kill(Rank rank) {
  const Operation& operation = ranks_[index(rank)].operation;
  check_peer(rank, operation, false);
  if (operation.peer == rank)
    throw Error(fmt::format("rank {}: {} ends the rank itself", index(rank), name_of(operation.call)));
  const SimTime now = events_.now();
  RankState& victim = ranks_[index(operation.peer)];
  if (victim.phase != RankState::Phase::ended && victim.phase != RankState::Phase::absent) {
    std::erase(computing_, operation.peer);
    // What it waits for may still come, and then nobody waits.
    for (const std::uint32_t slot : victim.awaited) requests_[slot].awaited = false;
    Operation last;
    last.kind = OperationKind::exit;
    const SimTime at = std::max(now, victim.clock);  // its last operation may keep its processor until later
    last.elapsed = at - victim.clock;
    for (OperationObserver* observer : observers_)
      observer->operation_ended(operation.peer, last, at, at, {});
    victim.clock = at;
    victim.phase = RankState::Phase::ended;
    ++ended_;
  }
  end(rank, now);
}

}  // namespace morgana
