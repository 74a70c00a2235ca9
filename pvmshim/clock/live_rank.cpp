#include "pvmshim/clock/live_rank.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>

#include "pvmshim/clock/program_timers.h"
#include "pvmshim/clock/rank_waits.h"
#include "pvmshim/clock/time_of_day.h"
#include "pvmshim/clock/timed_wait.h"

namespace morgana {

std::atomic<LiveRank*> LiveRank::active_{nullptr};

LiveRank::LiveRank(const std::string& path, Rank rank, bool begins_later)
    : stream_(path, rank, begins_later) {}

void LiveRank::become_active(LiveRank& rank) {
  // A forked child is no rank: its parent's channel must not hear of it.
  pthread_atfork(nullptr, nullptr, [] { active_.store(nullptr); });
  // The calling thread is the program's first one, unless that has created others; the shim's own are none.
  static_cast<void>(ProgramThreads::own());
  rank.channel().leave();
  const bool is_later = !rank.stream_.is_clock_known() && real_clocks_were_read();
  start_clocks(rank.settings(), is_later ? rank.read_clock(Call::clock_gettime) : SimTime());
  active_.store(&rank, std::memory_order_release);
}

bool LiveRank::try_enter() {
  if (!visitor_.try_become()) return false;
  visitor_.set_depth(1);
  channel().enter();
  return true;
}

void LiveRank::begin_visit() {
  ProgramThread* const self = ProgramThreads::known_self();
  if (self != nullptr && self->seems_to_wait()) leave_abandoned_wait();
  enter();
}

void LiveRank::enter() {
  if (visitor_.is_caller()) return visitor_.set_depth(depth() + 1);
  if (threads_take_turns()) return calls_.enter();
  while (!try_enter()) sched_yield();  // another thread reads the clock, which takes no microsecond
  visitor_.set_in_call(true);
}

/// As try_enter(), and waits for a thread that only reads the clock. @return false while one is in a call, or
/// in a handler of a signal that has interrupted the reading
bool LiveRank::enter_to_read() {
  constexpr int patience = 10'000;
  for (int tried = 0; tried < patience; ++tried) {
    if (try_enter()) return true;
    if (is_in_call() || is_visited_by_caller()) return false;
    sched_yield();
  }
  return false;
}

/// Timers of the program whose time the call has passed expire when it ends.
void LiveRank::leave() {
  if (depth() > 1) return visitor_.set_depth(depth() - 1);
  visitor_.count_visit();
  if (threads_take_turns()) return calls_.leave();
  ProgramTimers& timers = ProgramTimers::own();
  if (!timers.any()) return release();
  const SimTime now = calls_.now(Call::unknown);
  const bool any_is_due = now >= timers.first();
  ProgramThread* const self = ProgramThreads::known_self();
  if (any_is_due && self != nullptr) self->lets_expire_until_ps = now.ps();
  release();
  if (any_is_due) timers.expire_until(now);
}

void LiveRank::release() {
  visitor_.set_depth(0);
  visitor_.set_in_call(false);
  channel().leave();
  visitor_.leave();
}

class LiveRank::QuietVisit {
 public:
  explicit QuietVisit(LiveRank& rank) : rank_(rank) { rank_.enter(); }
  ~QuietVisit() {
    if (rank_.depth() > 1 || rank_.threads_take_turns()) {
      rank_.leave();
      return;
    }
    rank_.visitor_.count_visit();
    rank_.release();
  }
  QuietVisit(const QuietVisit&) = delete;
  QuietVisit& operator=(const QuietVisit&) = delete;

