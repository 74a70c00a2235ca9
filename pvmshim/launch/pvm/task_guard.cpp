#include "pvmshim/launch/pvm/task_guard.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <thread>

#include "pvmshim/launch/process/blocked_signals.h"
#include "pvmshim/launch/process/proc_file.h"

namespace morgana {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds longest_search{5};
constexpr std::chrono::milliseconds between_searches{5};

/// @return how many there were
int kill_all_with(const std::string& mark) {
  const std::string looked_for = '\0' + mark + '\0';
  int found = 0;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    const pid_t pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 0 || pid == getpid()) continue;
    // A zombie has no environment.
    if (('\0' + read_proc_file(entry.path() / "environ")).find(looked_for) == std::string::npos) continue;
    ++found;
    kill(pid, SIGKILL);
  }
  return found;
}

[[noreturn]] void guard(const std::string& mark, pid_t parent, int lifeline) {
  setsid();
  prctl(PR_SET_NAME, "morgana-guard");
  // No signal of the terminal's or a shell's is for it: who it guards decides.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(signal, SIG_IGN);
  BlockedSignals::let_in();
  const int parent_end = static_cast<int>(syscall(SYS_pidfd_open, parent, 0));
  // Holds nothing of what the parent has open but these two.
  constexpr int kept_lifeline = STDERR_FILENO + 1, kept_parent = kept_lifeline + 1;
  const int high_lifeline = fcntl(lifeline, F_DUPFD, kept_parent + 1);
  const int high_parent = fcntl(parent_end, F_DUPFD, kept_parent + 1);
  dup2(high_lifeline, kept_lifeline);
  dup2(high_parent, kept_parent);
  const int nowhere = open("/dev/null", O_RDWR);
  for (const int standard : {0, 1, 2}) dup2(nowhere, standard);
  syscall(SYS_close_range, static_cast<unsigned>(kept_parent) + 1, ~0U, 0U);
  while (getppid() == parent) {
    pollfd ends[2] = {{kept_lifeline, POLLIN, 0}, {kept_parent, POLLIN, 0}};
    if (poll(ends, 2, -1) > 0) break;
  }
  // One that forks while it is looked for is found the next time.
  const auto deadline = std::chrono::steady_clock::now() + longest_search;
  while (kill_all_with(mark) > 0 && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(between_searches);
  _exit(0);
}

}  // namespace

TaskGuard::TaskGuard(const std::string& mark) {
  int lifeline[2];
  if (pipe2(lifeline, O_CLOEXEC) != 0) throw Error(fmt::format("can't open a pipe: {}", strerror(errno)));
  const pid_t parent = getpid();
  {
    const BlockedSignals blocked;
    process_ = fork();
    if (process_ == 0) {
      close(lifeline[1]);
      guard(mark, parent, lifeline[0]);
    }
  }
  const int why = errno;
  close(lifeline[0]);
  lifeline_ = lifeline[1];
  if (process_ > 0) {
    helper_.emplace(process_, lifeline_, HelperProcess::Patience::long_enough);
    return;
  }
  close(lifeline_);
  throw Error(fmt::format("can't start a process that guards the tasks: {}", strerror(why)));
}

TaskGuard::~TaskGuard() {
  close(lifeline_);
  kill(process_, SIGCONT);  // should it be stopped
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
  helper_.reset();
}

}  // namespace morgana
