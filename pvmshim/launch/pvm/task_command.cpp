#include "pvmshim/launch/pvm/task_command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "pvmshim/launch/process/launcher_environment.h"
#include "pvmshim/launch/process/pointers_to.h"
#include "pvmshim/pvmd/codes.h"
#include "pvmshim/pvmd/request.h"

namespace morgana {
namespace {

namespace fs = std::filesystem;

constexpr int exec_failed = 127;

std::vector<std::string> parts_of(const char* list) {
  std::vector<std::string> parts;
  for (std::string rest = list == nullptr ? "" : list; !rest.empty();) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    if (end > 0) parts.push_back(rest.substr(0, end));
    rest.erase(0, end + 1);
  }
  return parts;
}

}  // namespace

std::vector<std::string> task_folders(const fs::path& first_program) {
  std::vector<std::string> folders = parts_of(std::getenv("PVM_PATH"));
  if (const char* home = std::getenv("HOME"))
    folders.push_back(fmt::format("{}/pvm3/bin/{}", home, pvm::architecture));
  const char* root = std::getenv("PVM_ROOT");
  folders.push_back(fmt::format("{}/bin/{}", root == nullptr ? "/usr/lib/pvm3" : root, pvm::architecture));
  folders.push_back(fs::absolute(first_program).parent_path().string());
  for (std::string& folder : parts_of(std::getenv("PATH"))) folders.push_back(std::move(folder));
  return folders;
}

std::string find_task_program(const std::string& file, const std::vector<std::string>& folders) {
  if (file.find('/') != std::string::npos) return file;
  for (const std::string& folder : folders) {
    const fs::path candidate = fs::path(folder) / file;
    std::error_code ignored;
    if (fs::is_regular_file(candidate, ignored) && access(candidate.c_str(), X_OK) == 0)
      return candidate.string();
  }
  return "";
}

pid_t start_process(const TaskCommand& command, int& failure) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string text = *variable;
    if (is_place_in_another_job(text)) continue;
    const std::string name = text.substr(0, text.find('=') + 1);
    const auto sets_it = [&name](const std::string& own) { return own.starts_with(name); };
    if (std::none_of(command.environment.begin(), command.environment.end(), sets_it))
      variables.push_back(text);
  }
  variables.insert(variables.end(), command.environment.begin(), command.environment.end());
  const std::vector<char*> arguments = pointers_to(command.arguments);
  const std::vector<char*> environment = pointers_to(variables);
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) {
    failure = errno;
    return -1;
  }
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) {  // only what is safe between fork and exec
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(exec_failed);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    if (command.output >= 0) {
      const int nothing = open("/dev/null", O_RDONLY);
      dup2(nothing, STDIN_FILENO);
      dup2(command.output, STDOUT_FILENO);
      dup2(command.output, STDERR_FILENO);
    }
    if (command.folder.empty() || chdir(command.folder.c_str()) == 0)
      execve(command.program.c_str(), arguments.data(), environment.data());
    const int why = errno;
    (void)!write(report[1], &why, sizeof why);
    _exit(exec_failed);
  }
  failure = errno;
  close(report[1]);
  ssize_t told = -1;
  while (child > 0 && (told = read(report[0], &failure, sizeof failure)) < 0 && errno == EINTR) {
  }
  close(report[0]);
  if (told == 0) return child;
  while (child > 0 && waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return -1;
}

}  // namespace morgana
