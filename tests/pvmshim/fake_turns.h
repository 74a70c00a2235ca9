#pragma once

#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "pvmshim/clock/thread_turns.h"

/// The turns of this process's threads, over a rank that the test plays.
namespace morgana::testing::fake_turns {

using namespace literals;

/// A rank whose waits end when the test says that something has come, 1 us after they have begun. One thread
/// at a time uses it, or the thread sanitizer complains.
class FakeRank : public RankInTurns {
 public:
  SimTime reached() override { return clock; }
  bool knows_reached() override { return true; }
  const Answer& carry_out(Operation& operation) override {
    answer = Answer();
    answer.news = news;
    const SimTime limit = operation.duration > SimTime() ? clock + operation.duration : SimTime::max();
    const bool probes = operation.kind == OperationKind::probe;
    if (operation.kind == OperationKind::test_probe) ++looks;
    if (operation.kind == OperationKind::wait && limit != SimTime::max()) {
      ++limited;
      longest_limit = std::max(longest_limit, operation.duration);
    }
    if (probes && std::exchange(has_message, false)) {
      answer.completed.emplace_back().source = Rank{1};
      answer.completed.back().tag = tag;
    } else if (operation.kind == OperationKind::wait || probes)
      for (const RequestId request : operation.requests)
        if (come.erase(request) > 0) {
          answer.completed.emplace_back().request = request;
          if (probes || operation.completion != Completion::all) break;
        }
    clock = answer.completed.empty() && limit != SimTime::max() ? limit : clock + 1_us;
    answer.clock = clock;
    return answer;
  }
  void show(SimTime) override {}
  bool has_exited() const override { return false; }
  std::optional<Quiet> quiet() override { return said; }
  void let_pass(SimTime time) override { clock += time; }
  /// Nothing comes until then.
  void promise(SimTime until) { said = {news, until}; }

  SimTime clock;
  std::uint32_t news = 0;
  std::optional<Quiet> said;
  std::set<RequestId> come;
  bool has_message = false;  ///< for a probe
  Tag tag = any_tag;         ///< of that message
  int looks = 0;             ///< for messages, in passing
  int limited = 0;           ///< waits with a limit
  SimTime longest_limit;     ///< of those
  Answer answer;
};

inline FakeRank& rank() {
  static FakeRank one;
  return one;
}

/// A process has one set of turns, for as long as it lasts. Computing takes no time.
inline ThreadTurns& turns() {
  static ThreadTurns* const one = [] {
    ChannelSettings settings;
    settings.compute = ComputeMode::none;
    auto* const made = new ThreadTurns(ProgramThreads::own(), rank(), settings, SimTime());
    made->give_back(SimTime());
    return made;
  }();
  return *one;
}

/// What the shim makes of pthread_create and pthread_join.
class ProgramsThread {
 public:
  explicit ProgramsThread(std::function<void()> body)
      : body_(std::move(body)), known_(ProgramThreads::own().about_to_create()) {
    pthread_create(&thread_, nullptr, &run, this);
  }
  ~ProgramsThread() {
    ProgramThreads::own().joins(thread_);
    pthread_join(thread_, nullptr);
    ProgramThreads::own().joined(thread_);
  }
  ProgramsThread(const ProgramsThread&) = delete;
  ProgramsThread& operator=(const ProgramsThread&) = delete;

 private:
  static void* run(void* self) {
    auto& thread = *static_cast<ProgramsThread*>(self);
    ProgramThreads::own().begins(thread.known_);
    thread.body_();
    ProgramThreads::own().ends(thread.known_);
    return nullptr;
  }

  std::function<void()> body_;
  ProgramThread* known_;
  pthread_t thread_{};
};

/// A call that moves the rank on by `cost`.
inline void call(SimTime cost) {
  rank().clock = std::max(rank().clock, turns().take()) + cost;
  turns().give_back(rank().clock);
}

inline void wait_for(RequestId request) {
  rank().clock = std::max(rank().clock, turns().take());
  Operation wait;
  wait.kind = OperationKind::wait;
  wait.requests.push_back(request);
  turns().begin_wait(wait);
  EXPECT_EQ(turns().finish_wait().completed.at(0).request, request);
  turns().give_back(rank().clock);
}

/// A poll of 1 us that finds nothing.
inline void poll_in_vain() {
  rank().clock = std::max(rank().clock, turns().take()) + 1_us;
  turns().has_polled_in_vain(rank().news, true);
  turns().give_back(rank().clock);
}

/// In the turn: waits for any of them, once `begun` is passed.
inline void wait_for_any_of(const std::vector<RequestId>& requests, pthread_barrier_t& begun) {
  rank().clock = std::max(rank().clock, turns().take());
  pthread_barrier_wait(&begun);
  Operation wait;
  wait.kind = OperationKind::wait;
  wait.completion = Completion::some;
  wait.requests.assign(requests.begin(), requests.end());
  turns().begin_wait(wait);
  turns().finish_wait();
  turns().give_back(rank().clock);
}

inline void let_come(RequestId request) {
  rank().clock = std::max(rank().clock, turns().take()) + 1_us;
  rank().come.insert(request);
  ++rank().news;
  turns().give_back(rank().clock);
}

}  // namespace morgana::testing::fake_turns
