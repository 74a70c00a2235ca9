#include "pvmshim/launch/process/guardian.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "pvmshim/launch/process/blocked_signals.h"
#include "pvmshim/launch/process/open_files.h"
#include "pvmshim/launch/process/orphaned_memory.h"
#include "pvmshim/launch/process/pointers_to.h"
#include "pvmshim/launch/process/process_tree.h"

namespace morgana {
namespace {

/// What the guardian tells: first whether the launcher has started, later how it ended.
struct News {
  enum Kind : int { started, not_started, ended } kind;
  int value;  ///< a process, an errno, a status
};

int pidfd_of(pid_t process) {
  return static_cast<int>(syscall(SYS_pidfd_open, process, 0));
}

bool readable(int descriptor, int timeout) {
  pollfd ready{descriptor, POLLIN, 0};
  return poll(&ready, 1, timeout) > 0;
}

/// However often a signal interrupts it. @return whether there was any
bool receive(int from, News& news) {
  ssize_t size = 0;
  do size = read(from, &news, sizeof news);
  while (size < 0 && errno == EINTR);
  return size == static_cast<ssize_t>(sizeof news);
}

void move_input(const Guardian::Input& input) {
  if (input.is_the_launchers) return;
  if (input.descriptor >= 0) dup2(STDIN_FILENO, input.descriptor);
  dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
}

/// In the child: becomes the launcher, with the signals as a shell would leave them.
[[noreturn]] void become(char* const* arguments, char* const* environment, const Guardian::Input& input,
                         pid_t parent, int failure) {
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_DFL);
  BlockedSignals::let_in();
  // The ranks' output takes another way; its own account of an accident would only hide ours.
  dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
  move_input(input);
  execvpe(arguments[0], arguments, environment);
  const int why = errno;
  (void)!write(failure, &why, sizeof why);
  _exit(127);
}

News start(char* const* arguments, char* const* environment, const Guardian::Input& input) {
  int failure[2];
  if (pipe2(failure, O_CLOEXEC) != 0) return {News::not_started, errno};
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) become(arguments, environment, input, parent, failure[1]);
  int why = child < 0 ? errno : 0;
  close(failure[1]);
  const bool started = child > 0 && read(failure[0], &why, sizeof why) == 0;
  close(failure[0]);
  if (started) return {News::started, child};
  if (child > 0) waitpid(child, nullptr, 0);
  return {News::not_started, why};
}

/// How a child has ended; it stays a zombie, so that nobody else is given its number yet.
int status_of(pid_t child) {
  siginfo_t end{};
  waitid(P_PID, static_cast<id_t>(child), &end, WEXITED | WNOWAIT);
  return end.si_code == CLD_EXITED ? W_EXITCODE(end.si_status, 0) : end.si_status;
}

/// What a guardian is told, and holds.
struct Charge {
  char* const* arguments;
  char* const* environment;
  pid_t parent;
  int news;
  int lifeline;
  int until_all_ended;
  Guardian::Input input;
};

/// Holds nothing of what the parent has open but what it needs.
void let_go(const Charge& charge) {
  const int nowhere = open("/dev/null", O_RDWR);
  for (const int standard : {0, 1, 2}) dup2(nowhere, standard);
  close_all_but({0, 1, 2, charge.news, charge.lifeline, charge.until_all_ended});
}

[[noreturn]] void guard(const Charge& charge) {
  setsid();
  prctl(PR_SET_NAME, "morgana-guard");
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const auto begin = OrphanedMemory::now();
  // No signal of the terminal's or a shell's is for it: who it guards decides.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(signal, SIG_IGN);
  BlockedSignals::let_in();
  const News first = start(charge.arguments, charge.environment, charge.input);
  if (write(charge.news, &first, sizeof first) < 0 || first.kind != News::started) _exit(0);
  let_go(charge);
  const int parent_end = pidfd_of(charge.parent);
  const pid_t launcher = first.value;
  int launcher_end = pidfd_of(launcher);
  // The lifeline alone would do, did no other process ever inherit its far end.
  while (getppid() == charge.parent) {
    std::array<pollfd, 3> ends{
        {{charge.lifeline, POLLIN, 0}, {parent_end, POLLIN, 0}, {launcher_end, POLLIN, 0}}};
    if (poll(ends.data(), ends.size(), -1) <= 0) continue;
    if (ends[2].revents != 0) {
      const News last{News::ended, status_of(launcher)};
      (void)!write(charge.news, &last, sizeof last);
      close(std::exchange(launcher_end, -1));
    }
    if (ends[0].revents != 0 || ends[1].revents != 0) break;
  }
  ProcessTree(getpid(), {}).end({launcher});
  while (waitpid(-1, nullptr, WNOHANG) > 0) {
  }
  OrphanedMemory::remove_since(begin);
  _exit(0);
}

}  // namespace

Guardian::Guardian(const std::vector<std::string>& arguments, const std::vector<std::string>& environment,
                   int until_all_ended, Input input) {
  const std::vector<char*> words = pointers_to(arguments);
  const std::vector<char*> variables = pointers_to(environment);
  int news[2];
  int lifeline[2];
  if (pipe2(news, O_CLOEXEC) != 0) throw Error(fmt::format("can't open a pipe: {}", strerror(errno)));
  if (pipe2(lifeline, O_CLOEXEC) != 0) {
    const int why = errno;
    close(news[0]);
    close(news[1]);
    throw Error(fmt::format("can't open a pipe: {}", strerror(why)));
  }
  const pid_t parent = getpid();
  {
    const BlockedSignals blocked;  // what interrupts this process is not for the guardian
    process_ = fork();
    if (process_ == 0)
      guard({words.data(), variables.data(), parent, news[1], lifeline[0], until_all_ended, input});
  }
  const int why = errno;
  close(news[1]);
  close(lifeline[0]);
  news_ = news[0];
  lifeline_ = lifeline[1];
  // From here on: should this process end where it is, it waits for what the guardian ends.
  if (process_ > 0) helper_.emplace(process_, lifeline_, HelperProcess::Patience::long_enough);
  News first{News::not_started, process_ < 0 ? why : ECHILD};
  if (process_ > 0 && !receive(news_, first)) first = {News::not_started, ECHILD};
  if (first.kind == News::started) {
    launcher_ = first.value;
    return;
  }
  end_all();
  close(news_);
  throw_if_interrupted();
  const char* hint =
      first.value == ENOENT ? "; is the package mpich installed? (run `morgana doctor` to check)" : "";
  throw Error(fmt::format("can't start {}: {}{}", arguments.at(0), strerror(first.value), hint));
}

Guardian::~Guardian() {
  end_all();
  close(news_);
}

std::optional<int> Guardian::launcher_status() {
  if (status_ || !readable(news_, 0)) return status_;
  News last{};
  // The guardian was killed, and so was the launcher.
  if (!receive(news_, last)) last = {News::ended, SIGKILL};
  return status_ = last.value;
}

void Guardian::end_all() {
  if (lifeline_ >= 0) close(std::exchange(lifeline_, -1));
  if (process_ <= 0) return;
  kill(process_, SIGCONT);  // should it be stopped
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
  helper_.reset();
  process_ = 0;
}

}  // namespace morgana
