#include "pvmshim/clock/live_rank.h"

#include <pthread.h>
#include <sched.h>

#include <cassert>

#include "pvmshim/clock/side_by_side.h"

namespace morgana {

std::atomic<LiveRank*> LiveRank::active_{nullptr};

LiveRank::LiveRank(const std::string& path, Rank rank)
    : channel_(path, rank), main_thread_(std::this_thread::get_id()), unanswered_(channel_.resumed()) {}

void LiveRank::become_active(LiveRank& rank) {
  // A forked child is no rank: its parent's channel must not hear of it.
  pthread_atfork(nullptr, nullptr, [] { active_.store(nullptr); });
  rank.channel_.leave();
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

void LiveRank::enter() {
  if (visitor_.load(std::memory_order_relaxed) == std::this_thread::get_id()) {
    ++depth_;
    return;
  }
  while (!try_enter()) sched_yield();  // another thread reads the clock, which takes no microsecond
}

void LiveRank::leave() {
  if (--depth_ > 0) return;
  channel_.leave();
  visitor_.store(std::thread::id(), std::memory_order_release);
}

SimTime LiveRank::elapsed() const {
  return simulated(channel_.computed_since_post(), settings()) + ticks_;
}

void LiveRank::post(Operation& operation) {
  assert(depth_ > 0 && !exited_);
  if (outstanding_) await();
  operation.elapsed = elapsed();
  operation.polled = polled_;
  ticks_ = polled_ = poll_cost_ = SimTime();
  unanswered_ = true;
  outstanding_ = operation.wants_answer;
  channel_.post(operation);
}

const Answer& LiveRank::ask(Operation& operation) {
  operation.wants_answer = true;
  post(operation);
  return await();
}

bool LiveRank::is_still_quiet(const Operation& poll) {
  if (poll_cost_ == SimTime()) return false;
  const Operation& last = last_poll_;
  const bool same = poll.kind == last.kind && poll.call == last.call && poll.context == last.context &&
                    poll.peer == last.peer && poll.tag == last.tag && poll.completion == last.completion &&
                    poll.requests == last.requests;
  if (!same) return false;
  const SimTime now = clock_ + elapsed();
  return now < answer_.quiet_until || others_let_it_go_on(channel_, answer_, now);
}

const Answer& LiveRank::poll(Operation& operation) {
  if (is_still_quiet(operation)) {
    ticks_ += poll_cost_;
    polled_ += poll_cost_;
    channel_.show_reached(clock_ + elapsed());
    return answer_;  // which found nothing, either
  }
  const bool cost_is_known = !unanswered_;
  const SimTime begin = clock_ + elapsed();
  const Answer& answer = ask(operation);
  if (cost_is_known && answer.completed.empty()) {
    poll_cost_ = answer.clock - begin;
    last_poll_ = operation;
  }
  return answer;
}

const Answer& LiveRank::await() {
  if (!outstanding_) return answer_;
  channel_.await(answer_);
  outstanding_ = false;
  clock_ = answer_.clock;
  unanswered_ = false;
  channel_.show_reached(clock_);
  return answer_;
}

void LiveRank::exit(Operation& operation) {
  if (unanswered_) now_within(operation.call);
  clock_ += elapsed();  // the sum of compute time starts again with the last operation
  post(operation);
  unanswered_ = false;
  exited_ = true;
  channel_.finished();
}

void LiveRank::pass_on(bool passed_on) {
  if (passed_on) enter();
  channel_.pass_on(passed_on);
  if (!passed_on) leave();
}

void LiveRank::sleep(Call call, SimTime duration) {
  const Visit visit(*this);
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

SimTime LiveRank::now_within(Call call) {
  if (unanswered_ || (settings().processors_are_shared != 0 && !exited_)) {
    Operation read;
    read.kind = OperationKind::read_clock;
    read.call = call;
    ask(read);
  }
  return clock_ + elapsed();
}

SimTime LiveRank::read_clock(Call call) {
  if (!try_enter()) return SimTime::from_ps(latest_ps_.load(std::memory_order_relaxed));
  SimTime now = now_within(call);
  if (settings().compute == ComputeMode::none && now.ps() <= latest_ps_.load(std::memory_order_relaxed)) {
    const SimTime tick = SimTime::from_ps(settings().clock_tick_ps);
    ticks_ += tick;
    now += tick;
  }
  channel_.show_reached(now);  // a loop on the clock lets others go on
  latest_ps_.store(now.ps(), std::memory_order_relaxed);
  leave();
  return now;
}

}  // namespace morgana
