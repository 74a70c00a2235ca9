#include "pvmshim/clock/operation_stream.h"

#include <algorithm>
#include <utility>

#include "emulator/operations/unknown_time.h"
#include "pvmshim/clock/side_by_side.h"

namespace morgana {
namespace {

/// Whether an operation of this kind that finds nothing leaves everything as it is.
bool only_looks(OperationKind kind) {
  return kind == OperationKind::wait || kind == OperationKind::probe || kind == OperationKind::test_probe ||
         kind == OperationKind::sleep;
}

}  // namespace

SimTime OperationStream::elapsed() const {
  return simulated(channel_.computed_since_post(), settings()) + ticks_ + ahead_;
}

SimTime OperationStream::now_while_computing() const {
  return clock_ + simulated(channel_.computed_by_now(), settings()) + ticks_;
}

std::optional<SimTime> OperationStream::now_in_passing() {
  const auto computed = channel_.computed_in_passing();
  if (!computed) return std::nullopt;
  return clock_ + simulated(*computed, settings()) + ticks_;
}

void OperationStream::begin_call(SimTime begin) {
  ahead_ = std::max(SimTime(), begin - clock_ - ticks_);
}

void OperationStream::begin(Operation& operation) {
  operation.elapsed = elapsed();
  operation.polled = polled_;
  ticks_ = polled_ = ahead_ = SimTime();
  has_slept_ = operation.kind == OperationKind::sleep;
  failed_polls_.forget();
}

/// Where threads take turns each call asks for its end; a receive's is known here.
bool OperationStream::ends_at_once(const Operation& operation) const {
  return takes_turns_ && operation.kind == OperationKind::receive && !operation.wants_answer && !has_slept_ &&
         (!unanswered_ || ends_here_) && settings().receives_take_no_time != 0;
}

void OperationStream::post(Operation& operation) {
  ends_here_ = ends_at_once(operation);
  begin(operation);
  if (ends_here_) clock_ += operation.elapsed;
  unanswered_ = true;
  outstanding_ = operation.wants_answer;
  channel_.post(operation);
}

Answer& OperationStream::await() {
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

const Answer* OperationStream::find_quiet(const Operation& poll) {
  const FailedPolls::FailedPoll* const failed = failed_polls_.find(poll);
  if (failed == nullptr) return nullptr;
  const SimTime at = now();
  if (at >= failed->answer.quiet_until && !others_let_it_go_on(channel_, failed->answer, at)) return nullptr;
  ticks_ += failed->cost + std::exchange(ahead_, SimTime());  // the next thread's call comes later
  polled_ += failed->cost;
  channel_.show_reached(now());
  return &failed->answer;
}

bool OperationStream::note_if_failed(const Operation& poll, const Before& before) {
  if (!before.is_clock_known || !answer_.completed.empty() || answer_.clock <= before.now) return false;
  failed_polls_.restore(before.failed_polls);  // it has changed nothing
  failed_polls_.keep(poll, answer_, answer_.clock - before.now);
  return true;
}

void OperationStream::finish() {
  unanswered_ = false;
  exited_ = true;
  channel_.finished();
}

SimTime OperationStream::reached() {
  if (is_clock_to_be_asked()) {
    Operation read;
    read.kind = OperationKind::read_clock;
    carry_out(read);
  }
  return now();
}

bool OperationStream::is_clock_to_be_asked() {
  if (std::exchange(ends_here_, false)) unanswered_ = false;
  return unanswered_;
}

/// Where threads take turns nothing goes on without its time.
void OperationStream::await_clock() {
  Operation read;
  read.kind = OperationKind::read_clock;
  read.wants_answer = true;
  channel_.post(read);
  Answer now;
  channel_.await(now);
  answer_.clock = now.clock;
}

const Answer& OperationStream::carry_out(Operation& operation) {
  const Before known = before();
  operation.wants_answer = true;
  begin(operation);
  channel_.post(operation);
  channel_.await(answer_);
  if (answer_.clock == unknown_time) await_clock();
  clock_ = answer_.clock;
  unanswered_ = false;
  if (!answer_.completed.empty() || !only_looks(operation.kind)) return answer_;
  if (operation.kind != OperationKind::test_probe || !note_if_failed(operation, known))
    failed_polls_.restore(known.failed_polls);  // it has changed nothing
  return answer_;
}

void OperationStream::let_pass(SimTime time) {
  ticks_ += time;
  polled_ += time;
  channel_.show_reached(now());
}

std::optional<RankInTurns::Quiet> OperationStream::quiet() {
  std::optional<Quiet> longest;
  for (const auto& failed : failed_polls_.all()) {
    const SimTime until = channel_.quiet(failed.answer).until;
    if (!longest || until > longest->until) longest = {failed.answer.news, until};
  }
  return longest;
}

}  // namespace morgana
