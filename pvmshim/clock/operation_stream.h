#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <string>

#include "pvmshim/channel/rank_channel.h"
#include "pvmshim/clock/failed_polls.h"
#include "pvmshim/clock/thread_turns.h"

namespace morgana {

/// The operations of a rank and their answers over its channel, and the simulated clock that follows from
/// them: when the last answered operation ended, and what the program has computed since. One thread at a
/// time uses it.
class OperationStream final : public RankInTurns {
 public:
  /// @throws Error as RankChannel
  OperationStream(const std::string& path, Rank rank, bool begins_later)
      : channel_(path, rank), unanswered_(begins_later || channel_.resumed()) {}

  RankChannel& channel() { return channel_; }
  const ChannelSettings& settings() const { return channel_.settings(); }
  Rank rank() const { return channel_.rank(); }

  /// The clock, within a visit, if it is known: else operations have been posted, or the rank has begun, at
  /// times not known here.
  SimTime now() const { return clock_ + elapsed(); }
  bool is_clock_known() const { return !unanswered_; }
  /// Whether it is not, and only the emulator knows it.
  bool is_clock_to_be_asked();
  /// The clock as now(), of a program that computes meanwhile.
  SimTime now_while_computing() const;
  /// The same without a system call, as far as possible.
  std::optional<SimTime> now_in_passing();
  /// The clock goes on, by a reading.
  void tick(SimTime time) { ticks_ += time; }
  /// Where threads take turns: the next call lies at `begin`, if that is later than the last operation.
  void begin_call(SimTime begin);
  /// What a call has that begins no later.
  void end_call() { ahead_ = SimTime(); }

  /// Hands over an operation, with the time computed before it. No answer may be outstanding.
  void post(Operation& operation);
  /// An answer has been asked for and not been taken.
  bool is_answer_outstanding() const { return outstanding_; }
  /// The outstanding answer, or the latest one. Valid until the next one.
  Answer& await();
  Answer& latest_answer() { return answer_; }

  /// The answer to a poll that finds nothing, if that is known here; it has been paid for then.
  const Answer* find_quiet(const Operation& poll);
  /// What is true before a poll is asked.
  struct Before {
    bool is_clock_known;
    SimTime now;
    std::size_t failed_polls;
  };
  Before before() const { return {!unanswered_, now(), failed_polls_.count()}; }
  /// The poll has been answered last. @return whether it has found nothing, at a cost that is known
  bool note_if_failed(const Operation& poll, const Before& before);
  /// Threads take turns from now on.
  void expect_threads() {
    takes_turns_ = true;
    failed_polls_.keep_more();
  }

  /// The rank's last operation comes next; the clock goes on afterwards, but no other rank sees it.
  void settle() { clock_ += elapsed(); }  // the sum of compute time starts again with the last operation
  /// It has been posted.
  void finish();
  /// After it.
  void sleep_on(SimTime duration) { clock_ += duration; }

  SimTime reached() override;
  bool knows_reached() override { return !unanswered_; }
  const Answer& carry_out(Operation& operation) override;
  void show(SimTime time) override { channel_.show_reached(time); }
  bool has_exited() const override { return exited_; }
  std::optional<Quiet> quiet() override;
  void let_pass(SimTime time) override;

 private:
  SimTime elapsed() const;
  bool ends_at_once(const Operation& operation) const;
  void begin(Operation& operation);
  void await_clock();

  RankChannel channel_;
  Answer answer_;
  SimTime clock_;             // when the last answered operation ended
  SimTime ticks_;             // by which reads and polls have moved the clock since the last operation
  SimTime polled_;            // the polls' part of it
  SimTime ahead_;             // of whose turn it is: how far its call lies behind `clock_`
  bool unanswered_ = false;   // operations are posted, or it has begun, at times not known here
  bool ends_here_ = false;    // all of these are receives, whose ends are known here: now()
  bool has_slept_ = false;    // the latest operation is a sleep
  bool takes_turns_ = false;  // the rank's threads do
  bool outstanding_ = false;  // an answer has been asked for and not been taken
  std::atomic<bool> exited_{false};
  // Since the last operation that was none, nor a wait of threads in turns that has found nothing.
  FailedPolls failed_polls_;
};

}  // namespace morgana
