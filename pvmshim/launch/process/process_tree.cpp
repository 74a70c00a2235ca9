#include "pvmshim/launch/process/process_tree.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <map>
#include <sstream>
#include <system_error>
#include <thread>

#include "pvmshim/launch/process/proc_file.h"

namespace morgana {
namespace {

namespace fs = std::filesystem;

struct Process {
  pid_t pid;
  bool zombie;
};

/// How long a process may take to end by itself when it was told to; how long to wait until it could hear,
/// and how long the kernel may take to end it.
constexpr std::chrono::milliseconds grace_before_the_kill{500};
constexpr std::chrono::seconds patience{5};
constexpr int least_looks = 500;
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

/// How a process takes SIGTERM.
struct Politeness {
  bool deaf = false;    ///< it ignores it, or is not told as long as it blocks it
  bool untold = false;  ///< it has not had a processor since it was sent
};

Politeness politeness_of(pid_t pid) {
  const std::string status = read_proc_file("/proc/" + std::to_string(pid) + "/status");
  const auto has_terminate = [&status](const char* set) {
    constexpr unsigned long long terminate = 1ULL << (SIGTERM - 1);
    const std::size_t at = status.find(set);
    return at != std::string::npos &&
           (std::strtoull(status.c_str() + at + std::strlen(set), nullptr, 16) & terminate) != 0;
  };
  return {has_terminate("\nSigIgn:") || has_terminate("\nSigBlk:"), has_terminate("\nShdPnd:")};
}

bool has_children_files() {
  const std::string number = std::to_string(getpid());
  static const bool has = access(("/proc/" + number + "/task/" + number + "/children").c_str(), R_OK) == 0;
  return has;
}

}  // namespace

bool ProcessTree::carries(pid_t pid, const std::string& variable) {
  return environment_of(pid).find('\0' + variable + '\0') != std::string::npos;
}

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

void ProcessTree::end(const std::vector<pid_t>& at_once) const {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  std::map<pid_t, Clock::time_point> told;  ///< of each, when at the earliest
  for (int looks = 0;; ++looks) {
    const std::vector<pid_t> left = running();
    const auto now = Clock::now();
    for (const pid_t pid : left) {
      const auto [its, is_new] = told.emplace(pid, now);
      if (std::find(at_once.begin(), at_once.end(), pid) != at_once.end() ||
          (is_new && politeness_of(pid).deaf)) {
        kill(pid, SIGKILL);
      } else if (is_new) {
        kill(pid, SIGTERM);
        kill(pid, SIGCONT);
      } else if (now - its->second > grace_before_the_kill) {
        // However busy the machine: the time counts from when it could hear.
        if (politeness_of(pid).untold && now - start < patience)
          its->second = now;
        else
          kill(pid, SIGKILL);
      }
    }
    // Those that have become children of this process by now.
    for (const auto& [pid, when] : told) waitpid(pid, nullptr, WNOHANG);
    // What was killed ends as soon as it runs; only what hangs in the kernel doesn't.
    if (left.empty() || (looks > least_looks && now - start > 2 * patience)) return;
    std::this_thread::sleep_for(look_again);
  }
}

}  // namespace morgana
