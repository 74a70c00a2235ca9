#include "pvmshim/clock/live_rank.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "emulator/operations/unknown_time.h"
#include "pvmshim/clock/program_timers.h"
#include "pvmshim/clock/rank_waits.h"
#include "pvmshim/clock/side_by_side.h"
#include "pvmshim/clock/time_of_day.h"
#include "pvmshim/clock/timed_wait.h"

namespace morgana {

std::atomic<LiveRank*> LiveRank::active_{nullptr};

LiveRank::LiveRank(const std::string& path, Rank rank, bool begins_later)
    : channel_(path, rank), unanswered_(begins_later || channel_.resumed()) {}

void LiveRank::become_active(LiveRank& rank) {
  // A forked child is no rank: its parent's channel must not hear of it.
  pthread_atfork(nullptr, nullptr, [] { active_.store(nullptr); });
  // The calling thread is the program's first one, unless that has created others; the shim's own are none.
  static_cast<void>(ProgramThreads::own());
  rank.channel_.leave();
  const bool is_later = rank.unanswered_ && real_clocks_were_read();
  start_clocks(rank.settings(), is_later ? rank.read_clock(Call::clock_gettime) : SimTime());
  active_.store(&rank, std::memory_order_release);
}

bool LiveRank::try_enter() {
  std::thread::id nobody;
  if (!visitor_.compare_exchange_strong(nobody, std::this_thread::get_id(), std::memory_order_acquire))
    return false;
  depth_ = 1;
  channel_.enter();
  return true;
}

void LiveRank::begin_visit() {
  ProgramThread* const self = ProgramThreads::known_self();
  if (self != nullptr && self->seems_to_wait()) leave_abandoned_wait();
  enter();
}

void LiveRank::enter() {
  if (visitor_.load(std::memory_order_relaxed) == std::this_thread::get_id()) {
    ++depth_;
    return;
  }
  if (ThreadTurns* turns = turns_.load(std::memory_order_acquire)) return enter_in_turn(*turns);
  while (!try_enter()) sched_yield();  // another thread reads the clock, which takes no microsecond
  is_in_call_.store(true, std::memory_order_relaxed);
}

/// As try_enter(), and waits for a thread that only reads the clock. @return false while one is in a call, or
/// in a handler of a signal that has interrupted the reading
bool LiveRank::enter_to_read() {
  constexpr int patience = 10'000;
  for (int tried = 0; tried < patience; ++tried) {
    if (try_enter()) return true;
    if (is_in_call_.load(std::memory_order_relaxed) || is_visited_by_caller()) return false;
    sched_yield();
  }
  return false;
}

/// Timers of the program whose time the call has passed expire when it ends.
void LiveRank::leave() {
  if (depth_ > 1) {
    --depth_;
    return;
  }
  visits_.store(visits() + 1, std::memory_order_relaxed);
  if (ThreadTurns* turns = turns_.load(std::memory_order_acquire)) return leave_in_turn(*turns);
  ProgramTimers& timers = ProgramTimers::own();
  if (!timers.any()) return release();
  const SimTime now = now_within(Call::unknown);
  const bool any_is_due = now >= timers.first();
  ProgramThread* const self = ProgramThreads::known_self();
  if (any_is_due && self != nullptr) self->lets_expire_until_ps = now.ps();
  release();
  if (any_is_due) timers.expire_until(now);
}

void LiveRank::release() {
  depth_ = 0;
  is_in_call_.store(false, std::memory_order_relaxed);
  channel_.leave();
  visitor_.store(std::thread::id(), std::memory_order_release);
}

class LiveRank::QuietVisit {
 public:
  explicit QuietVisit(LiveRank& rank) : rank_(rank) { rank_.enter(); }
  ~QuietVisit() {
    if (rank_.depth_ > 1 || rank_.threads_take_turns()) {
      rank_.leave();
      return;
    }
    rank_.visits_.store(rank_.visits() + 1, std::memory_order_relaxed);
    rank_.release();
  }
  QuietVisit(const QuietVisit&) = delete;
  QuietVisit& operator=(const QuietVisit&) = delete;

