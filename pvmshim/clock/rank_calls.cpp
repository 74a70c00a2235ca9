#include "pvmshim/clock/rank_calls.h"

#include <algorithm>
#include <cassert>
#include <string>
#include <vector>

#include "emulator/core/error.h"
#include "pvmshim/channel/announced_end.h"
#include "pvmshim/clock/program_threads.h"
#include "pvmshim/clock/program_timers.h"

namespace morgana {

void RankCalls::post(Operation& operation) {
  assert(visitor_.depth() > 0 && !stream_.has_exited());
  if (blocks_other_threads(operation)) return wait_in_turn(operation);
  if (begin_wait(operation)) return;
  post_to_channel(operation);
}

void RankCalls::post_to_channel(Operation& operation) {
  leave_out_what_has_come(operation);
  if (stream_.is_answer_outstanding()) await();
  stream_.post(operation);
}

const Answer& RankCalls::ask(Operation& operation) {
  if (const Answer* answer = find_come(operation)) return *answer;
  return ask_emulator(operation);
}

/// About what find_come() has left of it. An answer that is not empty has the others, too.
const Answer& RankCalls::ask_emulator(Operation& operation) {
  operation.wants_answer = true;
  post(operation);
  const Answer& answer = await();
  std::vector<Completed>& completed = stream_.latest_answer().completed;
  if (operation.kind == OperationKind::test && !completed.empty())
    completed.insert(completed.end(), come_.completed.begin(), come_.completed.end());
  return answer;
}

const Answer& RankCalls::poll(Operation& operation) {
  ThreadTurns* const turns = this->turns();
  const bool has_turn = turns != nullptr && visitor_.is_caller();
  const Answer* nothing_found = stream_.find_quiet(operation);
  if (nothing_found == nullptr) {
    if (const Answer* answer = find_come(operation)) return *answer;
    if (!come_.completed.empty()) nothing_found = stream_.find_quiet(operation);
  }
  if (nothing_found != nullptr) {
    if (has_turn) turns->has_polled_in_vain(nothing_found->news, true);
    return *nothing_found;
  }
  const OperationStream::Before before = stream_.before();
  // Others may go on to poll meanwhile, and this one's answer waits until they have come as far. (Where
  // threads take turns the answer may come from one of them, and the next call lie before this one.)
  if (before.is_clock_known && turns == nullptr) stream_.show(before.now);
  const Answer& answer = ask_emulator(operation);  // forgets all
  if (stream_.note_if_failed(operation, before) && has_turn) turns->has_polled_in_vain(answer.news, false);
  return answer;
}

const Answer& RankCalls::await() {
  if (const Answer* answer = finish_wait()) return *answer;
  return stream_.await();
}

SimTime RankCalls::now(Call call) {
  const bool is_shared = stream_.settings().processors_are_shared != 0 && !stream_.has_exited();
  if (stream_.is_clock_to_be_asked() || is_shared) {
    Operation read;
    read.kind = OperationKind::read_clock;
    read.call = call;
    ask(read);
  }
  return stream_.now();
}

void RankCalls::begin_turns() {
  Operation read;
  read.kind = OperationKind::read_clock;
  const SimTime now = ask(read).clock;
  stream_.expect_threads();
  turns_.store(new ThreadTurns(ProgramThreads::own(), stream_, stream_.settings(), now),
               std::memory_order_release);
}

void RankCalls::enter() {
  const SimTime begin = turns()->take();
  visitor_.become(1);
  stream_.begin_call(begin);
}

void RankCalls::leave() {
  ThreadTurns& turns = *this->turns();
  // Then it has asked for the end, too.
  if (!stream_.is_clock_known() && !stream_.is_answer_outstanding()) turns.look_as_call_ends();
  const SimTime end = now(Call::unknown);  // which may ask for it
  visitor_.set_depth(0);
  visitor_.leave_in_turn();
  stream_.end_call();
  ProgramTimers& timers = ProgramTimers::own();
  const bool any_is_due = end >= timers.first() && !ProgramThreads::own().has_several();
  if (any_is_due) ProgramThreads::own().self().lets_expire_until_ps = end.ps();
  turns.give_back(end);
  if (any_is_due) timers.expire_in_passing(end);
}

/// Timers of the program that the calling thread has come to: alone as without turns, else once nobody can do
/// anything before. (With ComputeMode::measured ThreadTurns lets them expire then.)
void RankCalls::let_timers_expire(SimTime now) {
  ProgramTimers& timers = ProgramTimers::own();
  while (now >= timers.first() && !timers.is_within_handler()) {
    if (!ProgramThreads::own().has_several()) return timers.expire_in_passing(now);
    const SimTime deadline = timers.first();
    if (stream_.settings().compute != ComputeMode::none || deadline > now || !turns()->come_to(deadline))
      return;
    timers.expire_in_passing(deadline);
  }
}

int RankCalls::go_away() {
  const int depth = visitor_.depth();
  if (turns() != nullptr) leave();
  return depth;
}

/// Time passes, so that others come first whose calls are of the same time.
void RankCalls::come_back(int depth) {
  ThreadTurns* const turns = this->turns();
  if (turns == nullptr) return;
  turns->pass(SimTime::from_ps(stream_.settings().clock_tick_ps));
  enter();
  visitor_.set_depth(depth);
}

/// Whether the emulator would hold the whole rank in this operation until others act, and nobody wants to
/// hear of its end: a wait for a rendezvous send, say, or for this rank's part of a reduction. With one
/// thread that is what the call does.
bool RankCalls::blocks_other_threads(const Operation& operation) const {
  return turns() != nullptr && operation.kind == OperationKind::wait && !operation.wants_answer &&
         visitor_.is_caller();
}

/// The end of such a wait may depend on what the rank's other threads do: so its thread alone waits, unless
/// the wait is over at once, as that for an eager send is.
void RankCalls::wait_in_turn(Operation& operation) {
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
bool RankCalls::begin_wait(const Operation& operation) {
  ThreadTurns* const turns = this->turns();
  const bool waits = operation.wants_answer &&
                     (operation.kind == OperationKind::wait || operation.kind == OperationKind::probe);
  if (turns == nullptr || !waits || !visitor_.is_caller()) return false;
  ProgramThreads::own().self().depth = visitor_.depth();
  visitor_.leave_in_turn();
  turns->begin_wait(operation);
  return true;
}

/// @return its answer; null if the calling thread has begun no wait
const Answer* RankCalls::finish_wait() {
  ThreadTurns* const turns = this->turns();
  if (turns == nullptr || !turns->has_begun_wait()) return nullptr;
  const Answer& answer = turns->finish_wait();
  visitor_.become(ProgramThreads::own().self().depth);
  stream_.end_call();
  return &answer;
}

/// What has completed in another thread's wait is left out of a test: the emulator knows it no more.
/// @return the answer if that is enough of it; else null: the emulator has to be asked for the rest
const Answer* RankCalls::find_come(Operation& operation) {
  come_.completed.clear();
  ThreadTurns* const turns = this->turns();
  if (turns == nullptr || operation.kind != OperationKind::test) return nullptr;
  come_.completed = turns->take_come(operation);
  const bool needs_rest = operation.completion == Completion::all && !operation.requests.empty();
  if (come_.completed.empty() || needs_rest) return nullptr;
  come_.clock = stream_.reached();
  return &come_;
}

/// It can't be cancelled any more.
void RankCalls::leave_out_what_has_come(Operation& operation) const {
  ThreadTurns* const turns = this->turns();
  if (turns != nullptr && operation.kind == OperationKind::cancel && turns->has_come(operation.request))
    operation.kind = OperationKind::nothing;
}

SimTime RankCalls::read_clock() {
  if (visitor_.is_caller()) return stream_.now();
  ThreadTurns& turns = *this->turns();
  if (stream_.settings().compute == ComputeMode::none)
    turns.pass(SimTime::from_ps(stream_.settings().clock_tick_ps));
  const SimTime now = turns.now();
  if (now >= ProgramTimers::own().first()) let_timers_expire(now);
  return now;
}

}  // namespace morgana
