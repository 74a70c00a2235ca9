#include "pvmshim/launch/process/python_module.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <string>

extern char** environ;

namespace morgana {
namespace {

/// Prints the file of mpi4py's module MPI. A package is found, not imported.
constexpr const char* question =
    "import importlib.util, importlib.machinery, os\n"
    "found = importlib.util.find_spec('mpi4py')\n"
    "for folder in (found.submodule_search_locations or []) if found else []:\n"
    "    for ending in importlib.machinery.EXTENSION_SUFFIXES:\n"
    "        file = os.path.join(folder, 'MPI' + ending)\n"
    "        if os.path.exists(file):\n"
    "            print(file)\n"
    "            raise SystemExit\n";
constexpr std::chrono::seconds longest_wait{10};

/// What comes through a pipe until its other end is closed; nothing if that takes too long.
std::string read_all(int pipe) {
  std::string text;
  const auto end = std::chrono::steady_clock::now() + longest_wait;
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
    pollfd readable{pipe, POLLIN, 0};
    if (left <= 0 || poll(&readable, 1, static_cast<int>(left)) <= 0) {
      if (left > 0 && errno == EINTR) continue;
      return "";
    }
    std::array<char, 4096> part{};
    const ssize_t size = read(pipe, part.data(), part.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return text;
    text.append(part.data(), static_cast<std::size_t>(size));
  }
}

}  // namespace

std::filesystem::path mpi4py_of(const std::filesystem::path& python) {
  if (!python.filename().string().starts_with("python") && !python.filename().string().starts_with("pypy"))
    return {};
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  const std::string path = python.string();
  std::array<char*, 4> arguments{const_cast<char*>(path.c_str()), const_cast<char*>("-c"),
                                 const_cast<char*>(question), nullptr};
  pid_t process = -1;
  const int failed = posix_spawn(&process, path.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string answer = failed == 0 ? read_all(ends[0]) : "";
  close(ends[0]);
  if (failed != 0) return {};
  if (answer.empty()) kill(process, SIGKILL);  // it has ended, or does not
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return answer.substr(0, answer.find('\n'));
}

}  // namespace morgana
