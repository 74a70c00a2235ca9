#include "pvmshim/launch/rank_watch.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "emulator/core/error.h"

namespace morgana {
namespace {

constexpr std::uint64_t stop_key = ~std::uint64_t{0};
constexpr std::uint64_t job_key = stop_key - 1;

int checked(int descriptor) {
  if (descriptor < 0) throw Error(fmt::format("can't watch the ranks' processes: {}", strerror(errno)));
  return descriptor;
}

}  // namespace

RankWatch::RankWatch(pid_t job, std::function<bool(Rank)> is_death, std::function<void()> news)
    : is_death_(std::move(is_death)),
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

void RankWatch::add(Rank rank, pid_t process) {
  const int descriptor = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
  const std::lock_guard lock(mutex_);
  if (descriptor < 0) {  // it has ended already
    if (errno != ESRCH) checked(descriptor);
    if (!death_ && is_death_(rank)) death_ = End{rank, std::nullopt};
    has_death_ = death_.has_value();
    return;
  }
  watched_.push_back({rank, process, descriptor});
  add(watched_.size() - 1, descriptor);
}

std::optional<RankWatch::End> RankWatch::death() const {
  if (!has_death_.load()) return std::nullopt;
  const std::lock_guard lock(mutex_);
  return death_;
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
  const Watched ended = watched_[key];
  epoll_ctl(events_, EPOLL_CTL_DEL, ended.descriptor, nullptr);
  if (death_ || !is_death_(ended.rank)) return;
  // mpiexec's own account of the accident would only hide ours.
  syscall(SYS_pidfd_send_signal, job_descriptor_, SIGSTOP, nullptr, 0);
  death_ = End{ended.rank, exit_status_of(ended.process, ended.descriptor)};
  has_death_ = true;
}

}  // namespace morgana
