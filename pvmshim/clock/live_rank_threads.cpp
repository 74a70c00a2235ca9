// A rank whose threads may call at once.

#include <algorithm>
#include <string>

#include "emulator/core/error.h"
#include "emulator/operations/unknown_time.h"
#include "pvmshim/channel/announced_end.h"
#include "pvmshim/clock/live_rank.h"
#include "pvmshim/clock/program_timers.h"

namespace morgana {
namespace {

/// Whether an operation of this kind that finds nothing leaves everything as it is.
bool only_looks(OperationKind kind) {
  return kind == OperationKind::wait || kind == OperationKind::probe || kind == OperationKind::test_probe ||
         kind == OperationKind::sleep;
}

}  // namespace

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

/// From now on the channel takes the program to be in the shim: how far its threads have come is shown to it.
void LiveRank::begin_turns() {
  const Visit visit(*this);
  if (exited_) return;
  Operation read;
  read.kind = OperationKind::read_clock;
  const SimTime now = ask(read).clock;
  turns_.store(new ThreadTurns(ProgramThreads::own(), *this, settings(), now), std::memory_order_release);
}

void LiveRank::enter_in_turn(ThreadTurns& turns) {
  const SimTime begin = turns.take();
  visitor_.store(std::this_thread::get_id(), std::memory_order_relaxed);
  depth_ = 1;
  ahead_ = std::max(SimTime(), begin - clock_ - ticks_);
}

void LiveRank::leave_in_turn(ThreadTurns& turns) {
  if (unanswered_ && !outstanding_) turns.look_as_call_ends();  // then it has asked for the end, too
  const SimTime end = now_within(Call::unknown);                // which may ask for it
  depth_ = 0;
  visitor_.store(std::thread::id(), std::memory_order_relaxed);
  ahead_ = SimTime();
  ProgramTimers& timers = ProgramTimers::own();
  const bool any_is_due = end >= timers.first() && !ProgramThreads::own().has_several();
  if (any_is_due) ProgramThreads::own().self().lets_expire_until_ps = end.ps();
  turns.give_back(end);
  if (any_is_due) timers.expire_in_passing(end);
}

/// Timers of the program that the calling thread has come to: alone as without turns, else once nobody can do
/// anything before. (With ComputeMode::measured ThreadTurns lets them expire then.)
void LiveRank::let_timers_expire(ThreadTurns& turns, SimTime now) {
  ProgramTimers& timers = ProgramTimers::own();
  while (now >= timers.first() && !timers.is_within_handler()) {
    if (!ProgramThreads::own().has_several()) return timers.expire_in_passing(now);
    const SimTime deadline = timers.first();
    if (settings().compute != ComputeMode::none || deadline > now || !turns.come_to(deadline)) return;
    timers.expire_in_passing(deadline);
  }
}

/// @return how many visits it has been in
int LiveRank::go_away() {
  const int depth = depth_;
  if (ThreadTurns* const turns = turns_.load(std::memory_order_acquire)) leave_in_turn(*turns);
  return depth;
}

/// Time passes, so that others come first whose calls are of the same time.
void LiveRank::come_back(int depth) {
  ThreadTurns* const turns = turns_.load(std::memory_order_acquire);
  if (turns == nullptr) return;
  turns->pass(SimTime::from_ps(settings().clock_tick_ps));
  enter_in_turn(*turns);
  depth_ = depth;
}

/// Whether the emulator would hold the whole rank in this operation until others act, and nobody wants to
/// hear of its end: a wait for a rendezvous send, say, or for this rank's part of a reduction. With one
/// thread that is what the call does.
bool LiveRank::blocks_other_threads(const Operation& operation) const {
  return threads_take_turns() && operation.kind == OperationKind::wait && !operation.wants_answer &&
         visitor_.load(std::memory_order_relaxed) == std::this_thread::get_id();
}

/// The end of such a wait may depend on what the rank's other threads do: so its thread alone waits, unless
/// the wait is over at once, as that for an eager send is.
void LiveRank::wait_in_turn(Operation& operation) {
  constexpr SimTime moment = SimTime::from_ps(1);
  operation.wants_answer = true;
  operation.duration = moment;
  post_to_channel(operation);
  const Answer* end = &await();
  if (end->completed.size() < operation.requests.size()) {
    operation.duration = SimTime();
    begin_wait(operation);
    end = finish_wait();
  }
  for (const Completed& completed : end->completed)
    if (completed.outcome != Outcome::delivered)
      throw Error(std::string(name_of(operation.call))
                      .append(" has had an error that came too late for an error handler: ")
                      .append(describe_returned(completed.outcome)));
}

/// In turns a wait is that of one thread. @return whether `operation` is one, and has begun
bool LiveRank::begin_wait(const Operation& operation) {
  ThreadTurns* const turns = turns_.load(std::memory_order_acquire);
  const bool waits = operation.wants_answer &&
                     (operation.kind == OperationKind::wait || operation.kind == OperationKind::probe);
  if (turns == nullptr || !waits || visitor_.load(std::memory_order_relaxed) != std::this_thread::get_id())
    return false;
  ProgramThreads::own().self().depth = depth_;
  visitor_.store(std::thread::id(), std::memory_order_relaxed);
  turns->begin_wait(operation);
  return true;
}

/// @return its answer; null if the calling thread has begun no wait
const Answer* LiveRank::finish_wait() {
  ThreadTurns* const turns = turns_.load(std::memory_order_acquire);
  if (turns == nullptr || !turns->has_begun_wait()) return nullptr;
  const Answer& answer = turns->finish_wait();
  visitor_.store(std::this_thread::get_id(), std::memory_order_relaxed);
  depth_ = ProgramThreads::own().self().depth;
  ahead_ = SimTime();
  return &answer;
}

/// What has completed in another thread's wait is left out of a test: the emulator knows it no more.
/// @return the answer if that is enough of it; else null: the emulator has to be asked for the rest
const Answer* LiveRank::find_come(Operation& operation) {
  come_.completed.clear();
  ThreadTurns* const turns = turns_.load(std::memory_order_acquire);
  if (turns == nullptr || operation.kind != OperationKind::test) return nullptr;
  come_.completed = turns->take_come(operation);
  const bool needs_rest = operation.completion == Completion::all && !operation.requests.empty();
  if (come_.completed.empty() || needs_rest) return nullptr;
  come_.clock = reached();
  return &come_;
}

/// About what find_come() has left of it. An answer that is not empty has the others, too.
const Answer& LiveRank::ask_emulator(Operation& operation) {
  operation.wants_answer = true;
  post(operation);
  const Answer& answer = await();
  if (operation.kind == OperationKind::test && !answer_.completed.empty())
    answer_.completed.insert(answer_.completed.end(), come_.completed.begin(), come_.completed.end());
  return answer;
}

/// It can't be cancelled any more.
void LiveRank::leave_out_what_has_come(Operation& operation) {
  ThreadTurns* const turns = turns_.load(std::memory_order_acquire);
  if (turns != nullptr && operation.kind == OperationKind::cancel && turns->has_come(operation.request))
    operation.kind = OperationKind::nothing;
}

SimTime LiveRank::read_own_clock(ThreadTurns& turns) {
  const bool in_call = visitor_.load(std::memory_order_relaxed) == std::this_thread::get_id();
  if (in_call) return clock_ + elapsed();
  if (settings().compute == ComputeMode::none) turns.pass(SimTime::from_ps(settings().clock_tick_ps));
  const SimTime now = turns.now();
  if (now >= ProgramTimers::own().first()) let_timers_expire(turns, now);
  return now;
}

SimTime LiveRank::reached() {
  if (unanswered_) {
    Operation read;
    read.kind = OperationKind::read_clock;
    carry_out(read);
  }
  return clock_ + elapsed();
}

/// Where threads take turns nothing goes on without its time.
void LiveRank::await_clock() {
  Operation read;
  read.kind = OperationKind::read_clock;
  read.wants_answer = true;
  channel_.post(read);
  Answer now;
  channel_.await(now);
  answer_.clock = now.clock;
}

const Answer& LiveRank::carry_out(Operation& operation) {
  operation.wants_answer = true;
  operation.elapsed = elapsed();
  operation.polled = polled_;
  const SimTime begin = clock_ + operation.elapsed;
  const bool begin_is_known = !unanswered_;
  const std::size_t failed_before = std::exchange(failed_, 0);
  ticks_ = polled_ = ahead_ = SimTime();
  channel_.post(operation);
  channel_.await(answer_);
  if (answer_.clock == unknown_time) await_clock();
  clock_ = answer_.clock;
  unanswered_ = false;
  if (!answer_.completed.empty() || !only_looks(operation.kind)) return answer_;
  failed_ = failed_before;  // it has changed nothing
  if (operation.kind == OperationKind::test_probe && begin_is_known && clock_ > begin)
    keep_failed(operation, clock_ - begin);
  return answer_;
}

void LiveRank::let_pass(SimTime time) {
  ticks_ += time;
  polled_ += time;
  channel_.show_reached(clock_ + elapsed());
}

std::optional<RankInTurns::Quiet> LiveRank::quiet() {
  std::optional<Quiet> longest;
  for (std::size_t i = 0; i < failed_; ++i) {
    const Answer& answer = failed_polls_[i].answer;
    const SimTime until = channel_.quiet(answer).until;
    if (!longest || until > longest->until) longest = {answer.news, until};
  }
  return longest;
}

}  // namespace morgana
