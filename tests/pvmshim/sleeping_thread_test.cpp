#include "pvmshim/clock/sleeping_thread.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace morgana {
namespace {

/// A thread that does one thing; what the kernel says of it, once that is what is expected.
class Watched {
 public:
  explicit Watched(std::function<void()> body)
      : thread_([this, body = std::move(body)] {
          number_ = static_cast<pid_t>(syscall(SYS_gettid));
          body();
        }) {
    while (number_ == 0) std::this_thread::yield();
  }
  ~Watched() { thread_.join(); }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

  ThreadDoes now() { return in_kernel_.what_does(number_); }
  bool is_asleep() { return in_kernel_.is_asleep(number_); }
  /// It comes to that sooner or later, or the test never ends.
  void comes_to(ThreadDoes what) {
    while (now() != what) std::this_thread::yield();
  }

 private:
  std::atomic<pid_t> number_{0};
  SleepingThread in_kernel_;
  std::thread thread_;
};

class SleepingThreads : public testing::Test {
 protected:
  void sleep_on_condition() {
    std::unique_lock lock(mutex_);
    condition_.wait(lock, [this] { return is_over_; });
  }
  void wake() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    condition_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable condition_;
  bool is_over_ = false;
};

TEST_F(SleepingThreads, WaitForAThreadOnAConditionAndOtherwiseOnAPipe) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  {
    Watched waits([this] { sleep_on_condition(); });
    Watched reads([&] {
      char byte = 0;
      EXPECT_EQ(read(ends[0], &byte, 1), 1);
    });
    waits.comes_to(ThreadDoes::wait_for_thread);
    reads.comes_to(ThreadDoes::wait_otherwise);
    EXPECT_TRUE(waits.is_asleep());
    EXPECT_TRUE(reads.is_asleep());
    wake();
    EXPECT_EQ(write(ends[1], "x", 1), 1);
  }
  close(ends[0]);
  close(ends[1]);
}

TEST_F(SleepingThreads, RunAsLongAsTheyDo) {
  std::atomic<bool> goes_on = true;
  Watched runs([&] {
    while (goes_on) {
    }
  });
  for (int i = 0; i < 100; ++i) EXPECT_EQ(runs.now(), ThreadDoes::run);
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(runs.is_asleep());
  goes_on = false;
}

TEST_F(SleepingThreads, AreAsleepWhateverTheirName) {
  Watched waits([this] {
    pthread_setname_np(pthread_self(), "x) R (1");
    sleep_on_condition();
  });
  waits.comes_to(ThreadDoes::wait_for_thread);
  EXPECT_TRUE(waits.is_asleep());
  wake();
}

// As a program does that becomes a daemon, and then opens files of its own, which get the same numbers.
TEST_F(SleepingThreads, AreKnownWhenTheProgramHasClosedTheFilesThatItDoesNotKnow) {
  Watched waits([this] { sleep_on_condition(); });
  waits.comes_to(ThreadDoes::wait_for_thread);
  constexpr int more = 64;
  int opened[more];
  const int first = dup(STDERR_FILENO);  // the lowest number that is free
  close(first);
  for (int file = STDERR_FILENO + 1; file < first + more; ++file) close(file);
  EXPECT_EQ(waits.now(), ThreadDoes::wait_for_thread);
  for (int file = STDERR_FILENO + 1; file < first + more; ++file) close(file);
  for (int& file : opened) file = open("/dev/zero", O_RDONLY);
  EXPECT_EQ(waits.now(), ThreadDoes::wait_for_thread);
  EXPECT_TRUE(waits.is_asleep());
  for (const int file : opened) close(file);
  wake();
}

}  // namespace
}  // namespace morgana
