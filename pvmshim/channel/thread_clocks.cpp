#include "pvmshim/channel/thread_clocks.h"

#include <algorithm>
#include <ctime>

#include "pvmshim/channel/processor_clock.h"

namespace morgana {
namespace {

std::int64_t own_thread_ns() {
  return read_clock_ns(CLOCK_THREAD_CPUTIME_ID).value_or(0);
}

}  // namespace

ThreadClocks& ThreadClocks::own() {
  // Never destroyed: threads may end after everything else.
  static auto* const clocks = new ThreadClocks;
  return *clocks;
}

ThreadClocks::ThreadClocks() {
  threads_.push_back({pthread_self(), CLOCK_THREAD_CPUTIME_ID, false, 0, 0});
  // Only the forking thread goes on in a child.
  pthread_atfork([] { own().mutex_.lock(); }, [] { own().mutex_.unlock(); },
                 [] {
                   ThreadClocks& clocks = own();
                   clocks.threads_.remove_if([](const Thread& thread) {
                     return pthread_equal(thread.handle, pthread_self()) == 0;
                   });
                   if (clocks.threads_.empty()) clocks.threads_.push_back({pthread_self(), {}, false, 0, 0});
                   clocks.shown_ = nullptr;
                   clocks.mutex_.unlock();
                 });
}

/// How many threads can run beside each other.
std::uint32_t ThreadClocks::beside() const {
  const auto threads = static_cast<std::uint32_t>(at_once_);
  return most_ == 0 ? threads : std::min(threads, most_);
}

void ThreadClocks::show() {
  at_once_ = std::max(at_once_, threads_.size());
  if (shown_ == nullptr) return;
  if (shown_->beside.load() < beside()) shown_->beside.store(beside());
  const auto at_once = static_cast<std::uint32_t>(at_once_);
  if (shown_->at_once.load() < at_once) shown_->at_once.store(at_once);
}

/// Of the calling thread.
ThreadClocks::Thread& ThreadClocks::own_thread() {
  const auto own = std::ranges::find_if(
      threads_, [](const Thread& thread) { return pthread_equal(thread.handle, pthread_self()) != 0; });
  return own == threads_.end() ? threads_.front() : *own;
}

ThreadClocks::Thread* ThreadClocks::about_to_create() {
  const std::lock_guard lock(mutex_);
  Thread& creator = own_thread();
  if (!several_.load(std::memory_order_relaxed)) {
    // So far it has been alone, and the process's clock its own.
    creator.handle = pthread_self();
    pthread_getcpuclockid(creator.handle, &creator.clock);
    creator.runs = true;
    creator.before = 0;
    creator.begin = own_thread_ns() - (own_processor_ns() - processor_);
    several_.store(true, std::memory_order_relaxed);
  }
  threads_.push_back({{}, {}, false, 0, creator.way(own_thread_ns())});
  show();
  return &threads_.back();
}

void ThreadClocks::not_created(Thread* thread) {
  const std::lock_guard lock(mutex_);
  threads_.remove_if([&](const Thread& one) { return &one == thread; });
}

void ThreadClocks::begins(Thread* thread) {
  const std::lock_guard lock(mutex_);
  thread->handle = pthread_self();
  pthread_getcpuclockid(thread->handle, &thread->clock);
  thread->begin = 0;
  thread->runs = true;
}

void ThreadClocks::ends(Thread* thread) {
  const std::lock_guard lock(mutex_);
  const std::int64_t way = thread->way(own_thread_ns());
  ended_[thread->handle] = way;
  longest_ended_ = std::max(longest_ended_, way);
  threads_.remove_if([&](const Thread& one) { return &one == thread; });
}

void ThreadClocks::joined(pthread_t handle) {
  if (!several()) return;
  const std::lock_guard lock(mutex_);
  const auto ended = ended_.find(handle);
  if (ended == ended_.end()) return;
  Thread& joiner = own_thread();
  joiner.before += std::max<std::int64_t>(0, ended->second - joiner.way(own_thread_ns()));
  ended_.erase(ended);
}

void ThreadClocks::show_in(Shown& shown, std::uint32_t most) {
  const std::lock_guard lock(mutex_);
  shown_ = &shown;
  most_ = most;
  show();
}

void ThreadClocks::stretch_begins(std::int64_t processor) {
  const std::lock_guard lock(mutex_);
  processor_ = processor;
  at_once_ = threads_.size();
  if (shown_ != nullptr) shown_->beside.store(beside());
  ended_.clear();
  longest_ended_ = 0;
  several_.store(threads_.size() > 1, std::memory_order_relaxed);
  if (threads_.size() == 1) return;
  for (Thread& thread : threads_) {
    thread.before = 0;
    if (thread.runs) thread.begin = read_clock_ns(thread.clock).value_or(thread.begin);
  }
}

std::int64_t ThreadClocks::stretch_ends(std::int64_t processor) {
  const std::lock_guard lock(mutex_);
  std::int64_t longest = longest_ended_;
  for (const Thread& thread : threads_)
    if (thread.runs)
      longest = std::max(longest, thread.way(read_clock_ns(thread.clock).value_or(thread.begin)));
  return std::max(longest, (processor - processor_) / beside());
}

}  // namespace morgana
