#include "pvmshim/launch/rank_watch.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "emulator/core/error.h"

namespace morgana {
namespace {

constexpr std::uint64_t stop_key = ~std::uint64_t{0};
constexpr std::uint64_t job_key = stop_key - 1;

constexpr int looks_for_cause = 20;

int checked(int descriptor) {
  if (descriptor < 0) throw Error(fmt::format("can't watch the ranks' processes: {}", strerror(errno)));
  return descriptor;
}

}  // namespace

RankWatch::RankWatch(pid_t job, std::function<bool(Rank)> finished, std::function<void()> news)
    : finished_(std::move(finished)),
      news_(std::move(news)),
      events_(checked(epoll_create1(EPOLL_CLOEXEC))),
      stop_(checked(eventfd(0, EFD_CLOEXEC))),
      job_descriptor_(checked(static_cast<int>(syscall(SYS_pidfd_open, job, 0)))) {
  add(stop_key, stop_);
  add(job_key, job_descriptor_);
  // Signals are for the thread that waits for the emulator.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { watch(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

RankWatch::~RankWatch() {
  eventfd_write(stop_, 1);
  thread_.join();
  for (const Watched& one : watched_) close(one.descriptor);
  close(job_descriptor_);
  close(stop_);
  close(events_);
}

void RankWatch::add(std::uint64_t key, int descriptor) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = key;
  checked(epoll_ctl(events_, EPOLL_CTL_ADD, descriptor, &event));
}

bool RankWatch::add(Rank rank, pid_t process) {
  const std::lock_guard lock(mutex_);
  const auto is_this = [process](const Watched& one) { return one.process == process; };
  if (std::any_of(watched_.begin(), watched_.end(), is_this)) return false;
  const int descriptor = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
  if (descriptor < 0) {  // it has ended already
    if (errno != ESRCH) checked(descriptor);
    ended({rank, process, descriptor});
    return true;
  }
  watched_.push_back({rank, process, descriptor});
  // A process that has ended meanwhile is told now, not by the watching thread some time later.
  pollfd ready{descriptor, POLLIN, 0};
  if (poll(&ready, 1, 0) > 0)
    ended(watched_.back());
  else
    add(watched_.size() - 1, descriptor);
  return true;
}

std::optional<RankWatch::End> RankWatch::death() const {
  if (!has_death_.load()) return std::nullopt;
  // MPICH tells other ranks by SIGUSR1 that one has died, or ends them.
  const auto is_cause = [](const End& death) {
    if (!death.status) return false;
    const int signal = WIFSIGNALED(*death.status) ? WTERMSIG(*death.status) : 0;
    return signal != SIGKILL && signal != SIGTERM && signal != SIGUSR1;
  };
  for (int look = 0;; ++look) {
    {
      const std::lock_guard lock(mutex_);
      const End& first = deaths_.front();
      const auto cause = std::find_if(deaths_.begin(), deaths_.end(), is_cause);
      // (A script ends in its own way when the program that it has started is killed.)
      if (cause != deaths_.end()) return cause->rank == first.rank ? first : *cause;
      if (look == looks_for_cause) return first;
    }
    // Killed: by whom? If by MPICH, the one that it was killed for takes no longer to end than this.
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void RankWatch::watch() {
  while (true) {
    epoll_event event{};
    if (epoll_wait(events_, &event, 1, -1) != 1) continue;
    if (event.data.u64 == stop_key) return;
    if (event.data.u64 == job_key) {
      epoll_ctl(events_, EPOLL_CTL_DEL, job_descriptor_, nullptr);
      job_ended_ = true;
    } else {
      rank_ended(event.data.u64);
    }
    news_();
  }
}

void RankWatch::rank_ended(std::size_t key) {
  const std::lock_guard lock(mutex_);
  epoll_ctl(events_, EPOLL_CTL_DEL, watched_[key].descriptor, nullptr);
  ended(watched_[key]);
}

void RankWatch::ended(const Watched& rank) {
  End end{rank.rank, finished_(rank.rank), std::nullopt};
  // mpiexec's own account of the accident would only hide ours.
  if (!end.finished) syscall(SYS_pidfd_send_signal, job_descriptor_, SIGSTOP, nullptr, 0);
  end.status = exit_status_of(rank.process, rank.descriptor);
  if (end.finished && !(end.status && WIFSIGNALED(*end.status))) return;
  deaths_.push_back(end);
  has_death_ = true;
}

}  // namespace morgana
