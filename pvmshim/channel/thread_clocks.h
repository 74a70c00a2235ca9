#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <list>
#include <map>
#include <mutex>

namespace morgana {

/// How far the threads of this process come in a stretch of its program (rank_channel.h), if it has several:
/// how long the stretch takes where they run concurrently.
///
/// A thread's way is the CPU time that it has used in the stretch, behind that of its creator if it was
/// created in the stretch; a thread that joins another one comes at least as far as that had come. The
/// stretch takes as long as the longest way, and no less than all CPU time over the number of processors that
/// the threads can use. So a fork and join is what it is on so many processors; threads of a pool that wait
/// for each other by other means count as running concurrently.
///
/// Nanoseconds. All may be called by any thread.
class ThreadClocks {
 public:
  /// The process's.
  static ThreadClocks& own();

  /// One of those that the program has started, and how far it has come.
  struct Thread {
    pthread_t handle{};
    clockid_t clock{};
    bool runs = false;        ///< it has a clock
    std::int64_t begin = 0;   ///< its clock at the stretch's begin, or its own
    std::int64_t before = 0;  ///< how far others had come in the stretch whose ends it waited for
    std::int64_t way(std::int64_t now) const { return now - begin + before; }
  };

  /// Before a thread is created: it counts from now on.
  Thread* about_to_create();
  /// It could not be created.
  void not_created(Thread* thread);
  /// In the new thread, first and last.
  void begins(Thread* thread);
  void ends(Thread* thread);
  /// After a thread that this one waited for has ended.
  void joined(pthread_t handle);

  /// Whether the program has, or had in this stretch, more than one thread.
  bool several() const { return several_.load(std::memory_order_relaxed); }
  /// What others must know of the process's threads, in memory that they share.
  struct Shown {
    std::atomic<std::uint32_t> beside;   ///< how many can run concurrently; grows until the stretch has ended
    std::atomic<std::uint32_t> at_once;  ///< how many there were at once, at most; grows
  };
  /// @param most  that can run concurrently; 0: as many as there are
  void show_in(Shown& shown, std::uint32_t most);

  /// The program goes on, with one thread. @param processor  the process's clock
  void stretch_of_one_begins(std::int64_t processor) {
    processor_.store(processor, std::memory_order_relaxed);
  }
  /// The same with several; there may be one again.
  void stretch_begins(std::int64_t processor);
  /// The program has called. @return how long the stretch took, which had several threads
  std::int64_t stretch_ends(std::int64_t processor);

 private:
  ThreadClocks();
  Thread& own_thread();
  void show();
  std::uint32_t beside() const;

  std::mutex mutex_;
  std::atomic<bool> several_{false};
  std::list<Thread> threads_;                ///< that live; the first is the one that began the process
  std::map<pthread_t, std::int64_t> ended_;  ///< in this stretch, and how far they had come
  std::int64_t longest_ended_ = 0;           ///< way of those
  std::atomic<std::int64_t> processor_{0};   ///< the process's clock at the stretch's begin
  std::size_t at_once_ = 1;                  ///< threads, at most in this stretch
  Shown* shown_ = nullptr;
  std::uint32_t most_ = 0;
};

}  // namespace morgana
