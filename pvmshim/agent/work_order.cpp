#include "pvmshim/agent/work_order.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "emulator/core/standard_error.h"
#include "pvmshim/agent/frame.h"
#include "pvmshim/agent/setup.h"

namespace morgana {
namespace {

/// As a shell says it.
constexpr int not_started = 127;

}  // namespace

int be_worker(const WorkOrder& order, const Stream& stream) {
  take_over(order.folder, order.environment);
  setenv(worker_variable, std::to_string(stream.descriptor()).c_str(), 1);
  fcntl(stream.descriptor(), F_SETFD, 0);
  std::string name = "morgana";
  std::vector<std::string> words = order.arguments;
  std::vector<char*> arguments{name.data()};
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  const pid_t parent = getpid(), worker = fork();
  if (worker < 0)
    throw Error(fmt::format("can't start a process on {}: {}", own_machine(), std::strerror(errno)));
  if (worker == 0) {
    if (nothing >= 0) {
      dup2(nothing, STDIN_FILENO);
      dup2(nothing, STDOUT_FILENO);
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent) execv("/proc/self/exe", arguments.data());
    _exit(not_started);
  }
  int status = 0;
  while (waitpid(worker, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) != not_started) return WEXITSTATUS(status);
  if (WIFEXITED(status)) throw Error(fmt::format("can't start this command again on {}", own_machine()));
  print_error(
      fmt::format("morgana: on {} this command was ended by signal {}\n", own_machine(), WTERMSIG(status)));
  return EXIT_FAILURE;
}

std::vector<std::byte> encode(const WorkOrder& order) {
  ContentWriter to;
  to.text(order.folder);
  put_texts(to, order.environment);
  put_texts(to, order.arguments);
  return to.bytes();
}

std::vector<std::byte> encode(const RunList& list) {
  return ContentWriter().number(list.number).number(list.jobs).number(list.hash).number(list.room).bytes();
}

WorkOrder decode_work_order(std::span<const std::byte> content) {
  ContentReader from(content);
  WorkOrder order;
  order.folder = from.text();
  order.environment = texts_from(from);
  order.arguments = texts_from(from);
  return order;
}

RunList decode_run_list(std::span<const std::byte> content) {
  ContentReader from(content);
  RunList list;
  list.number = from.number();
  list.jobs = from.number();
  list.hash = from.number();
  list.room = from.number();
  return list;
}

}  // namespace morgana
