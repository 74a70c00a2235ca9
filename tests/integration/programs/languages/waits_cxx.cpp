// Waits of C++'s library with a time limit: as waits.c.
#include <mpi.h>
#include <time.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <future>
#include <memory>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <thread>

namespace {

using namespace std::chrono_literals;
constexpr auto span = 20ms;
constexpr auto long_span = 30s;

bool simulated = false;
int failures = 0;

void came_to(const char* name, bool result, bool expected, double begin,
             std::chrono::duration<double> least) {
  const double took = MPI_Wtime() - begin;
  const bool is_right =
      result == expected && took >= least.count() - 1e-6 && (!simulated || took <= least.count() + 5e-3);
  if (!is_right) {
    std::printf("FAIL %s: %d, not %d, after %.9f s, not %.3f\n", name, result, expected, took, least.count());
    ++failures;
  }
  std::printf("%s: %s\n", name, result ? "done" : "time is over");
}

/// The same wait alone, with another thread that comes in time, and with one that comes too late.
template <typename Wait, typename End>
void try_all(const char* name, Wait wait, End end) {
  double begin = MPI_Wtime();
  came_to(name, wait(span), false, begin, span);
  begin = MPI_Wtime();
  std::thread other([&] {
    std::this_thread::sleep_for(span);
    end();
  });
  came_to(name, wait(long_span), true, begin, span);
  other.join();
  begin = MPI_Wtime();
  other = std::thread([&] {
    std::this_thread::sleep_for(span);
    end();
  });
  came_to(name, wait(span / 2), false, begin, span / 2);
  other.join();
  came_to(name, wait(0s), true, begin, span);
}

}  // namespace

int main(int argc, char** argv) {
  int level = MPI_THREAD_FUNNELED;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "multiple") == 0) level = MPI_THREAD_MULTIPLE;
    if (std::strcmp(argv[i], "simulated") == 0) simulated = true;
  }
  MPI_Init_thread(&argc, &argv, level, &level);

  std::mutex mutex;
  std::condition_variable condition;
  bool is_set = false;
  const auto set = [&] {
    const std::lock_guard lock(mutex);
    is_set = true;
    condition.notify_one();
  };
  try_all(
      "condition_variable",
      [&](auto limit) {
        std::unique_lock lock(mutex);
        const bool result = condition.wait_for(lock, limit, [&] { return is_set; });
        is_set = false;
        return result;
      },
      set);
  std::condition_variable_any any;
  try_all(
      "condition_variable_any, until a date",
      [&](auto limit) {
        std::unique_lock lock(mutex);
        const bool result =
            any.wait_until(lock, std::chrono::system_clock::now() + limit, [&] { return is_set; });
        is_set = false;
        return result;
      },
      [&] {
        const std::lock_guard lock(mutex);
        is_set = true;
        any.notify_all();
      });

  std::counting_semaphore<> counting(0);
  try_all(
      "counting_semaphore", [&](auto limit) { return counting.try_acquire_for(limit); },
      [&] { counting.release(); });
  static std::binary_semaphore binary(0);
  try_all(
      "binary_semaphore, until a date",
      [&](auto limit) { return binary.try_acquire_until(std::chrono::system_clock::now() + limit); },
      [&] { binary.release(); });
  const auto on_heap = std::make_unique<std::counting_semaphore<2>>(0);
  try_all(
      "counting_semaphore, two at once",
      [&](auto limit) {
        const auto until = std::chrono::steady_clock::now() + limit;
        return on_heap->try_acquire_until(until) && on_heap->try_acquire_until(until);
      },
      [&] { on_heap->release(2); });

  // A mutex is another thread's until it ends the wait.
  std::timed_mutex timed;
  std::shared_timed_mutex shared;
  const double begin = MPI_Wtime();
  std::thread owner([&] {
    timed.lock();
    shared.lock();
    set();
    std::this_thread::sleep_for(span);
    shared.unlock();
    std::this_thread::sleep_for(span);
    timed.unlock();
  });
  {
    std::unique_lock lock(mutex);
    condition.wait(lock, [&] { return is_set; });
  }
  came_to("timed_mutex", timed.try_lock_for(span / 2), false, begin, span / 2);
  came_to("shared_timed_mutex", shared.try_lock_shared_for(long_span), true, begin, span);
  shared.unlock_shared();
  came_to("timed_mutex", timed.try_lock_until(std::chrono::steady_clock::now() + long_span), true, begin,
          2 * span);
  timed.unlock();
  owner.join();

  double promised = MPI_Wtime();
  auto future = std::async(std::launch::async, [] { std::this_thread::sleep_for(span); });
  came_to("future", future.wait_for(span / 2) == std::future_status::ready, false, promised, span / 2);
  came_to("future", future.wait_for(long_span) == std::future_status::ready, true, promised, span);
  promised = MPI_Wtime();
  timespec after{};
  clock_gettime(CLOCK_MONOTONIC, &after);
  ++after.tv_sec;
  auto computed = std::async(std::launch::async, [] {
    double x = 1;
    for (int i = 0; i < 100'000; ++i) x *= 1.0000001;
    return x;
  });
  came_to("future of what is computed", computed.wait_for(long_span) == std::future_status::ready, true,
          promised, 0s);
  // A thread may also end in any moment of such a wait, and then nobody else could end it.
  for (int i = 0; i < 1000; ++i) {
    const double asked = MPI_Wtime();
    auto one = std::async(std::launch::async, [i] {
      double x = 1;
      for (int k = 0; k < i * 37 % 5000 * 20; ++k) x *= 1.0000001;
      return x;
    });
    const bool is_ready = one.wait_for(long_span) == std::future_status::ready;
    const double took = MPI_Wtime() - asked;
    if (is_ready && (!simulated || took <= 5e-3)) continue;
    std::printf("FAIL future %d of what is computed: %d after %.9f s\n", i, is_ready, took);
    ++failures;
  }
  // Whether the wait has to look at the clock at all depends on who is faster, the thread or the wait.
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &after, nullptr);

  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  std::printf("%s waits_cxx\n", all == 0 ? "PASS" : "FAIL");
  MPI_Finalize();
  return all == 0 ? 0 : 1;
}
