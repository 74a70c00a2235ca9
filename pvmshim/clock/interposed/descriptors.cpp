// The C library's calls that wait for descriptors with a time limit; without one, as far as a timer of the
// program may end them.

#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <span>

#include "pvmshim/clock/interposed/readiness.h"
#include "pvmshim/clock/interposed/real_time.h"
#include "pvmshim/clock/libc_call.h"
#include "pvmshim/clock/program_timers.h"
#include "pvmshim/clock/time_of_day.h"
#include "pvmshim/clock/timed_wait.h"

using namespace morgana;

namespace {

using Span = std::chrono::nanoseconds;

constexpr timespec in_ns(int ms) {
  return {ms / 1000, ms % 1000 * 1'000'000L};
}

/// Waits for what a call of the C library counts. @param attempt  a function of a span of real time
template <typename Attempt>
int count_within(LiveRank& rank, const timespec& span, EndedBy ended_by, Attempt attempt) {
  const auto within = [&](Span slice) -> std::optional<int> {
    const timespec real = as_timespec(slice);
    const int count = attempt(&real);
    return count == 0 ? std::nullopt : std::optional(count);
  };
  return wait_within(rank, TimeLimit::within(time_of(span)), ended_by, within).value_or(0);
}

/// Whether a call with this limit is one that waits, and whose clock is simulated.
LiveRank* waiter_for(const void* caller, const timespec* span) {
  if (span == nullptr || !is_valid(*span) || (span->tv_sec == 0 && span->tv_nsec == 0)) return nullptr;
  return rank_for(caller);
}

/// A wait without a limit. @param ended_by  a function: who can end it. @param wait  a function that waits
template <typename Who, typename Wait>
int wait_forever(const void* caller, Who ended_by, Wait wait) {
  LiveRank* const rank = ProgramTimers::own().any() ? rank_for(caller) : nullptr;
  if (rank == nullptr || ended_by() == EndedBy::outside) return wait();
  const WaitForTimer mark;
  return wait();
}

EndedBy who_makes_one_ready(const pollfd* files, nfds_t count) {
  const bool outside = std::any_of(files, files + count, [](const pollfd& file) {
    return file.fd >= 0 && who_makes_ready(file.fd) == EndedBy::outside;
  });
  return outside || has_had_children() ? EndedBy::outside : EndedBy::threads;
}

int poll_forever(const void* caller, pollfd* files, nfds_t count, const sigset_t* mask) {
  return wait_forever(
      caller, [=] { return who_makes_one_ready(files, count); },
      [=] { return MORGANA_LIBC(ppoll)(files, count, nullptr, mask); });
}

int epoll_forever(const void* caller, int epoll, epoll_event* events, int most, const sigset_t* mask) {
  return wait_forever(
      caller, [=] { return who_makes_epoll_ready(epoll); },
      [=] { return MORGANA_LIBC(epoll_pwait)(epoll, events, most, -1, mask); });
}

int poll_within(LiveRank& rank, pollfd* files, nfds_t count, const timespec& span, const sigset_t* mask) {
  const auto attempt = [=](const timespec* real) { return MORGANA_LIBC(ppoll)(files, count, real, mask); };
  const timespec none{};
  if (const int ready = attempt(&none); ready != 0) return ready;
  const bool outside = std::any_of(files, files + count, [](const pollfd& file) {
    return file.fd >= 0 && who_makes_ready(file.fd) == EndedBy::outside;
  });
  return count_within(rank, span, outside ? EndedBy::outside : EndedBy::threads, attempt);
}

/// The three sets of a select(), as it changes them.
class Selected {
 public:
  Selected(int count, fd_set* reading, fd_set* writing, fd_set* failing)
      : count_(count),
        bytes_(static_cast<std::size_t>((count + 63) / 64 * 8)),
        sets_{reading, writing, failing} {}

  bool fits() const { return count_ >= 0 && count_ <= FD_SETSIZE; }
  void keep() {
    for (std::size_t i = 0; i < sets_.size(); ++i)
      if (sets_[i] != nullptr) std::memcpy(&kept_[i], sets_[i], bytes_);
  }
  void put_back() {
    for (std::size_t i = 0; i < sets_.size(); ++i)
      if (sets_[i] != nullptr) std::memcpy(sets_[i], &kept_[i], bytes_);
  }
  /// Of those kept.
  EndedBy who_makes_one_ready() const {
    for (int file = 0; file < count_; ++file)
      for (std::size_t i = 0; i < sets_.size(); ++i)
        if (sets_[i] != nullptr && FD_ISSET(file, &kept_[i]) && who_makes_ready(file) == EndedBy::outside)
          return EndedBy::outside;
    return EndedBy::threads;
  }

