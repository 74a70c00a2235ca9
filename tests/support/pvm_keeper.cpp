// pvm_keeper DAEMON FOLDER: runs a PVM daemon whose files lie in FOLDER (its environment says so). Writes one
// byte to standard output once tasks can enrol, and nothing if they never can. When its standard input ends,
// because who has started it has closed it or has died, it ends the daemon and all that the daemon has
// started, removes FOLDER and ends itself.

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace {

constexpr int patience_ms = 10'000;

/// @param output  gets what it prints
/// @return its process, or -1
pid_t start_daemon(const char* program, int& output) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return -1;
  const pid_t pid = ::fork();
  if (pid == 0) {
    const int nothing = ::open("/dev/null", O_RDWR);
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(ends[1], STDOUT_FILENO);
    ::dup2(nothing, STDERR_FILENO);
    ::execl(program, program, static_cast<char*>(nullptr));
    ::_exit(127);
  }
  ::close(ends[1]);
  output = ends[0];
  return pid;
}

/// Until the daemon has printed its address. @return false if it has ended instead, or nobody waits any more
bool becomes_ready(int output) {
  pollfd both[] = {{output, POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
  while (::poll(both, 2, -1) < 0 && errno == EINTR) {
  }
  char address[256];
  return both[1].revents == 0 && ::read(output, address, sizeof address) > 0;
}

void wait_for_end_of_input() {
  char unread = 0;
  ssize_t count = 0;
  do count = ::read(STDIN_FILENO, &unread, 1);
  while (count > 0 || (count < 0 && errno == EINTR));
}

/// The daemon stops its tasks when it is asked to end; should it hang, it is killed.
void end(pid_t daemon) {
  const int handle = static_cast<int>(::syscall(SYS_pidfd_open, daemon, 0));
  ::kill(daemon, SIGTERM);
  pollfd ended{handle, POLLIN, 0};
  if (handle < 0 || ::poll(&ended, 1, patience_ms) != 1) ::kill(daemon, SIGKILL);
  ::waitpid(daemon, nullptr, 0);
}

/// Ends what the daemon has left behind: orphans become this process's children.
void end_orphans() {
  const std::string list = "/proc/self/task/" + std::to_string(::getpid()) + "/children";
  while (true) {
    std::ifstream file(list);
    pid_t pid = 0;
    bool any = false;
    while (file >> pid) any = ::kill(pid, SIGKILL) == 0 || any;
    if (!any) return;
    while (::waitpid(-1, nullptr, 0) > 0) {
    }
  }
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) return 2;
  ::signal(SIGPIPE, SIG_IGN);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  int output = -1;
  const pid_t daemon = start_daemon(words[1], output);
  if (daemon > 0 && becomes_ready(output)) {
    const char ready = '!';
    if (::write(STDOUT_FILENO, &ready, 1) == 1) wait_for_end_of_input();
  }
  ::close(STDOUT_FILENO);
  if (daemon > 0) end(daemon);
  end_orphans();
  std::error_code ignored;
  std::filesystem::remove_all(words[2], ignored);
  return 0;
}
