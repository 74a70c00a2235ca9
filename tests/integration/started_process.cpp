#include "tests/integration/started_process.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>
#include <thread>

namespace morgana::test {
namespace {

[[noreturn]] void become(char* const* arguments, const char* folder, char* environment) {
  ::setpgid(0, 0);
  if (::chdir(folder) != 0) ::_exit(126);
  const auto open_as = [](int descriptor, const char* name, int flags) {
    ::dup2(::open(name, flags | O_CLOEXEC, S_IRUSR | S_IWUSR), descriptor);
  };
  open_as(STDIN_FILENO, "/dev/null", O_RDONLY);
  open_as(STDOUT_FILENO, StartedProcess::out, O_WRONLY | O_CREAT | O_TRUNC);
  open_as(STDERR_FILENO, StartedProcess::err, O_WRONLY | O_CREAT | O_TRUNC);
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
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("fork");
  if (pid_ == 0) become(arguments.data(), folder.c_str(), const_cast<char*>(environment.c_str()));
}

StartedProcess::~StartedProcess() {
  if (!running()) return;
  ::kill(pid_, SIGKILL);
  int status = 0;
  ::waitpid(pid_, &status, 0);
}

bool StartedProcess::running() {
  int status = 0;
  if (!status_ && ::waitpid(pid_, &status, WNOHANG) == pid_) status_ = status;
  return !status_;
}

std::optional<int> StartedProcess::exit_code_within(std::chrono::milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (running()) {
    if (std::chrono::steady_clock::now() > deadline) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return WIFEXITED(*status_) ? WEXITSTATUS(*status_) : 128 + WTERMSIG(*status_);
}

}  // namespace morgana::test