 private:
  int count_;
  std::size_t bytes_;
  std::array<fd_set*, 3> sets_;
  std::array<fd_set, 3> kept_;
};

int select_forever(const void* caller, int count, fd_set* reading, fd_set* writing, fd_set* failing,
                   const sigset_t* mask) {
  const auto wait = [=] { return MORGANA_LIBC(pselect)(count, reading, writing, failing, nullptr, mask); };
  Selected selected(count, reading, writing, failing);
  if (!selected.fits()) return wait();
  selected.keep();
  return wait_forever(
      caller, [&] { return selected.who_makes_one_ready(); }, wait);
}

int select_within(LiveRank& rank, int count, fd_set* reading, fd_set* writing, fd_set* failing,
                  const timespec& span, const sigset_t* mask) {
  Selected selected(count, reading, writing, failing);
  if (!selected.fits()) return MORGANA_LIBC(pselect)(count, reading, writing, failing, &span, mask);
  selected.keep();
  const auto attempt = [&](const timespec* real) {
    selected.put_back();
    return MORGANA_LIBC(pselect)(count, reading, writing, failing, real, mask);
  };
  const timespec none{};
  if (const int ready = attempt(&none); ready != 0) return ready;
  const int ready = count_within(rank, span, selected.who_makes_one_ready(), attempt);
  if (ready < 0) selected.put_back();  // as the kernel leaves them
  return ready;
}

/// Before Linux 5.11 or glibc 2.35 only milliseconds are known.
int wait_really(int epoll, epoll_event* events, int most, const timespec* span, const sigset_t* mask) {
  using Wait = int(int, epoll_event*, int, const timespec*, const sigset_t*);
  static auto* const exact = libc_call<Wait>("epoll_pwait2");
  if (exact != nullptr) {
    const int count = exact(epoll, events, most, span, mask);
    if (count >= 0 || errno != ENOSYS) return count;
  }
  const int ms = static_cast<int>(span->tv_sec * 1000 + (span->tv_nsec + 999'999) / 1'000'000);
  return MORGANA_LIBC(epoll_pwait)(epoll, events, most, ms, mask);
}

int epoll_within(LiveRank& rank, int epoll, epoll_event* events, int most, const timespec& span,
                 const sigset_t* mask) {
  const auto attempt = [=](const timespec* real) { return wait_really(epoll, events, most, real, mask); };
  const timespec none{};
  if (const int ready = attempt(&none); ready != 0) return ready;
  return count_within(rank, span, who_makes_epoll_ready(epoll), attempt);
}

}  // namespace

MORGANA_EXPORT int poll(pollfd* files, nfds_t count, int ms) {
  if (ms < 0) return poll_forever(__builtin_return_address(0), files, count, nullptr);
  const timespec span = in_ns(ms);
  LiveRank* const rank = waiter_for(__builtin_return_address(0), &span);
  return rank == nullptr ? MORGANA_LIBC(poll)(files, count, ms)
                         : poll_within(*rank, files, count, span, nullptr);
}

MORGANA_EXPORT int ppoll(pollfd* files, nfds_t count, const timespec* span, const sigset_t* mask) {
  if (span == nullptr) return poll_forever(__builtin_return_address(0), files, count, mask);
  LiveRank* const rank = waiter_for(__builtin_return_address(0), span);
  return rank == nullptr ? MORGANA_LIBC(ppoll)(files, count, span, mask)
                         : poll_within(*rank, files, count, *span, mask);
}

// What they are where the program is compiled with checks (_FORTIFY_SOURCE).

MORGANA_EXPORT int __poll_chk(pollfd* files, nfds_t count, int ms, std::size_t size) {
  if (ms < 0 && size / sizeof *files >= count)
    return poll_forever(__builtin_return_address(0), files, count, nullptr);
  const timespec span = in_ns(std::max(ms, 0));
  LiveRank* const rank = waiter_for(__builtin_return_address(0), ms > 0 ? &span : nullptr);
  using Poll = int(pollfd*, nfds_t, int, std::size_t);
  static auto* const real = libc_call<Poll>("__poll_chk");
  if (rank == nullptr || size / sizeof *files < count) return real(files, count, ms, size);
  return poll_within(*rank, files, count, span, nullptr);
}

MORGANA_EXPORT int __ppoll_chk(pollfd* files, nfds_t count, const timespec* span, const sigset_t* mask,
                               std::size_t size) {
  if (span == nullptr && size / sizeof *files >= count)
    return poll_forever(__builtin_return_address(0), files, count, mask);
  LiveRank* const rank = waiter_for(__builtin_return_address(0), span);
  using Poll = int(pollfd*, nfds_t, const timespec*, const sigset_t*, std::size_t);
  static auto* const real = libc_call<Poll>("__ppoll_chk");
  if (rank == nullptr || size / sizeof *files < count) return real(files, count, span, mask, size);
  return poll_within(*rank, files, count, *span, mask);
}

/// Linux says in `limit` what is left of it.
MORGANA_EXPORT int select(int count, fd_set* reading, fd_set* writing, fd_set* failing, timeval* limit) {
  if (limit == nullptr)
    return select_forever(__builtin_return_address(0), count, reading, writing, failing, nullptr);
  const timespec span{limit->tv_sec + limit->tv_usec / 1'000'000, limit->tv_usec % 1'000'000 * 1000};
  LiveRank* const rank = waiter_for(__builtin_return_address(0), &span);
  if (rank == nullptr) return MORGANA_LIBC(select)(count, reading, writing, failing, limit);
  const auto now = [&] { return rank->look_at_clock(wait_with_limit).value_or(rank->latest()); };
  const SimTime begin = now();
  const int ready = select_within(*rank, count, reading, writing, failing, span, nullptr);
  const SimTime left = ready == 0 ? SimTime() : time_of(span) - (now() - begin);
  *limit = timeval_of(std::max(SimTime(), left));
  return ready;
}

MORGANA_EXPORT int pselect(int count, fd_set* reading, fd_set* writing, fd_set* failing, const timespec* span,
                           const sigset_t* mask) {
  if (span == nullptr)
    return select_forever(__builtin_return_address(0), count, reading, writing, failing, mask);
  LiveRank* const rank = waiter_for(__builtin_return_address(0), span);
  return rank == nullptr ? MORGANA_LIBC(pselect)(count, reading, writing, failing, span, mask)
                         : select_within(*rank, count, reading, writing, failing, *span, mask);
}

MORGANA_EXPORT int epoll_wait(int epoll, epoll_event* events, int most, int ms) {
  if (ms < 0) return epoll_forever(__builtin_return_address(0), epoll, events, most, nullptr);
  const timespec span = in_ns(std::max(ms, 0));
  LiveRank* const rank = waiter_for(__builtin_return_address(0), ms > 0 ? &span : nullptr);
  return rank == nullptr ? MORGANA_LIBC(epoll_wait)(epoll, events, most, ms)
                         : epoll_within(*rank, epoll, events, most, span, nullptr);
}

MORGANA_EXPORT int epoll_pwait(int epoll, epoll_event* events, int most, int ms, const sigset_t* mask) {
  if (ms < 0) return epoll_forever(__builtin_return_address(0), epoll, events, most, mask);
  const timespec span = in_ns(std::max(ms, 0));
  LiveRank* const rank = waiter_for(__builtin_return_address(0), ms > 0 ? &span : nullptr);
  return rank == nullptr ? MORGANA_LIBC(epoll_pwait)(epoll, events, most, ms, mask)
                         : epoll_within(*rank, epoll, events, most, span, mask);
}

MORGANA_EXPORT int epoll_pwait2(int epoll, epoll_event* events, int most, const timespec* span,
                                const sigset_t* mask) {
  if (span == nullptr) return epoll_forever(__builtin_return_address(0), epoll, events, most, mask);
  LiveRank* const rank = waiter_for(__builtin_return_address(0), span);
  if (rank != nullptr) return epoll_within(*rank, epoll, events, most, *span, mask);
  using Wait = int(int, epoll_event*, int, const timespec*, const sigset_t*);
  static auto* const real = libc_call<Wait>("epoll_pwait2");
  if (real != nullptr) return real(epoll, events, most, span, mask);
  errno = ENOSYS;
  return -1;
}
