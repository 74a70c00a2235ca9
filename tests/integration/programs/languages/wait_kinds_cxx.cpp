// One wait of C++'s library for each first argument: as wait_kinds.c.
#include <mpi.h>
#include <omp.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <deque>
#include <functional>
#include <future>
#include <latch>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using std::chrono::system_clock;
constexpr auto span = 200ms;
constexpr auto long_span = 30s;

std::jthread later(std::function<void()> act) {
  return std::jthread([act = std::move(act)] {
    std::this_thread::sleep_for(span);
    act();
  });
}
const char* name_of(bool done) {
  return done ? "done" : "time is over";
}

const char* of_sleep_for() {
  std::this_thread::sleep_for(span);
  return "done";
}
const char* of_sleep_until() {
  std::this_thread::sleep_until(system_clock::now() + span);
  return "done";
}
const char* of_future() {
  std::promise<int> promise;
  return name_of(promise.get_future().wait_for(span) == std::future_status::ready);
}
const char* of_shared_future() {
  std::promise<int> promise;
  const std::shared_future<int> future = promise.get_future().share();
  const auto thread = later([&] { promise.set_value(1); });
  return name_of(future.wait_until(steady_clock::now() + long_span) == std::future_status::ready);
}
const char* of_async() {
  const auto future = std::async(std::launch::async, [] { std::this_thread::sleep_for(span); });
  return name_of(future.wait_for(long_span) == std::future_status::ready);
}
const char* of_condition_variable() {
  std::mutex mutex;
  std::condition_variable condition;
  std::unique_lock lock(mutex);
  return name_of(condition.wait_for(lock, span, [] { return false; }));
}
const char* of_stop_token() {
  std::mutex mutex;
  std::condition_variable_any condition;
  bool is_set = false;
  std::stop_source stop;
  const auto thread = later([&] { stop.request_stop(); });
  std::unique_lock lock(mutex);
  const bool result = condition.wait_for(lock, stop.get_token(), long_span, [&] { return is_set; });
  return stop.stop_requested() && !result ? "stopped" : "not stopped";
}
const char* of_recursive_timed_mutex() {
  std::recursive_timed_mutex mutex;
  const std::lock_guard lock(mutex);
  return name_of(std::async(std::launch::async, [&] { return mutex.try_lock_for(span); }).get());
}
const char* of_shared_timed_mutex() {
  std::shared_timed_mutex mutex;
  const std::shared_lock lock(mutex);
  return name_of(
      std::async(std::launch::async, [&] { return mutex.try_lock_until(steady_clock::now() + span); }).get());
}
const char* of_semaphore() {
  std::counting_semaphore<> semaphore(0);
  return name_of(semaphore.try_acquire_for(span));
}
const char* of_latch() {
  std::latch latch(1);
  const auto thread = later([&] { latch.count_down(); });
  latch.wait();
  return "done";
}
const char* of_atomic() {
  std::atomic<int> value = 0;
  const auto thread = later([&] {
    value = 1;
    value.notify_one();
  });
  value.wait(0);
  return value == 1 ? "done" : "too early";
}
// Workers that look for the end every 10 ms, as thread pools do.
const char* of_thread_pool() {
  std::mutex mutex;
  std::condition_variable condition;
  std::deque<std::function<void()>> tasks;
  bool ends = false;
  std::atomic<int> done = 0;
  std::vector<std::jthread> workers(2);
  for (std::jthread& worker : workers)
    worker = std::jthread([&] {
      std::unique_lock lock(mutex);
      while (!ends || !tasks.empty()) {
        if (!condition.wait_for(lock, 10ms, [&] { return !tasks.empty(); })) continue;
        const auto task = std::move(tasks.front());
        tasks.pop_front();
        lock.unlock();
        task();
        lock.lock();
      }
    });
  for (int i = 0; i < 4; ++i) {
    const std::lock_guard lock(mutex);
    tasks.emplace_back([&] {
      std::this_thread::sleep_for(span / 2);
      ++done;
    });
    condition.notify_one();
  }
  {
    const std::lock_guard lock(mutex);
    ends = true;
  }
  for (std::jthread& worker : workers) worker.join();
  return done == 4 ? "done" : "too early";
}
const char* of_openmp() {
  std::atomic<int> done = 0;
#pragma omp parallel num_threads(3)
  {
    usleep(200000);
    ++done;
  }
  return done == 3 ? "done" : "too early";
}

struct Kind {
  const char* name;
  const char* (*wait)();
  const char* expected;
};
constexpr std::array kinds{Kind{"sleep_for", of_sleep_for, "done"},
                           Kind{"sleep_until", of_sleep_until, "done"},
                           Kind{"future", of_future, "time is over"},
                           Kind{"shared_future", of_shared_future, "done"},
                           Kind{"async", of_async, "done"},
                           Kind{"condition_variable", of_condition_variable, "time is over"},
                           Kind{"stop_token", of_stop_token, "stopped"},
                           Kind{"recursive_timed_mutex", of_recursive_timed_mutex, "time is over"},
                           Kind{"shared_timed_mutex", of_shared_timed_mutex, "time is over"},
                           Kind{"semaphore", of_semaphore, "time is over"},
                           Kind{"latch", of_latch, "done"},
                           Kind{"atomic", of_atomic, "done"},
                           Kind{"thread_pool", of_thread_pool, "done"},
                           Kind{"openmp", of_openmp, "done"}};

}  // namespace

int main(int argc, char** argv) {
  int level = MPI_THREAD_FUNNELED;
  bool simulated = false;
  for (int i = 2; i < argc; ++i) {
    if (std::strcmp(argv[i], "multiple") == 0) level = MPI_THREAD_MULTIPLE;
    if (std::strcmp(argv[i], "simulated") == 0) simulated = true;
  }
  MPI_Init_thread(&argc, &argv, level, &level);
  const std::string asked = argc > 1 ? argv[1] : "";
  bool passed = false;
  for (const Kind& kind : kinds) {
    if (asked.empty()) std::printf("%s\n", kind.name);
    if (asked != kind.name) continue;
    const double begin = MPI_Wtime();
    const auto steady = steady_clock::now();
    const std::string result = kind.wait();
    const double took[] = {MPI_Wtime() - begin,
                           std::chrono::duration<double>(steady_clock::now() - steady).count()};
    passed = result == kind.expected;
    for (const double seconds : took)
      passed = passed && seconds >= 0.2 - 1e-5 && (!simulated || seconds <= 0.205);
    std::printf("%s: %s\n", kind.name, result.c_str());
    if (!passed) std::printf("FAIL: not %s, or %.9f and %.9f s, not 0.2\n", kind.expected, took[0], took[1]);
  }
  if (!asked.empty()) std::printf("%s wait\n", passed ? "PASS" : "FAIL");
  MPI_Finalize();
  return passed || asked.empty() ? 0 : 1;
}
