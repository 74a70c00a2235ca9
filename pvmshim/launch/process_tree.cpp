#include "pvmshim/launch/process_tree.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <thread>

#include "pvmshim/launch/proc_file.h"

namespace morgana {
namespace {

namespace fs = std::filesystem;

struct Process {
  pid_t pid;
  bool zombie;
};

/// How long a process may take to end by itself when asked, and how long the kernel may take to end it.
constexpr std::chrono::milliseconds grace{500};
constexpr std::chrono::seconds patience{5};
constexpr std::chrono::milliseconds look_again{2};
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

bool has_children_files() {
  const std::string number = std::to_string(getpid());
  static const bool has = access(("/proc/" + number + "/task/" + number + "/children").c_str(), R_OK) == 0;
  return has;
}

}  // namespace

std::vector<pid_t> ProcessTree::running() const {
  const Children children = all_processes();
  std::vector<Process> job;
  const auto add_below = [&](pid_t parent) {
    const auto [first, last] = children.equal_range(parent);
    for (auto below = first; below != last; ++below) job.push_back(below->second);
  };
  add_below(root_);
  if (root_ != getpid()) {
    const auto [first, last] = children.equal_range(getpid());
    for (auto own = first; own != last; ++own)
      if (own->second.pid != root_ && carries(own->second.pid, mark_)) job.push_back(own->second);
  }
  for (std::size_t i = 0; i < job.size(); ++i) add_below(job[i].pid);
  std::vector<pid_t> found;
  for (const auto [pid, zombie] : job)
    if (!zombie) found.push_back(pid);
  return found;
}

std::vector<pid_t> ProcessTree::children_of(pid_t parent) {
  const std::string number = std::to_string(parent);
  // Kernels without this file are rare; one can still look at all processes.
  std::istringstream list(read_proc_file("/proc/" + number + "/task/" + number + "/children"));
  std::vector<pid_t> found{std::istream_iterator<pid_t>(list), {}};
  if (!has_children_files()) {
    const Children children = all_processes();
    const auto [first, last] = children.equal_range(parent);
    for (auto child = first; child != last; ++child) found.push_back(child->second.pid);
  }
  return found;
}

std::optional<int> ProcessTree::rank_of(pid_t process) {
  static const std::string variable = std::string(1, '\0') + "PMI_RANK=";
  const std::string environment = environment_of(process);
  const std::size_t at = environment.find(variable);
  if (at == std::string::npos) return std::nullopt;
  return std::atoi(environment.c_str() + at + variable.size());
}

void ProcessTree::end(const std::vector<pid_t>& at_once) const {
  const auto start = std::chrono::steady_clock::now();
  std::set<pid_t> seen;
  while (true) {
    const std::vector<pid_t> left = running();
    const auto waited = std::chrono::steady_clock::now() - start;
    for (const pid_t pid : left) {
      const bool is_new = seen.insert(pid).second;
      const bool forced = std::find(at_once.begin(), at_once.end(), pid) != at_once.end();
      if (forced || waited > grace) {
        kill(pid, SIGKILL);
      } else if (is_new) {
        kill(pid, SIGTERM);
        kill(pid, SIGCONT);
      }
    }
    // Those that have become children of this process by now.
    for (const pid_t pid : seen) waitpid(pid, nullptr, WNOHANG);
    if (left.empty() || waited > grace + patience) return;
    std::this_thread::sleep_for(look_again);
  }
}

}  // namespace morgana
