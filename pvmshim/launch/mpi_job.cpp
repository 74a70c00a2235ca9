#include "pvmshim/launch/mpi_job.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "pvmshim/launch/interrupt.h"

namespace morgana {
namespace {

using namespace std::chrono_literals;

constexpr const char* mpiexec = "mpiexec.mpich";
constexpr const char* mark_variable = "MORGANA_JOB";
/// How long a process may take to end by itself when asked, and how long the kernel may take to end it.
constexpr auto grace = 500ms;
constexpr auto patience = 5s;
constexpr auto look_again = 2ms;

std::string new_mark() {
  static std::atomic<unsigned> jobs{0};
  return fmt::format("{}={}.{}", mark_variable, getpid(), ++jobs);
}

std::vector<std::string> arguments_for(const std::vector<std::string>& command, std::size_t ranks,
                                       const MpiJob::Environment& environment, MpiJob::Cleanup cleanup) {
  std::vector<std::string> arguments{mpiexec, "-n", std::to_string(ranks)};
  if (cleanup == MpiJob::Cleanup::by_us) arguments.push_back("-disable-auto-cleanup");
  for (const auto& [name, value] : environment) arguments.insert(arguments.end(), {"-genv", name, value});
  arguments.insert(arguments.end(), command.begin(), command.end());
  return arguments;
}

/// In the child: becomes mpiexec. Only what is safe between fork and exec.
[[noreturn]] void become(char* const* arguments, char* const* environment, pid_t parent, int failure) {
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);  // it has ended already
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execvpe(arguments[0], arguments, environment);
  const int why = errno;
  (void)!write(failure, &why, sizeof why);
  _exit(127);
}

pid_t start(const std::vector<std::string>& arguments, const std::string& mark) {
  std::vector<char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  std::vector<char*> variables;
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (std::strncmp(*variable, mark_variable, std::strlen(mark_variable)) != 0)
      variables.push_back(*variable);
  variables.push_back(const_cast<char*>(mark.c_str()));
  variables.push_back(nullptr);

  int failure[2];
  if (pipe2(failure, O_CLOEXEC) != 0) throw Error(fmt::format("can't open a pipe: {}", strerror(errno)));
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) become(pointers.data(), variables.data(), parent, failure[1]);
  close(failure[1]);
  int why = child < 0 ? errno : 0;
  const bool started = child > 0 && read(failure[0], &why, sizeof why) == 0;
  close(failure[0]);
  if (started) return child;
  if (child > 0) waitpid(child, nullptr, 0);
  throw Error(fmt::format("can't start {}: {}; is the package mpich installed? ('morgana doctor' tells)",
                          mpiexec, strerror(why)));
}

}  // namespace

MpiJob::MpiJob(const std::vector<std::string>& command, std::size_t ranks, const Environment& environment,
               Cleanup cleanup)
    : mark_(new_mark()),
      pid_(start(arguments_for(command, ranks, environment, cleanup), mark_)),
      processes_(pid_, mark_) {
  // Processes whose parents end before them must not get away.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

MpiJob::~MpiJob() {
  terminate();
}

std::optional<int> MpiJob::exit_code() {
  int status = 0;
  if (!exit_code_ && waitpid(pid_, &status, WNOHANG) == pid_)
    exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return exit_code_;
}

int MpiJob::wait() {
  const int descriptor = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
  while (!exit_code()) {
    pollfd ended{descriptor, POLLIN, 0};
    poll(&ended, 1, static_cast<int>((100ms).count()));  // not for ever: a signal may come just before
    if (interrupted()) break;
  }
  close(descriptor);
  if (!exit_code_) throw_if_interrupted();
  return *exit_code_;
}

void MpiJob::terminate() {
  if (!exit_code()) {
    // First the ranks' processes are known, then mpiexec goes, so that it has nothing to say about the rest.
    processes_.running();
    kill(pid_, SIGKILL);
  }
  const auto start = std::chrono::steady_clock::now();
  std::vector<pid_t> asked;
  while (true) {
    exit_code();
    const std::vector<pid_t> left = processes_.running();
    const auto waited = std::chrono::steady_clock::now() - start;
    if ((left.empty() && exit_code_) || waited > grace + patience) return;
    for (const pid_t pid : left) {
      if (waited > grace) {
        kill(pid, SIGKILL);
      } else if (std::find(asked.begin(), asked.end(), pid) == asked.end()) {
        kill(pid, SIGTERM);
        kill(pid, SIGCONT);
        asked.push_back(pid);
      }
    }
    std::this_thread::sleep_for(look_again);
  }
}

}  // namespace morgana
