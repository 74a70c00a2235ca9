#include "pvmshim/launch/process_tree.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

namespace morgana {
namespace {

namespace fs = std::filesystem;

struct Process {
  pid_t pid;
  bool zombie;
};
/// Children by parent; ordered, so that processes are always ended in the same order.
using Children = std::multimap<pid_t, Process>;

std::string whole_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Children all_processes() {
  Children children;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    const pid_t pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 0) continue;
    // "pid (name) state parent ...", and the name may hold anything.
    const std::string status = whole_file(entry.path() / "stat");
    const std::size_t after_name = status.rfind(')');
    if (after_name == std::string::npos || after_name + 4 >= status.size()) continue;
    const char state = status[after_name + 2];
    const pid_t parent = std::atoi(status.c_str() + after_name + 4);
    children.emplace(parent, Process{pid, state == 'Z' || state == 'X'});
  }
  return children;
}

bool carries(pid_t pid, const std::string& mark) {
  const std::string environment = whole_file("/proc/" + std::to_string(pid) + "/environ");
  return ('\0' + environment).find('\0' + mark + '\0') != std::string::npos;
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

}  // namespace morgana