 private:
  WithoutHandlers without_handlers_;
  LiveRank& rank_;
};

/// The shim's own threads have no clock.
std::optional<SimTime> LiveRank::clock_of_caller() const {
  if (ProgramThreads::known_self() == nullptr) return std::nullopt;
  return turns()->now();
}

void LiveRank::exit(Operation& operation) {
  if (!stream_.is_clock_known()) calls_.now(operation.call);
  stream_.settle();
  post(operation);
  stream_.finish();
  if (threads_take_turns()) RankWaits::own().turns_are_over(*this);
}

void LiveRank::pass_on(bool passed_on) {
  if (passed_on) enter();
  channel().pass_on(passed_on);
  if (!passed_on) leave();
}

void LiveRank::sleep(Call call, SimTime duration) {
  if (threads_take_turns() && !is_over()) return turns()->pass(duration);
  const QuietVisit visit(*this);
  if (is_over()) return stream_.sleep_on(duration);
  Operation operation;
  operation.kind = OperationKind::sleep;
  operation.call = call;
  operation.duration = duration;
  post(operation);
}

void LiveRank::sleep_until(Call call, SimTime until) {
  if (threads_take_turns() && !is_over()) return turns()->pass(std::max(SimTime(), until - turns()->now()));
  const QuietVisit visit(*this);
  const SimTime now = calls_.now(call);
  if (until > now) sleep(call, until - now);
}

std::optional<SimTime> LiveRank::known_clock() {
  if (threads_take_turns()) return clock_of_caller();
  const WithoutHandlers without_handlers;
  if (!visitor_.try_become()) return std::nullopt;
  std::optional<SimTime> now;
  if (stream_.is_clock_known() && (settings().processors_are_shared == 0 || is_over()))
    now = stream_.now_while_computing();
  visitor_.leave();
  return now;
}

std::optional<SimTime> LiveRank::look_at_clock(Call call) {
  if (threads_take_turns()) return clock_of_caller();
  const WithoutHandlers without_handlers;
  if (const auto known = known_clock()) return known;
  if (!enter_to_read()) return std::nullopt;
  const SimTime now = calls_.now(call);
  stream_.show(now);
  // One less, as nobody has been shown it yet: a first reading does not have to tick.
  latest_ps_.store(std::max(now.ps() - 1, latest_ps_.load(std::memory_order_relaxed)),
                   std::memory_order_relaxed);
  release();
  return now;
}

/// Without a visit, so that a loop on the clock computes for all the time that it takes.
std::optional<SimTime> LiveRank::read_in_passing() {
  if (!visitor_.try_become()) return std::nullopt;
  std::optional<SimTime> now;
  if (stream_.is_clock_known() && settings().processors_are_shared == 0) {
    now = stream_.now_in_passing();
    if (now) show_to_program(*now);
  }
  visitor_.leave();
  return now;
}

SimTime LiveRank::read_clock(Call call) {
  if (threads_take_turns()) return calls_.read_clock();
  const SimTime now = [&] {
    const WithoutHandlers without_handlers;
    return read_in_call(call);
  }();
  ProgramTimers& timers = ProgramTimers::own();
  if (now >= timers.first()) timers.expire_in_passing(now);
  return now;
}

SimTime LiveRank::read_in_call(Call call) {
  if (settings().compute == ComputeMode::measured)
    if (const auto now = read_in_passing()) return *now;
  // Within a visit, or while another thread is in one:
  if (!enter_to_read()) return latest();
  SimTime now = calls_.now(call);
  if (settings().compute == ComputeMode::none && now <= latest()) {
    const SimTime tick = SimTime::from_ps(settings().clock_tick_ps);
    stream_.tick(tick);
    now += tick;
  }
  show_to_program(now);
  release();
  return now;
}

/// A loop on the clock lets others go on.
void LiveRank::show_to_program(SimTime now) {
  stream_.show(now);
  latest_ps_.store(now.ps(), std::memory_order_relaxed);
}

void LiveRank::let_threads_call() {
  threads_may_call_ = true;
  bool are_there = false;
  {
    ProgramThreads& threads = ProgramThreads::own();
    const ThreadsLock lock(threads);
    are_there = threads.all().size() > 1;
  }
  if (are_there) begin_turns();
}

void LiveRank::thread_comes() {
  if (threads_may_call_ && !threads_take_turns()) begin_turns();
}

void LiveRank::begin_turns() {
  const Visit visit(*this);
  if (!is_over()) calls_.begin_turns();
}

}  // namespace morgana
