#include "runs/runner.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "emulator/core/error.h"
#include "pvmshim/launch/process/interrupt.h"

namespace morgana {
namespace {

using nlohmann::json;

/// Between a child and its parent: one JSON text, {"outcome": ..., "figures": {...}} or {"error": ...}.
std::string told_by(const Job& job) {
  json answer;
  try {
    const RunOutcome outcome = job.action();
    answer = {{"outcome", outcome.word}, {"figures", outcome.figures}};
  } catch (const std::exception& error) {
    answer = {{"error", error.what()}};
  }
  return answer.dump(-1, ' ', false, json::error_handler_t::replace);
}

void write_all(int fd, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno != EINTR) return;  // nobody listens any more
    if (n > 0) done += static_cast<std::size_t>(n);
  }
}

[[noreturn]] void be_child(const Job& job, int pipe, pid_t parent) {
  // Whoever kills the parent ends the run too: politely, so that the run ends what it has started.
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(1);
  leave_message_to_parent();
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) ::dup2(nowhere, STDOUT_FILENO);
  write_all(pipe, told_by(job));
  ::_exit(0);
}

/// A child and what it has told so far. Ends the child.
class Child {
 public:
  Child(std::size_t index, const Job& job) : index_(index) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) refuse(job, errno);
    const pid_t parent = ::getpid();
    std::fflush(nullptr);  // or the child would print it again
    pid_ = ::fork();
    if (pid_ == 0) be_child(job, ends[1], parent);
    const int cause = errno;
    ::close(ends[1]);
    read_end_ = ends[0];
    if (pid_ < 0) {
      ::close(read_end_);
      refuse(job, cause);
    }
  }
  ~Child() {
    if (pid_ > 0) {
      ask_to_end();
      await();
    }
    if (read_end_ >= 0) ::close(read_end_);
  }
  Child(Child&& other) noexcept
      : index_(other.index_),
        pid_(std::exchange(other.pid_, -1)),
        read_end_(std::exchange(other.read_end_, -1)),
        told_(std::move(other.told_)) {}
  Child& operator=(Child&& other) noexcept {
    std::swap(index_, other.index_);
    std::swap(pid_, other.pid_);
    std::swap(read_end_, other.read_end_);
    std::swap(told_, other.told_);
    return *this;
  }

  void ask_to_end() const { ::kill(pid_, SIGTERM); }
  std::size_t index() const { return index_; }
  int read_end() const { return read_end_; }
  /// Reads what there is. @return false at the end
  bool listen() {
    std::array<char, 4096> room{};
    const ssize_t n = ::read(read_end_, room.data(), room.size());
    if (n > 0) told_.append(room.data(), static_cast<std::size_t>(n));
    return n > 0 || (n < 0 && errno == EINTR);
  }
  RunOutcome outcome(const Job& job) {
    const int status = await();
    const json answer = json::parse(told_, nullptr, false);
    if (answer.is_discarded()) {
      throw Error(fmt::format("{}: the process that made this run was ended {}", job.name,
                              WIFSIGNALED(status) ? fmt::format("by signal {}", WTERMSIG(status))
                                                  : std::string("before it could tell its results")));
    }
    if (answer.contains("error"))
      throw Error(fmt::format("{}: {}", job.name, answer.at("error").get<std::string>()));
    return {answer.at("outcome"), answer.at("figures").get<Figures>()};
  }

 private:
  [[noreturn]] static void refuse(const Job& job, int cause) {
    throw Error(fmt::format("{}: cannot start a process: {}; ask for fewer at a time with -j", job.name,
                            std::strerror(cause)));
  }
  int await() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return status;
  }

  std::size_t index_;
  pid_t pid_ = -1;
  int read_end_ = -1;
  std::string told_;
};

/// Waits for news, a fifth of a second at most. @return children that have ended, the oldest first
std::vector<Child> ended_among(std::vector<Child>& children) {
  std::vector<pollfd> waiting;
  for (const Child& child : children) waiting.push_back({child.read_end(), POLLIN, 0});
  constexpr int milliseconds = 200;
  std::vector<Child> ended;
  if (::poll(waiting.data(), waiting.size(), milliseconds) <= 0) return ended;
  std::vector<Child> going;
  for (std::size_t i = 0; i < children.size(); ++i) {
    const bool goes_on = waiting[i].revents == 0 || children[i].listen();
    (goes_on ? going : ended).push_back(std::move(children[i]));
  }
  children = std::move(going);
  return ended;
}

}  // namespace

void Runner::run(std::span<const Job> jobs, const std::function<void(std::size_t, const RunOutcome&)>& ended,
                 const std::function<void(std::size_t)>& idle) const {
  std::vector<Child> children;
  // All at once, not one after the other.
  const auto end_all = [&children](const void*) {
    for (const Child& child : children) child.ask_to_end();
  };
  const std::unique_ptr<const void, decltype(end_all)> at_the_end(&children, end_all);
  std::size_t next = 0;
  while (next < jobs.size() || !children.empty()) {
    throw_if_interrupted();
    for (; next < jobs.size() && children.size() < side_by_side_; ++next)
      children.emplace_back(next, jobs[next]);
    if (idle) idle(children.front().index());
    for (Child& child : ended_among(children)) {
      throw_if_interrupted();  // then the child was, too, and what it tells is that
      ended(child.index(), child.outcome(jobs[child.index()]));
    }
  }
}

std::size_t processors_here() {
  return static_cast<std::size_t>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
}

}  // namespace morgana
