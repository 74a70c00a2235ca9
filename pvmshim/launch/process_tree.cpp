#include "pvmshim/launch/process_tree.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>

#include "pvmshim/launch/proc_file.h"

namespace morgana {
namespace {

namespace fs = std::filesystem;

struct Process {
  pid_t pid;
  bool zombie;
};
/// Children by parent; ordered, so that processes are always ended in the same order.
using Children = std::multimap<pid_t, Process>;

Children all_processes() {
  Children children;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    const pid_t pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 0) continue;
    // "pid (name) state parent ...", and the name may hold anything.
    const std::string status = read_proc_file(entry.path() / "stat");
    const std::size_t after_name = status.rfind(')');
    if (after_name == std::string::npos || after_name + 4 >= status.size()) continue;
    const char state = status[after_name + 2];
    const pid_t parent = std::atoi(status.c_str() + after_name + 4);
    children.emplace(parent, Process{pid, state == 'Z' || state == 'X'});
  }
  return children;
}

/// A process's environment, each variable between two zeros.
std::string environment_of(pid_t pid) {
  return '\0' + read_proc_file("/proc/" + std::to_string(pid) + "/environ");
}

bool carries(pid_t pid, const std::string& mark) {
  return environment_of(pid).find('\0' + mark + '\0') != std::string::npos;
}

std::optional<int> rank_of(pid_t pid) {
  static const std::string variable = std::string(1, '\0') + "PMI_RANK=";
  const std::string environment = environment_of(pid);
  const std::size_t at = environment.find(variable);
  if (at == std::string::npos) return std::nullopt;
  return std::atoi(environment.c_str() + at + variable.size());
}

}  // namespace

std::vector<pid_t> ProcessTree::running() {
  const Children children = all_processes();
  std::vector<Process> job;
  const auto [first, last] = children.equal_range(getpid());
  for (auto own = first; own != last; ++own) {
    const auto [pid, zombie] = own->second;
    if (!zombie && (pid == root_ || carries(pid, mark_))) job.push_back(own->second);
    if (zombie && pid != root_ && known_.contains(pid)) waitpid(pid, nullptr, WNOHANG);
  }
  for (std::size_t i = 0; i < job.size(); ++i) {
    const auto [from, to] = children.equal_range(job[i].pid);
    for (auto below = from; below != to; ++below) job.push_back(below->second);
  }
  std::vector<pid_t> found;
  for (const auto [pid, zombie] : job) {
    known_.insert(pid);
    if (!zombie) found.push_back(pid);
  }
  return found;
}

std::vector<std::pair<int, pid_t>> ProcessTree::ranks() const {
  std::vector<std::pair<int, pid_t>> found;
  const Children children = all_processes();
  // mpiexec has proxies, and they have the ranks.
  const auto [first_proxy, last_proxy] = children.equal_range(root_);
  for (auto proxy = first_proxy; proxy != last_proxy; ++proxy) {
    const auto [first, last] = children.equal_range(proxy->second.pid);
    for (auto process = first; process != last; ++process)
      if (const auto rank = rank_of(process->second.pid)) found.emplace_back(*rank, process->second.pid);
  }
  return found;
}

}  // namespace morgana
