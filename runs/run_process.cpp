#include "runs/run_process.h"

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
#include <nlohmann/json.hpp>
#include <utility>

#include "emulator/core/error.h"
#include "pvmshim/launch/process/interrupt.h"

namespace morgana {
namespace {

using nlohmann::json;

std::string text_of(const json& answer) {
  return answer.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string told_by(const Job& job) {
  try {
    return morgana::text_of(job.action());
  } catch (const std::exception& error) {
    return text_of(json{{"error", error.what()}});
  }
}

void write_all(int fd, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno != EINTR) return;  // nobody listens any more
    if (n > 0) done += static_cast<std::size_t>(n);
  }
}

[[noreturn]] void be_child(const Job& job, int pipe, pid_t parent) {
  // If the parent is killed, the run gets SIGTERM, so that it can end what it has started.
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(1);
  leave_message_to_parent();
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) ::dup2(nowhere, STDOUT_FILENO);
  write_all(pipe, told_by(job));
  ::_exit(0);
}

[[noreturn]] void refuse(const Job& job, int cause) {
  throw Error(fmt::format("{}: cannot start a process: {}; ask for fewer at a time with -j", job.name,
                          std::strerror(cause)));
}

}  // namespace

std::string text_of(const RunOutcome& outcome) {
  json text{{"outcome", outcome.word}, {"figures", outcome.figures}};
  if (!outcome.details.empty()) text["details"] = outcome.details;
  return text_of(text);
}

RunOutcome outcome_of(const std::string& text, const Job& job) {
  const json answer = json::parse(text, nullptr, false);
  std::string why;
  try {
    if (!answer.contains("error"))
      return {answer.at("outcome"), answer.at("figures").get<Figures>(), answer.value("details", "")};
    why = answer.at("error").get<std::string>();
  } catch (const json::exception&) {
    why = "what came of this run makes no sense";
  }
  throw Error(fmt::format("{}: {}", job.name, why));
}

RunProcess::RunProcess(std::size_t index, const Job& job) : index_(index) {
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

RunProcess::~RunProcess() {
  if (pid_ > 0) {
    ask_to_end();
    await();
  }
  if (read_end_ >= 0) ::close(read_end_);
}

RunProcess::RunProcess(RunProcess&& other) noexcept
    : index_(other.index_),
      pid_(std::exchange(other.pid_, -1)),
      read_end_(std::exchange(other.read_end_, -1)),
      told_(std::move(other.told_)) {}

RunProcess& RunProcess::operator=(RunProcess&& other) noexcept {
  std::swap(index_, other.index_);
  std::swap(pid_, other.pid_);
  std::swap(read_end_, other.read_end_);
  std::swap(told_, other.told_);
  return *this;
}

void RunProcess::ask_to_end() const {
  ::kill(pid_, SIGTERM);
}

bool RunProcess::listen() {
  std::array<char, 1 << 16> room{};
  const ssize_t n = ::read(read_end_, room.data(), room.size());
  if (n > 0) told_.append(room.data(), static_cast<std::size_t>(n));
  return n > 0 || (n < 0 && errno == EINTR);
}

std::string RunProcess::told() {
  const int status = await();
  if (!json::parse(told_, nullptr, false).is_discarded()) return told_;
  return text_of(
      json{{"error", fmt::format("the process that made this run was ended {}",
                                 WIFSIGNALED(status) ? fmt::format("by signal {}", WTERMSIG(status))
                                                     : std::string("before it could tell its results"))}});
}

int RunProcess::await() {
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return status;
}

std::vector<RunProcess> ended_among(std::vector<RunProcess>& runs, int news) {
  std::vector<pollfd> waiting;
  for (const RunProcess& run : runs) waiting.push_back({run.read_end(), POLLIN, 0});
  waiting.push_back({news, POLLIN, 0});
  constexpr int milliseconds = 200;
  std::vector<RunProcess> ended;
  if (::poll(waiting.data(), waiting.size(), milliseconds) <= 0) return ended;
  std::vector<RunProcess> going;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const bool goes_on = waiting[i].revents == 0 || runs[i].listen();
    (goes_on ? going : ended).push_back(std::move(runs[i]));
  }
  runs = std::move(going);
  return ended;
}

}  // namespace morgana
