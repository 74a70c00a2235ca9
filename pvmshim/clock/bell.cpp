#include "pvmshim/clock/bell.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <limits>

namespace morgana {

void Bell::ring() {
  if (const void* const place = ring_under_lock()) wake_at(place);
}

const void* Bell::ring_under_lock() {
  ++rings_;
  return sleepers_ == 0 ? nullptr : &rings_;
}

// A sleeper that has noticed by itself may have ended meanwhile, and its bell with it: then the kernel finds
// nobody there, or somebody who looks again, as all do who sleep on a futex.
void Bell::wake_at(const void* place) {
  const int before = errno;
  syscall(SYS_futex, place, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
  errno = before;
}

// Others see a sleep without a limit as a wait for a thread.
void Bell::wait(std::uint32_t heard) {
  ++sleepers_;
  while (rings_ == heard) syscall(SYS_futex, &rings_, FUTEX_WAIT_PRIVATE, heard, nullptr, nullptr, 0);
  --sleepers_;
}

bool Bell::wait_or_handle(std::uint32_t heard) {
  // Without a limit the kernel would sleep again after a handler with SA_RESTART.
  constexpr timespec endless{std::numeric_limits<std::int32_t>::max(), 0};
  ++sleepers_;
  bool is_interrupted = false;
  while (rings_ == heard && !is_interrupted)
    is_interrupted =
        syscall(SYS_futex, &rings_, FUTEX_WAIT_PRIVATE, heard, &endless, nullptr, 0) != 0 && errno == EINTR;
  --sleepers_;
  return !is_interrupted;
}

void Bell::wait(std::uint32_t heard, std::chrono::nanoseconds longest) {
  ++sleepers_;
  const timespec span{longest.count() / 1'000'000'000, longest.count() % 1'000'000'000};
  syscall(SYS_futex, &rings_, FUTEX_WAIT_PRIVATE, heard, &span, nullptr, 0);
  --sleepers_;
}

}  // namespace morgana
