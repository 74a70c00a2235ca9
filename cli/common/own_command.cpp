#include "cli/common/own_command.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>

#include "emulator/core/error.h"
#include "pvmshim/launch/process/interrupt.h"
#include "pvmshim/launch/process/program_check.h"

namespace morgana::cli {
namespace {

namespace fs = std::filesystem;

/// In the child, which may call nothing but what is safe between fork and exec.
[[noreturn]] void become_command(const char* program, char* const* words, const char* folder, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(127);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (chdir(folder) == 0) execv(program, words);
  _exit(127);
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

int run_own_command(const std::vector<std::string>& arguments, const fs::path& folder) {
  const std::string program = fs::read_symlink("/proc/self/exe").string();
  std::vector<std::string> words{"morgana"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  std::fflush(nullptr);
  const pid_t parent = getpid(), child = fork();
  if (child < 0) throw Error(fmt::format("cannot start {}: {}", program, std::strerror(errno)));
  if (child == 0) become_command(program.c_str(), pointers.data(), folder.c_str(), parent);
  const int ended = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  constexpr int milliseconds = 20;
  while (ended >= 0) {
    pollfd end{ended, POLLIN, 0};
    if (poll(&end, 1, milliseconds) > 0) break;
    if (const int signal = interrupted(); signal != 0) {
      kill(child, signal);
      break;
    }
  }
  if (ended >= 0) close(ended);
  const int code = wait_for(child);
  throw_if_interrupted();
  return code;
}

std::string name_as_called(const fs::path& program) {
  std::string name = program.filename().string();
  try {
    std::error_code unknown;
    if (fs::equivalent(find_program(name), program, unknown)) return name;
  } catch (const Error&) {
    // PATH does not lead to it.
  }
  return fs::absolute(program).string();
}

}  // namespace morgana::cli
