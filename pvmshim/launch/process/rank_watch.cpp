#include "pvmshim/launch/process/rank_watch.h"

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
#include "pvmshim/launch/process/interrupt.h"
#include "pvmshim/launch/process/process_state.h"

namespace morgana {
namespace {

constexpr std::uint64_t stop_event = ~std::uint64_t{0};
constexpr std::uint64_t job_event = stop_event - 1;
constexpr std::uint64_t output_event = stop_event - 2;

int valid_descriptor(int descriptor) {
  if (descriptor < 0) throw Error(fmt::format("can't watch the ranks' processes: {}", strerror(errno)));
  return descriptor;
}

}  // namespace

RankWatch::RankWatch(pid_t job, int output, std::function<bool(Rank)> finished, std::function<void()> news)
    : finished_(std::move(finished)),
      news_(std::move(news)),
      events_(valid_descriptor(epoll_create1(EPOLL_CLOEXEC))),
      stop_(valid_descriptor(eventfd(0, EFD_CLOEXEC))),
      job_descriptor_(valid_descriptor(static_cast<int>(syscall(SYS_pidfd_open, job, 0)))),
      output_(output) {
  add(stop_event, stop_);
  add(job_event, job_descriptor_);
  add(output_event, output_);
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
  for (const Watched& one : watched_)
    if (one.descriptor >= 0) close(one.descriptor);
  close(job_descriptor_);
  close(stop_);
  close(events_);
}

void RankWatch::add(std::uint64_t key, int descriptor) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = key;
  valid_descriptor(epoll_ctl(events_, EPOLL_CTL_ADD, descriptor, &event));
}

bool RankWatch::add(Rank rank, pid_t process) {
  const std::lock_guard lock(mutex_);
  const auto is_this = [process](const Watched& one) { return one.process == process; };
  if (std::any_of(watched_.begin(), watched_.end(), is_this)) return false;
  const int descriptor = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
  if (descriptor < 0) {  // it has ended already
    if (errno != ESRCH) valid_descriptor(descriptor);
    ended(watched_.emplace_back(Watched{rank, process, descriptor}));
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
  const auto signal_of = [](const End& death) {
    return WIFSIGNALED(*death.status) ? WTERMSIG(*death.status) : 0;
  };
  // MPICH tells other ranks by SIGUSR1 that one has died (those that have not begun die by it), or ends them.
  const auto is_cause = [&](const End& death) {
    const int signal = death.status ? signal_of(death) : SIGKILL;
    return signal != SIGKILL && signal != SIGTERM && signal != SIGUSR1;
  };
  const auto may_be_cause = [&](const End& death) { return !death.status || signal_of(death) != SIGUSR1; };
  while (true) {
    const bool more = more_to_come() && interrupted() == 0;  // asked before: it may be told meanwhile
    {
      const std::lock_guard lock(mutex_);
      const End& first = deaths_.front();
      const auto cause = std::find_if(deaths_.begin(), deaths_.end(), is_cause);
      // (A script ends in its own way when the program that it has started is killed.)
      if (cause != deaths_.end()) return cause->rank == first.rank ? first : *cause;
      if (!more) {
        const auto likely = std::find_if(deaths_.begin(), deaths_.end(), may_be_cause);
        return likely != deaths_.end() ? *likely : first;
      }
    }
    // Killed: by whom? If by MPICH, the one that it was killed for has begun to end before that.
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void RankWatch::forget(const End& end) {
  const std::lock_guard lock(mutex_);
  const auto same = std::ranges::find_if(
      deaths_, [&](const End& one) { return one.rank == end.rank && one.status == end.status; });
  if (same != deaths_.end()) deaths_.erase(same);
  has_death_ = !deaths_.empty();
  if (deaths_.empty()) syscall(SYS_pidfd_send_signal, job_descriptor_, SIGCONT, nullptr, 0);
}

void RankWatch::watch() {
  while (true) {
    epoll_event event{};
    if (epoll_wait(events_, &event, 1, -1) != 1) continue;
    if (event.data.u64 == stop_event) return;
    if (event.data.u64 == job_event) {
      epoll_ctl(events_, EPOLL_CTL_DEL, job_descriptor_, nullptr);
      job_ended_ = true;
    } else if (event.data.u64 == output_event) {
      epoll_ctl(events_, EPOLL_CTL_DEL, output_, nullptr);
      output_has_news_ = true;
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

bool RankWatch::more_to_come() const {
  const std::lock_guard lock(mutex_);
  return std::any_of(watched_.begin(), watched_.end(), [](const Watched& one) {
    pollfd ready{one.descriptor, POLLIN, 0};
    return !one.told && (state_of(one.process).is_ending() || poll(&ready, 1, 0) > 0);
  });
}

bool RankWatch::runs(Rank rank) const {
  const std::lock_guard lock(mutex_);
  return std::any_of(watched_.begin(), watched_.end(),
                     [rank](const Watched& one) { return one.rank == rank && !one.told; });
}

void RankWatch::ended(Watched& rank) {
  rank.told = true;
  End end{rank.rank, finished_(rank.rank), std::nullopt};
  // mpiexec's own account of the accident would only hide ours.
  if (!end.finished) syscall(SYS_pidfd_send_signal, job_descriptor_, SIGSTOP, nullptr, 0);
  end.status = exit_status_of(rank.process, rank.descriptor);
  if (end.finished && !(end.status && WIFSIGNALED(*end.status))) return;
  deaths_.push_back(end);
  has_death_ = true;
}

}  // namespace morgana
