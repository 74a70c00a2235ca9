#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "pvmshim/channel/rank_channel.h"
#include "pvmshim/clock/operation_stream.h"
#include "pvmshim/clock/rank_calls.h"
#include "pvmshim/clock/thread_turns.h"
#include "pvmshim/clock/visitor.h"

namespace morgana {

/// The process as a rank of an emulated run: the stream of its operations, and the simulated clock that
/// follows from them. What the program has computed since its last operation becomes that of the next one.
///
/// One thread at a time is in the shim (Visit). A clock that another thread reads meanwhile, or that is read
/// from within the shim (a user's callback), shows the last time known. Where threads may call at once
/// (let_threads_call), and there are several, each has its own time, a visit is a turn (ThreadTurns), and
/// what waits lets others go on: what a visit knew of the rank may have changed after it.
class LiveRank {
 public:
  /// @param begins_later  whether another rank starts it: when is not known before its first answer
  /// @throws Error as RankChannel
  LiveRank(const std::string& path, Rank rank, bool begins_later = false);

  /// The rank that this process is; null before become_active, and in a forked child.
  static LiveRank* active() { return active_.load(std::memory_order_acquire); }
  /// From now on this process is that rank. `rank` is never destroyed.
  static void become_active(LiveRank& rank);

  RankChannel& channel() { return stream_.channel(); }
  const ChannelSettings& settings() const { return stream_.settings(); }
  Rank rank() const { return stream_.rank(); }

  /// The program's threads may call at once: MPI_THREAD_MULTIPLE.
  void let_threads_call();
  /// The program is about to create a thread.
  void thread_comes();
  /// Whether they do, and several threads have been there: then each has its own time.
  bool threads_take_turns() const { return turns() != nullptr; }

  ThreadTurns* turns() const { return calls_.turns(); }
  /// Whether the calling thread is in the shim: in a callback, if it is in the program.
  bool is_visited_by_caller() const { return visitor_.is_caller(); }
  bool is_over() const { return stream_.has_exited(); }
  /// Whether a thread is in a call, where threads do not take turns.
  bool is_in_call() const { return visitor_.is_in_call(); }

  /// Of the program to the shim, so far; a visit within another is no other.
  std::uint64_t visits() const { return visitor_.visits(); }

  /// While it lives the program is in the shim, and its CPU time does not count. Visits may nest.
  class Visit {
   public:
    explicit Visit(LiveRank& rank) : Visit(&rank) {}
    /// @param rank  null: no visit
    explicit Visit(LiveRank* rank) : rank_(rank) {
      if (rank_ != nullptr) rank_->begin_visit();
    }
    ~Visit() {
      if (rank_ != nullptr) rank_->leave();
    }
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;

   private:
    LiveRank* const rank_;
  };

  /// While it lives, within a visit, the rank may wait for what only another of its threads brings: others
  /// may have turns.
  class Away {
   public:
    explicit Away(LiveRank& rank) : rank_(rank), depth_(rank.calls_.go_away()) {}
    ~Away() { rank_.calls_.come_back(depth_); }
    Away(const Away&) = delete;
    Away& operator=(const Away&) = delete;

   private:
    LiveRank& rank_;
    const int depth_;
  };

  /// How many visits the program is in; more than one in a callback.
  int depth() const { return visitor_.depth(); }

  /// Within a visit: hands over an operation, with the time computed before it. An answer that is still to be
  /// awaited is taken first, and lost to its asker.
  void post(Operation& operation) { calls_.post(operation); }
  /// Within a visit: as post, then sleeps until the answer is there. Valid until the next one.
  const Answer& ask(Operation& operation) { return calls_.ask(operation); }
  /// Within a visit: asks a test or test_probe. One that found nothing is answered here when it is asked
  /// again after nothing but other such polls (a test and a probe alternately, for example), without the
  /// emulator, for as long as that said it would find nothing; it costs the same simulated time.
  const Answer& poll(Operation& operation) { return calls_.poll(operation); }
  /// Within a visit: the answer to an operation that was posted wanting one, or the latest one if that has
  /// been taken already.
  const Answer& await() { return calls_.await(); }

  /// The rank's clock. Asks the emulator only if operations have been posted whose end is not known.
  SimTime read_clock(Call call);
  /// The clock that the calling thread has, without effect on it; nothing while another thread is in a
  /// call, or where the caller is none of the program's threads and these have clocks of their own. Asks the
  /// emulator only if operations have been posted whose end is not known.
  std::optional<SimTime> look_at_clock(Call call);
  /// The same, and nothing if the emulator would have to be asked.
  std::optional<SimTime> known_clock();
  /// The latest time that anybody was shown.
  SimTime latest() const { return SimTime::from_ps(latest_ps_.load(std::memory_order_relaxed)); }
  /// Lets simulated time pass, at once.
  void sleep(Call call, SimTime duration);
  /// The same, to a point in time; nothing if that is over.
  void sleep_until(Call call, SimTime until);
  /// The process executes another program, which may go on as this rank; what happens until then takes no
  /// time. @param passed_on  false: it could not
  void pass_on(bool passed_on);
  /// Within a visit: the rank's last operation. Its clock goes on afterwards, but no other rank sees it.
  void exit(Operation& operation);

 private:
  /// A visit that lets no timer expire: the caller may hold locks.
  class QuietVisit;
  void begin_visit();
  void enter();
  void leave();
  bool try_enter();
  bool enter_to_read();
  void release();
  void begin_turns();
  std::optional<SimTime> clock_of_caller() const;
  SimTime read_in_call(Call call);
  std::optional<SimTime> read_in_passing();
  void show_to_program(SimTime now);

  static std::atomic<LiveRank*> active_;

  OperationStream stream_;
  Visitor visitor_;
  RankCalls calls_{stream_, visitor_};
  std::atomic<std::int64_t> latest_ps_{0};  // the latest time that anybody was shown
  bool threads_may_call_ = false;
};

}  // namespace morgana
