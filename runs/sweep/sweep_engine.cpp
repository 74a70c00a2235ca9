#include "runs/sweep/sweep_engine.h"

#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <optional>
#include <set>
#include <system_error>

#include "pvmshim/agent/agent_start.h"
#include "pvmshim/launch/process/guardian.h"
#include "pvmshim/launch/process/interrupt.h"
#include "pvmshim/launch/process/program_check.h"
#include "runs/command_text.h"

namespace morgana {
namespace {

/// Slurm knows the sweep by it, so that it can be cancelled.
std::string name_of_job() {
  return fmt::format("morgana-sweep-{}", ::getpid());
}

/// Before the number of a task whose messages a file holds.
std::string messages_begin(const std::filesystem::path& results) {
  return results.filename().string() + ".task-";
}

std::vector<std::string> part_command(const SharedSweep& sweep) {
  std::vector<std::string> command = sweep.command;
  command.insert(command.begin() + 2, {"--part", sweep.engine == SweepEngine::mpi ? "mpi" : "slurm"});
  return command;
}

/// Slurm's tasks are not below this process.
void cancel_job() {
  std::string name = "--name=" + name_of_job(), command = "scancel", quiet = "--quiet";
  std::array<char*, 4> words{command.data(), quiet.data(), name.data(), nullptr};
  pid_t pid = 0;
  if (::posix_spawnp(&pid, command.c_str(), nullptr, nullptr, words.data(), environ) != 0) return;
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace

std::vector<std::string> SharedSweep::engine_command() const {
  std::vector<std::string> words;
  if (engine == SweepEngine::mpi) {
    words = {"mpiexec.mpich", "-n", std::to_string(parts)};
    words.insert(words.end(), options.begin(), options.end());
    const std::vector<std::string> part = part_command(*this);
    words.insert(words.end(), part.begin(), part.end());
  } else {
    words = {
        "sbatch",
        "--quiet",
        "--wait",
        "--open-mode=truncate",
        fmt::format("--array=1-{}", parts),
        "--job-name=" + name_of_job(),
        "--output=" + (std::filesystem::absolute(results).parent_path() / messages_begin(results)).string() +
            "%a.log"};
    words.insert(words.end(), options.begin(), options.end());
    words.push_back("--wrap=exec " + command_text(part_command(*this)));
  }
  return words;
}

int carry_out(const SharedSweep& sweep, const std::function<void()>& told) {
  const std::vector<std::string> command = sweep.engine_command();
  find_program(command.front());
  Guardian engine(command, environment_here(), STDIN_FILENO);
  try {
    while (true) {
      if (const std::optional<int> status = engine.launcher_status())
        return WIFEXITED(*status) ? WEXITSTATUS(*status) : 128 + WTERMSIG(*status);
      throw_if_interrupted();
      told();
      constexpr int milliseconds = 200;
      pollfd news{engine.news(), POLLIN, 0};
      ::poll(&news, 1, milliseconds);
    }
  } catch (...) {
    if (sweep.engine == SweepEngine::slurm) cancel_job();
    throw;
  }
}

std::string take_messages(const std::filesystem::path& results) {
  std::vector<std::filesystem::path> files;
  std::error_code unreadable;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::absolute(results).parent_path(), unreadable)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(messages_begin(results)) && name.ends_with(".log")) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  std::set<std::string> lines;  // tasks that fail for the same reason say it once
  std::string text;
  for (const std::filesystem::path& path : files) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);)
      if (lines.insert(line).second) text += line + '\n';
    std::filesystem::remove(path, unreadable);
  }
  return text;
}

}  // namespace morgana
