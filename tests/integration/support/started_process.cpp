#include "tests/integration/support/started_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <stdexcept>

namespace morgana::test {
namespace {

/// Of the started process, made before it is there: whoever reads it then finds nothing older.
int open_output(const std::string& folder, const char* name) {
  return ::open((folder + '/' + name).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
}

[[noreturn]] void become(char* const* arguments, const char* folder, char* environment, int out, int err) {
  ::setpgid(0, 0);
  if (::chdir(folder) != 0) ::_exit(126);
  ::dup2(::open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  ::putenv(environment);
  ::execvp(arguments[0], arguments);
  ::_exit(127);
}

}  // namespace

StartedProcess::StartedProcess(const std::vector<std::string>& command, const std::string& folder,
                               const std::string& environment) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const int out_file = open_output(folder, out), err_file = open_output(folder, err);
  pid_ = ::fork();
  if (pid_ == 0)
    become(arguments.data(), folder.c_str(), const_cast<char*>(environment.c_str()), out_file, err_file);
  ::close(out_file);
  ::close(err_file);
  if (pid_ < 0) throw std::runtime_error("fork");
}

StartedProcess::~StartedProcess() {
  if (!running()) return;
  ::kill(pid_, SIGKILL);
  int status = 0;
  ::waitpid(pid_, &status, 0);
}

std::chrono::nanoseconds StartedProcess::processor_time() {
  clockid_t clock{};
  timespec used{};
  if (!status_ && ::clock_getcpuclockid(pid_, &clock) == 0 && ::clock_gettime(clock, &used) == 0)
    processor_time_ = std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
  return processor_time_;
}

bool StartedProcess::running() {
  int status = 0;
  siginfo_t end{};
  if (!status_ && ::waitid(P_PID, static_cast<id_t>(pid_), &end, WEXITED | WNOHANG | WNOWAIT) == 0 &&
      end.si_pid == pid_)
    processor_time();  // before it is reaped: nobody can tell afterwards
  if (!status_ && ::waitpid(pid_, &status, WNOHANG) == pid_) status_ = status;
  return !status_;
}

std::optional<int> StartedProcess::exit_code_within(std::chrono::milliseconds limit) {
  if (running()) {
    pollfd end{static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)), POLLIN, 0};
    ::poll(&end, 1, static_cast<int>(limit.count()));
    ::close(end.fd);
    if (running()) return std::nullopt;
  }
  return WIFEXITED(*status_) ? WEXITSTATUS(*status_) : 128 + WTERMSIG(*status_);
}

}  // namespace morgana::test
