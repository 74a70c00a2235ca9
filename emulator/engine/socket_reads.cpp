#include "emulator/engine/socket_reads.h"

#include <algorithm>
#include <utility>

#include "emulator/core/end_of_time.h"

namespace morgana {

bool SocketReads::reads_now(Rank rank) const {
  if (processors_.is_shared(rank)) return false;
  const RankState& state = ranks_[index(rank)];
  switch (state.phase) {
    case RankState::Phase::computing:
    case RankState::Phase::scheduled:
      return state.asleep_in_call && state.asleep_until > events_.now();
    case RankState::Phase::waiting:
      return makes_progress(state.operation.kind) || state.in_call;
    case RankState::Phase::ended:
    case RankState::Phase::absent:
      return false;
  }
  return false;
}

void SocketReads::came(Rank rank, SimTime cost, const Origin& origin) {
  are_any_ = true;
  RankProgress& progress = collectives_.progress(rank);
  if (!reads_now(rank)) {
    progress.unread = time_before_end(progress.unread + cost);
    return;
  }
  const RankState& state = ranks_[index(rank)];
  const bool waits = state.phase == RankState::Phase::waiting && state.operation.duration == SimTime();
  if (releases_.are_asked() && waits && progress.busy_until <= events_.now())
    releases_.tell(rank, std::max(state.begin, progress.busy_until), events_.now(), origin);
  read(progress, cost);
}

void SocketReads::read(RankProgress& progress, SimTime cost) {
  const SimTime now = events_.now();
  progress.busy_until = time_before_end(std::max(progress.busy_until, now) + cost);
  if (!progress.reads.empty() && progress.reads.back().released + progress.reads.back().cost >= now)
    progress.reads.back().cost += cost;
  else
    progress.reads.push_back({now, cost});
}

void SocketReads::begin_reading(Rank rank) {
  RankProgress& progress = collectives_.progress(rank);
  const SimTime now = events_.now();
  progress.reads.clear();
  if (std::exchange(progress.overran, false) && progress.busy_until > now)
    progress.reads.push_back({now, progress.busy_until - now});
  catch_up(rank);
}

void SocketReads::catch_up(Rank rank) {
  RankProgress& progress = collectives_.progress(rank);
  if (progress.unread > SimTime()) read(progress, std::exchange(progress.unread, SimTime()));
}

SimTime SocketReads::end_reading(Rank rank, SimTime at) {
  RankProgress& progress = collectives_.progress(rank);
  if (progress.reads.empty()) return at;
  progress.reads.clear();
  return std::max(at, progress.busy_until);
}

void SocketReads::end_at_limit(Rank rank) {
  RankProgress& progress = collectives_.progress(rank);
  progress.reads.clear();
  progress.overran = true;
}

}  // namespace morgana