 private:
  WithoutHandlers without_handlers_;
  LiveRank& rank_;
};

SimTime LiveRank::elapsed() const {
  return simulated(channel_.computed_since_post(), settings()) + ticks_ + ahead_;
}

void LiveRank::post(Operation& operation) {
  assert(depth_ > 0 && !exited_);
  if (blocks_other_threads(operation)) return wait_in_turn(operation);
  if (begin_wait(operation)) return;
  post_to_channel(operation);
}

void LiveRank::post_to_channel(Operation& operation) {
  leave_out_what_has_come(operation);
  if (outstanding_) await();
  operation.elapsed = elapsed();
  operation.polled = polled_;
  ticks_ = polled_ = ahead_ = SimTime();
  failed_ = 0;
  unanswered_ = true;
  outstanding_ = operation.wants_answer;
  channel_.post(operation);
}

const Answer& LiveRank::ask(Operation& operation) {
  if (const Answer* answer = find_come(operation)) return *answer;
  return ask_emulator(operation);
}

bool LiveRank::FailedPoll::asks_the_same(const Operation& other) const {
  return poll.kind == other.kind && poll.call == other.call && poll.context == other.context &&
         poll.peer == other.peer && poll.tag == other.tag && poll.completion == other.completion &&
         poll.requests == other.requests;
}

const Answer* LiveRank::find_quiet(const Operation& poll) {
  for (std::size_t i = 0; i < failed_; ++i) {
    const FailedPoll& one = failed_polls_[i];
    if (!one.asks_the_same(poll)) continue;
    const SimTime now = clock_ + elapsed();
    if (now >= one.answer.quiet_until && !others_let_it_go_on(channel_, one.answer, now)) return nullptr;
    ticks_ += one.cost + std::exchange(ahead_, SimTime());  // the next thread's call comes later
    polled_ += one.cost;
    channel_.show_reached(clock_ + elapsed());
    return &one.answer;
  }
  return nullptr;
}

void LiveRank::keep_failed(const Operation& poll, SimTime cost) {
  std::size_t place = 0;
  while (place < failed_ && !failed_polls_[place].asks_the_same(poll)) ++place;
  constexpr std::size_t without_turns = 4;
  const std::size_t most = threads_take_turns() ? failed_polls_.size() : without_turns;
  if (place == most) place = replaced_++ % most;
  failed_ = std::max(failed_, place + 1);
  failed_polls_[place] = {poll, answer_, cost};
}

const Answer& LiveRank::poll(Operation& operation) {
  ThreadTurns* const turns = turns_.load(std::memory_order_acquire);
  const bool has_turn =
      turns != nullptr && visitor_.load(std::memory_order_relaxed) == std::this_thread::get_id();
  const Answer* nothing_found = find_quiet(operation);
  if (nothing_found == nullptr) {
    if (const Answer* answer = find_come(operation)) return *answer;
    if (!come_.completed.empty()) nothing_found = find_quiet(operation);
  }
  if (nothing_found != nullptr) {
    if (has_turn) turns->has_polled_in_vain(nothing_found->news, true);
    return *nothing_found;
  }
  const bool cost_is_known = !unanswered_;
  const SimTime begin = clock_ + elapsed();
  const std::size_t failed_before = failed_;
  // Others may go on to poll meanwhile, and this one's answer waits until they have come as far. (Where
  // threads take turns the answer may come from one of them, and the next call lie before this one.)
  if (cost_is_known && turns == nullptr) channel_.show_reached(begin);
  const Answer& answer = ask_emulator(operation);  // forgets all
  if (cost_is_known && answer.completed.empty() && answer.clock > begin) {
    failed_ = failed_before;  // it has changed nothing
    keep_failed(operation, answer.clock - begin);
    if (has_turn) turns->has_polled_in_vain(answer.news, false);
  }
  return answer;
}

const Answer& LiveRank::await() {
  if (const Answer* answer = finish_wait()) return *answer;
  if (!outstanding_) return answer_;
  channel_.await(answer_);
  outstanding_ = false;
  if (answer_.clock != unknown_time) {
    clock_ = answer_.clock;
    unanswered_ = false;
    channel_.show_reached(clock_);
  }
  return answer_;
}

/// The shim's own threads have no clock.
std::optional<SimTime> LiveRank::clock_of_caller(ThreadTurns& turns) {
  if (ProgramThreads::known_self() == nullptr) return std::nullopt;
  return turns.now();
}

void LiveRank::exit(Operation& operation) {
  if (unanswered_) now_within(operation.call);
  clock_ += elapsed();  // the sum of compute time starts again with the last operation
  post(operation);
  unanswered_ = false;
  exited_ = true;
  channel_.finished();
  if (threads_take_turns()) RankWaits::own().turns_are_over(*this);
}

void LiveRank::pass_on(bool passed_on) {
  if (passed_on) enter();
  channel_.pass_on(passed_on);
  if (!passed_on) leave();
}

void LiveRank::sleep(Call call, SimTime duration) {
  if (ThreadTurns* turns = turns_.load(std::memory_order_acquire); turns != nullptr && !exited_)
    return turns->pass(duration);
  const QuietVisit visit(*this);
  if (exited_) {
    clock_ += duration;
    return;
  }
  Operation operation;
  operation.kind = OperationKind::sleep;
  operation.call = call;
  operation.duration = duration;
  post(operation);
}

void LiveRank::sleep_until(Call call, SimTime until) {
  if (ThreadTurns* turns = turns_.load(std::memory_order_acquire); turns != nullptr && !exited_)
    return turns->pass(std::max(SimTime(), until - turns->now()));
  const QuietVisit visit(*this);
  const SimTime now = now_within(call);
  if (until > now) sleep(call, until - now);
}

std::optional<SimTime> LiveRank::known_clock() {
  if (ThreadTurns* turns = turns_.load(std::memory_order_acquire)) return clock_of_caller(*turns);
  const WithoutHandlers without_handlers;
  std::thread::id nobody;
  if (!visitor_.compare_exchange_strong(nobody, std::this_thread::get_id(), std::memory_order_acquire))
    return std::nullopt;
  std::optional<SimTime> now;
  if (!unanswered_ && (settings().processors_are_shared == 0 || exited_))
    now = clock_ + simulated(channel_.computed_by_now(), settings()) + ticks_;
  visitor_.store(std::thread::id(), std::memory_order_release);
  return now;
}

std::optional<SimTime> LiveRank::look_at_clock(Call call) {
  if (ThreadTurns* turns = turns_.load(std::memory_order_acquire)) return clock_of_caller(*turns);
  const WithoutHandlers without_handlers;
  if (const auto known = known_clock()) return known;
  if (!enter_to_read()) return std::nullopt;
  const SimTime now = now_within(call);
  channel_.show_reached(now);
  // One less, as nobody has been shown it yet: a first reading does not have to tick.
  latest_ps_.store(std::max(now.ps() - 1, latest_ps_.load(std::memory_order_relaxed)),
                   std::memory_order_relaxed);
  release();
  return now;
}

SimTime LiveRank::now_within(Call call) {
  if (unanswered_ || (settings().processors_are_shared != 0 && !exited_)) {
    Operation read;
    read.kind = OperationKind::read_clock;
    read.call = call;
    ask(read);
  }
  return clock_ + elapsed();
}

/// Without a visit, so that a loop on the clock computes for all the time that it takes.
std::optional<SimTime> LiveRank::read_in_passing() {
  std::thread::id nobody;
  if (!visitor_.compare_exchange_strong(nobody, std::this_thread::get_id(), std::memory_order_acquire))
    return std::nullopt;
  std::optional<SimTime> now;
  if (!unanswered_ && settings().processors_are_shared == 0) {
    if (const auto computed = channel_.computed_in_passing()) {
      now = clock_ + simulated(*computed, settings()) + ticks_;
      channel_.show_reached(*now);
      latest_ps_.store(now->ps(), std::memory_order_relaxed);
    }
  }
  visitor_.store(std::thread::id(), std::memory_order_release);
  return now;
}

SimTime LiveRank::read_clock(Call call) {
  if (ThreadTurns* turns = turns_.load(std::memory_order_acquire)) return read_own_clock(*turns);
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
  if (!enter_to_read()) return SimTime::from_ps(latest_ps_.load(std::memory_order_relaxed));
  SimTime now = now_within(call);
  if (settings().compute == ComputeMode::none && now.ps() <= latest_ps_.load(std::memory_order_relaxed)) {
    const SimTime tick = SimTime::from_ps(settings().clock_tick_ps);
    ticks_ += tick;
    now += tick;
  }
  channel_.show_reached(now);  // a loop on the clock lets others go on
  latest_ps_.store(now.ps(), std::memory_order_relaxed);
  release();
  return now;
}

}  // namespace morgana
