#include "emulator/report/call_use.h"

#include <string_view>
#include <tuple>

namespace morgana {
namespace {

std::vector<CallUse> by_time(std::vector<CallUse> uses) {
  // What takes part in collectives of switches alone makes no call.
  std::erase_if(uses, [](const CallUse& use) {
    return (use.time == SimTime() && use.bytes == Bytes()) || (use.call == Call::unknown && use.count == 0);
  });
  std::ranges::sort(uses, [](const CallUse& a, const CallUse& b) {
    return std::tuple(b.time, name_of(a.call)) < std::tuple(a.time, name_of(b.call));
  });
  return uses;
}

}  // namespace

void CallUse::add(const CallUse& other) {
  count += other.count;
  time += other.time;
  bytes += other.bytes;
  late_sender += other.late_sender;
  late_receiver += other.late_receiver;
  collective_wait += other.collective_wait;
}

void CallUses::take_up(PerRank& mine, Call call) {
  std::uint16_t& slot = slots_[static_cast<std::size_t>(call)];
  if (slot == no_slot) {
    slot = static_cast<std::uint16_t>(calls_.size());
    calls_.push_back(call);
  }
  while (mine.uses.size() <= slot) {
    CallUse fresh;
    fresh.call = calls_[mine.uses.size()];
    mine.uses.push_back(fresh);
  }
  mine.in = &mine.uses[slot];
}

/// Of several partners the last is the one that was waited for.
void CallUses::waited(PerRank& mine, SimTime until) {
  if (until <= mine.waited_from) return;
  const SimTime time = until - mine.waited_from;
  mine.waited_from = until;
  switch (cause_) {
    case WaitCause::late_sender:
      mine.in->late_sender += time;
      break;
    case WaitCause::late_receiver:
      mine.in->late_receiver += time;
      break;
    case WaitCause::collective:
      mine.in->collective_wait += time;
      break;
  }
}

void CallUses::add(Rank rank, const CallUse& calls) {
  PerRank& mine = ranks_[index(rank)];
  take_up(mine, calls.call);
  mine.in->add(calls);
}

void CallUses::poll_failed(Rank rank, SimTime duration) {
  PerRank& mine = ranks_[index(rank)];
  mine.polls_by = mine.in->call;
  mine.poll_takes = duration;
}

void CallUses::polled(Rank rank, SimTime time) {
  PerRank& mine = ranks_[index(rank)];
  take_up(mine, mine.polls_by);
  mine.in->time += time;
  if (mine.poll_takes > SimTime())
    mine.in->count += static_cast<std::uint64_t>(time.ps() / mine.poll_takes.ps());
}

void CallUses::ended_in_call(Rank rank, SimTime time) {
  PerRank& mine = ranks_[index(rank)];
  if (mine.in == nullptr) take_up(mine, Call::unknown);
  mine.in->time += time;
}

std::vector<CallUse> CallUses::of(Rank rank) const {
  return by_time(ranks_[index(rank)].uses);
}

std::vector<CallUse> CallUses::all(std::size_t first) const {
  std::vector<CallUse> sum(calls_.size());
  for (std::size_t slot = 0; slot < sum.size(); ++slot) sum[slot].call = calls_[slot];
  for (std::size_t rank = first; rank < ranks_.size(); ++rank)
    for (std::size_t slot = 0; slot < ranks_[rank].uses.size(); ++slot)
      sum[slot].add(ranks_[rank].uses[slot]);
  return by_time(std::move(sum));
}

}  // namespace morgana
