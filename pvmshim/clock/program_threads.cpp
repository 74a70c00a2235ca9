#include "pvmshim/clock/program_threads.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "pvmshim/channel/processor_clock.h"

namespace morgana {
namespace {

thread_local ProgramThread* own_thread = nullptr;

using Place = ProgramThread::Place;

pid_t own_kernel_number() {
  return static_cast<pid_t>(syscall(SYS_gettid));
}

void take_on(ProgramThread& thread) {
  thread.handle = pthread_self();
  pthread_getcpuclockid(thread.handle, &thread.clock);
  thread.kernel_number = own_kernel_number();
  own_thread = &thread;
}

/// While a thread of the program changes the list it is about to say something: who looks meanwhile must not
/// take it to be asleep because it waits for the lock.
class Arrival {
 public:
  explicit Arrival(ProgramThread* thread) : thread_(thread) {
    if (thread_ == nullptr) return;
    before_ = thread_->place.load();
    thread_->place = Place::arriving;
  }
  ~Arrival() {
    if (thread_ != nullptr) thread_->place = before_;
  }
  /// The thread is about to be none any more.
  void forget() { thread_ = nullptr; }
  Arrival(const Arrival&) = delete;
  Arrival& operator=(const Arrival&) = delete;

 private:
  ProgramThread* thread_;
  Place before_ = Place::program;
};

}  // namespace

void ProgramThread::end_timed_wait(std::atomic<bool>& why) {
  why = true;
  waits_for_thread = false;
  place = Place::arriving;
  timed.bell.ring();
}

// One that a handler has left by a jump does not notice, nor one that can't be cancelled.
bool ProgramThread::sleeps_for_thread() {
  const bool sleeps = waits_for_thread && in_kernel.is_asleep(kernel_number);
  const bool has_noticed = interruptions == timed.interruptions && !timed.is_cancelled;
  if (!sleeps || place != Place::timed || has_noticed) {
    waits_since = -1;
    return sleeps;
  }
  const std::int64_t wall = read_clock_ns(CLOCK_MONOTONIC).value_or(0);
  if (waits_since < 0) waits_since = wall;
  return wall - waits_since > patience_with_slices_ns;
}

ProgramThreads& ProgramThreads::own() {
  // Never destroyed: threads may end after everything else.
  static auto* const threads = new ProgramThreads;
  return *threads;
}

ProgramThreads::ProgramThreads() {
  take_on(add());
  // Only the forking thread goes on in a child.
  pthread_atfork(
      [] {
        if (own_thread != nullptr) own_thread->while_forking.emplace();
        own().mutex_.lock();
      },
      [] {
        own().mutex_.unlock();
        if (own_thread != nullptr) own_thread->while_forking.reset();
      },
      [] {
        ProgramThreads& threads = own();
        // The others' are never destroyed: somebody seems to wait in them.
        auto* const gone = new std::list<ProgramThread>;
        for (auto one = threads.threads_.begin(); one != threads.threads_.end();) {
          const auto thread = one++;
          if (&*thread != own_thread) gone->splice(gone->end(), threads.threads_, thread);
        }
        if (own_thread != nullptr) {
          own_thread->kernel_number = own_kernel_number();
          own_thread->in_kernel.forget();
        }
        threads.living_ = threads.threads_.size();
        threads.news_ = nullptr;
        threads.mutex_.unlock();
        if (own_thread != nullptr) own_thread->while_forking.reset();
      });
}

ProgramThread& ProgramThreads::add() {
  ProgramThread& thread = threads_.emplace_back();
  thread.number = created_++;
  living_ = threads_.size();
  return thread;
}

ProgramThread& ProgramThreads::self_locked() {
  if (own_thread != nullptr) return *own_thread;
  ProgramThread& thread = add();
  take_on(thread);
  thread.used_when_left = used_by(thread);
  thread.rests_when_left = own_rests();
  remember_others(thread);
  return thread;
}

ProgramThread& ProgramThreads::self() {
  if (own_thread != nullptr) return *own_thread;
  const ThreadsLock lock(*this);
  return self_locked();
}

ProgramThread* ProgramThreads::known_self() {
  return own_thread;
}

std::int64_t ProgramThreads::used_by(const ProgramThread& thread) const {
  if (thread.kernel_number == 0) return 0;
  return read_clock_ns(&thread == own_thread ? CLOCK_THREAD_CPUTIME_ID : thread.clock)
      .value_or(thread.used_when_left);
}

SimTime ProgramThreads::time_of(const ProgramThread& thread) const {
  const SimTime left = SimTime::from_ps(thread.left_ps);
  if (ps_per_ns_ <= 0 || thread.place == Place::turn) return left;
  const double computed = static_cast<double>(used_by(thread) - thread.used_when_left) * ps_per_ns_;
  return left + SimTime::from_ps(std::max<std::int64_t>(0, static_cast<std::int64_t>(computed)));
}

std::int64_t ProgramThreads::used_in_program(const ProgramThread& thread) const {
  return thread.used_before + (thread.is_in_call() ? 0 : used_by(thread) - thread.used_when_left);
}

std::int64_t ProgramThreads::own_rests() {
  rusage use{};
  getrusage(RUSAGE_THREAD, &use);
  return use.ru_nvcsw;
}

void ProgramThreads::remember_others(ProgramThread& thread) const {
  if (ps_per_ns_ <= 0) return;
  for (const ProgramThread& other : threads_)
    if (&other != &thread) thread.others_when_left[other.number] = used_in_program(other);
}

ProgramThread* ProgramThreads::about_to_create() {
  const Arrival arrival(own_thread);
  const ThreadsLock lock(*this);
  const SimTime now = time_of(self_locked());
  ProgramThread& thread = add();
  thread.left_ps = now.ps();
  remember_others(thread);
  return &thread;
}

void ProgramThreads::not_created(ProgramThread* thread) {
  const ThreadsLock lock(*this);
  threads_.remove_if([thread](const ProgramThread& one) { return &one == thread; });
  living_ = threads_.size();
}

void ProgramThreads::begins(ProgramThread* thread) {
  const ThreadsLock lock(*this);
  ended_.erase(pthread_self());
  take_on(*thread);
  thread->rests_when_left = own_rests();
}

void ProgramThreads::ends(ProgramThread* thread) {
  Arrival arrival(thread);
  const ThreadsLock lock(*this);
  const SimTime end = time_of(*thread);
  ended_[thread->handle] = end.ps();
  for (ProgramThread& joiner : threads_) {
    if (joiner.place != Place::joining || pthread_equal(joiner.joins, thread->handle) == 0) continue;
    joiner.place = Place::arriving;  // as soon as the kernel lets it
    joiner.left_ps = std::max(time_of(joiner), end).ps();
    joiner.used_when_left = used_by(joiner);
  }
  own_thread = nullptr;
  arrival.forget();
  threads_.remove_if([thread](const ProgramThread& one) { return &one == thread; });
  living_ = threads_.size();
  if (news_ != nullptr) ring(*news_);
}

void ProgramThreads::ring(Bell& bell) {
  const void* const place = bell.ring_under_lock();
  if (place == nullptr) return;
  if (rung_.size() == rung_.capacity()) return Bell::wake_at(place);
  rung_.push_back(place);
}

void ProgramThreads::joins(pthread_t handle) {
  if (own_thread == nullptr || own_thread->place != Place::program) return;
  own_thread->place = Place::arriving;
  const ThreadsLock lock(*this);
  own_thread->joins = handle;
  own_thread->place = ended_.contains(handle) ? Place::arriving : Place::joining;
}

void ProgramThreads::timed_join_begins(pthread_t handle) {
  const Arrival arrival(own_thread);
  const ThreadsLock lock(*this);
  ProgramThread& joiner = self_locked();
  joiner.joins = handle;
  joiner.joins_within = true;
}

void ProgramThreads::timed_join_ends() {
  const Arrival arrival(own_thread);
  const ThreadsLock lock(*this);
  self_locked().joins_within = false;
}

void ProgramThreads::joined(pthread_t handle) {
  const ThreadsLock lock(*this);
  if (own_thread != nullptr && (own_thread->place == Place::joining || own_thread->place == Place::arriving))
    own_thread->place = Place::program;
  const auto ended = ended_.find(handle);
  if (ended == ended_.end()) return;
  ProgramThread& joiner = self_locked();
  const SimTime now = time_of(joiner);
  if (now.ps() < ended->second) joiner.left_ps += ended->second - now.ps();
  ended_.erase(ended);
}

}  // namespace morgana
