#include "tests/integration/support/finished_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>

namespace morgana::test {
namespace {

struct Pipe {
  std::array<int, 2> ends{-1, -1};
  Pipe() {
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
  }
  ~Pipe() {
    close(0);
    close(1);
  }
  void close(std::size_t end) {
    if (ends[end] >= 0) ::close(ends[end]);
    ends[end] = -1;
  }
};

[[noreturn]] void become(const std::vector<std::string>& command, const HowToRun& how, int out, int err) {
  ::setpgid(0, 0);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, STDIN_FILENO);
  for (const std::string& variable : how.environment) ::putenv(::strdup(variable.c_str()));
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  if (::chdir(how.folder.c_str()) == 0) ::execvp(arguments[0], arguments.data());
  std::perror(arguments[0]);
  ::_exit(127);
}

/// Reads both pipes until their ends, or until `deadline`. @return whether they ended
bool collect(Pipe& out, Pipe& err, FinishedProcess& result, std::chrono::steady_clock::time_point deadline) {
  std::array<pollfd, 2> open{pollfd{out.ends[0], POLLIN, 0}, pollfd{err.ends[0], POLLIN, 0}};
  std::array<std::string*, 2> texts{&result.out, &result.err};
  while (open[0].fd >= 0 || open[1].fd >= 0) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    if (::poll(open.data(), open.size(), static_cast<int>(left.count())) < 0 && errno != EINTR) return false;
    for (std::size_t i = 0; i < open.size(); ++i) {
      if (open[i].fd < 0 || open[i].revents == 0) continue;
      std::array<char, 65536> buffer;
      const ssize_t n = ::read(open[i].fd, buffer.data(), buffer.size());
      if (n > 0) texts[i]->append(buffer.data(), static_cast<std::size_t>(n));
      if (n == 0 || (n < 0 && errno != EINTR)) open[i].fd = -1;
    }
  }
  return true;
}

}  // namespace

FinishedProcess run_to_end(const std::vector<std::string>& command, const HowToRun& how) {
  Pipe out, err;
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork");
  if (child == 0) become(command, how, out.ends[1], err.ends[1]);
  ::setpgid(child, child);
  out.close(1);
  err.close(1);

  FinishedProcess result;
  if (!collect(out, err, result, std::chrono::steady_clock::now() + how.limit)) {
    result.timed_out = true;
    ::kill(-child, SIGKILL);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace morgana::test
