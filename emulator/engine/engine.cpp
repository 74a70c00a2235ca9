#include <fmt/format.h>

#include <algorithm>

#include "emulator/core/end_of_time.h"
#include "emulator/engine/deadlock_report.h"
#include "emulator/engine/engine_impl.h"

namespace morgana {

Engine::Engine(Machine& machine, OperationSource& source, std::span<OperationObserver* const> observers,
               CausalityObserver* causes)
    : impl_(std::make_unique<Impl>(machine, source, observers, causes)) {}
Engine::~Engine() = default;

std::vector<SimTime> Engine::run(const std::function<void(SimTime)>& all_ended) {
  return impl_->run(all_ended);
}

SimTime Engine::now() const {
  return impl_->now();
}
std::uint64_t Engine::unreceived_messages() const {
  return impl_->unreceived();
}
std::string Engine::unreceived_report() const {
  return impl_->unreceived_report();
}
std::uint64_t Engine::lost_messages() const {
  return impl_->losses().lost();
}

std::string Engine::unstable() const {
  return impl_->losses().unstable();
}
std::uint64_t Engine::returned_messages() const {
  return impl_->losses().returned();
}

std::string Engine::loss_report() const {
  return impl_->loss_report();
}

std::string Engine::activity_report() const {
  return impl_->activity_report();
}

HostUse Engine::host_use() const {
  return impl_->host_use();
}

std::vector<SimTime> Engine::Impl::run(const std::function<void(SimTime)>& all_ended) {
  try {
    return run_all(all_ended);
  } catch (const TimePastEnd& refused) {
    throw Error(describe_past_end(refused.what(), events_.now(), ranks_, requests_.all(), contexts_));
  }
}

std::vector<SimTime> Engine::Impl::run_all(const std::function<void(SimTime)>& all_ended) {
  if (source_.ranks() != ranks_.size())
    throw Error(
        fmt::format("the machine is made for {} ranks, the program has {}", ranks_.size(), source_.ranks()));
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    const Rank rank{static_cast<std::int32_t>(i)};
    ranks_[i].phase = RankState::Phase::absent;
    if (source_.runs_at_start(rank))
      begin_at_start(rank);
    else if (i < machine_.program_ranks)
      machine_.places_later = true;
  }
  while (ended_ < started_) {
    if (!clock_.lets_next_event_happen()) continue;
    // With upkeep as the horizon ranks may still compute, poll, or wait for a poll's answer, beyond it.
    if (clock_.nobody_acts() &&
        (events_.idle() || (machine_.background && only_background_goes_on(machine_))))
      throw deadlock();
    events_.handle_next();
  }
  SimTime last_exit;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    const Rank rank{static_cast<std::int32_t>(i)};
    if (source_.is_service(rank))
      end_early(rank);
    else
      last_exit = std::max(last_exit, ranks_[i].clock);
  }
  finish_network(machine_, last_exit, all_ended);
  std::vector<SimTime> exits;
  for (const RankState& state : ranks_) exits.push_back(state.clock);
  return exits;
}

void Engine::Impl::handle(std::uint64_t what) {
  if (what >= begin_event) return begin(Rank{static_cast<std::int32_t>(what - begin_event)});
  if (what >= post_event) return post_receive(Rank{static_cast<std::int32_t>(what - post_event)});
  const Rank rank{static_cast<std::int32_t>(what)};
  RankState& state = ranks_[index(rank)];
  if (state.phase != RankState::Phase::scheduled) return;  // it was killed meanwhile
  if (processors_.are_shared() && !processors_.has(rank)) {
    state.start_is_due = true;
    return;
  }
  const SimTime interrupted = state.interrupted;
  processors_.look_at_interface(rank);
  if (state.interrupted > SimTime()) {
    const auto number = static_cast<std::uint32_t>(what);
    const SimTime begin = state.begin_of_next();
    // What its call has found at the interface is done before it goes on.
    if (state.interrupted > interrupted) return events_.schedule(begin, *this, number);
    if (begin > events_.now()) return events_.schedule_operation(begin, number, *this, number);
  }
  start(rank);
  if (processors_.are_shared()) processors_.leave_if_idle(rank);
}

void Engine::Impl::begin_at_start(Rank rank) {
  if (!source_.is_service(rank)) ++started_;
  const SimTime start = source_.starts_at(rank);
  if (start == SimTime()) return begin(rank);
  ranks_[index(rank)].clock = start;
  events_.schedule(start, *this, begin_event + index(rank));
}

/// It is counted among those that have started.
void Engine::Impl::begin(Rank rank) {
  processors_.give(rank);
  clock_.fetch(rank);
}

/// Whatever it is doing.
void Engine::Impl::end_early(Rank rank) {
  RankState& state = ranks_[index(rank)];
  if (state.phase == RankState::Phase::ended || state.phase == RankState::Phase::absent) return;
  clock_.forget(rank);
  // What it waits for may still come, and then nobody waits.
  for (const std::uint32_t slot : state.awaited) requests_[slot].awaited = false;
  copies_.give_up(rank);
  state.working = false;
  const SimTime at = std::max(events_.now(), state.clock);  // its last operation may last until later
  Operation last;
  last.kind = OperationKind::exit;
  // What the kernel has still to do is not told apart from computing: a replay ends the rank at the same
  // time.
  last.elapsed = at - state.clock;
  for (OperationObserver* observer : observers_) observer->operation_ended(rank, last, at, at, {});
  state.clock = at;
  rank_ended(rank);
}

void Engine::Impl::rank_ended(Rank rank) {
  ranks_[index(rank)].phase = RankState::Phase::ended;
  processors_.take_back(rank);
  processors_.look_without(rank);
  if (!source_.is_service(rank)) ++ended_;
}

}  // namespace morgana
