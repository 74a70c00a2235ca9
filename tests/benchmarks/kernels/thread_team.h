#pragma once

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>
#include <vector>

#include "benchmarks/kernels/common/kernel.h"

namespace morgana::kernels::test {

/// Messages between threads. A receive of another length or kind than was sent is an error of the kernel.
class Post {
 public:
  using Address = std::tuple<int, int, int>;  ///< from, to, tag
  struct Letter {
    Element element;
    std::vector<char> bytes;
  };

  void put(Address address, Letter letter) {
    const std::lock_guard lock(mutex_);
    letters_[address].push_back(std::move(letter));
    arrived_.notify_all();
  }
  Letter get(Address address) {
    std::unique_lock lock(mutex_);
    std::deque<Letter>& queue = letters_[address];
    arrived_.wait(lock, [&] { return !queue.empty(); });
    Letter letter = std::move(queue.front());
    queue.pop_front();
    return letter;
  }
  /// Whether everything that was sent was received.
  bool empty() const {
    for (const auto& [address, queue] : letters_) {
      if (!queue.empty()) return false;
    }
    return true;
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::map<Address, std::deque<Letter>> letters_;
};

/// A worker that is a thread of this process.
class ThreadTeam : public Team {
 public:
  /// @param spoilt  which of its messages reaches the receiver with all signs turned: 0 the first one; -1
  /// none
  ThreadTeam(int rank, int size, Post& post, std::int64_t spoilt = -1)
      : Team(rank, size), post_(post), spoilt_(spoilt) {}

  void finish() override {}
  double seconds() const override { return 0.0; }

 protected:
  void post(int to, int tag, Element element, const void* values, std::size_t count) override {
    const char* const bytes = static_cast<const char*>(values);
    Post::Letter letter{element, {bytes, bytes + count * bytes_of(element)}};
    if (sent_++ == spoilt_) {
      // The sign is the highest bit of the last byte.
      for (std::size_t i = bytes_of(element); i <= letter.bytes.size(); i += bytes_of(element)) {
        letter.bytes[i - 1] = static_cast<char>(letter.bytes[i - 1] ^ 0x80);
      }
    }
    post_.put({rank(), to, tag}, std::move(letter));
  }
  void take(int from, int tag, Element element, void* values, std::size_t count) override {
    const Post::Letter letter = post_.get({from, rank(), tag});
    if (letter.element != element || letter.bytes.size() != count * bytes_of(element)) {
      std::fprintf(stderr, "worker %d expects %zu values of worker %d, tag %d, and gets %zu bytes\n", rank(),
                   count, from, tag, letter.bytes.size());
      std::abort();
    }
    std::memcpy(values, letter.bytes.data(), letter.bytes.size());
  }

 private:
  Post& post_;
  std::int64_t spoilt_, sent_ = 0;
};

/// Calls work(team) for each of `workers` threads. @return whether no message was left over
/// @param spoilt  a message of worker 1, as of ThreadTeam
inline bool run_threads(int workers, const std::function<void(Team&)>& work, std::int64_t spoilt = -1) {
  Post post;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < workers; ++rank) {
    threads.emplace_back([&, rank] {
      ThreadTeam team(rank, workers, post, rank == 1 ? spoilt : -1);
      work(team);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return post.empty();
}

/// What a kernel found, and what its workers sent each other.
struct KernelRun {
  Outcome outcome;
  Traffic traffic;
  std::int64_t messages_of_worker_1 = 0;
  bool all_received = false;
};

inline KernelRun run_kernel(const Kernel& kernel, const Sizes& sizes, int workers, std::int64_t spoilt = -1) {
  KernelRun run;
  std::mutex mutex;
  const auto work = [&](Team& team) {
    const Outcome outcome = kernel.solve(team, sizes);
    const std::lock_guard lock(mutex);
    if (team.first()) run.outcome = outcome;
    if (team.rank() == 1) run.messages_of_worker_1 = team.traffic().messages();
    for (const auto& [length, count] : team.traffic().by_length()) run.traffic.add(length, count);
  };
  run.all_received = run_threads(workers, work, spoilt);
  return run;
}

}  // namespace morgana::kernels::test
