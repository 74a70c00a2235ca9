#include "tests/integration/support/leftovers.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <system_error>

#include "pvmshim/launch/process/proc_file.h"

namespace morgana::test {
namespace {

namespace fs = std::filesystem;

template <typename Visit>
void for_each_process(const Visit& visit) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") == std::string::npos) visit(entry.path(), std::stoi(name));
  }
}

bool holds(const fs::path& process, const std::string& file) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(process / "fd", ignored)) {
    std::error_code gone;
    if (fs::read_symlink(entry.path(), gone) == file) return true;
  }
  return read_proc_file(process / "maps").find(file) != std::string::npos;
}

}  // namespace

bool SeenProcess::is_agent() const {
  return program.ends_with("/morgana") && command.starts_with(program + " agent ");
}

bool SeenProcess::is_copy_among(const std::vector<SeenProcess>& all) const {
  return std::ranges::any_of(
      all, [this](const SeenProcess& other) { return other.pid == parent && other.program == program; });
}

std::vector<SeenProcess> processes_with(const std::string& variable) {
  std::vector<SeenProcess> found;
  for_each_process([&](const fs::path& folder, int pid) {
    if (pid == ::getpid()) return;
    const std::string environment = '\0' + read_proc_file(folder / "environ");
    if (environment.find('\0' + variable + '\0') == std::string::npos) return;
    const std::string arguments = read_proc_file(folder / "cmdline");
    std::string command = arguments;
    std::ranges::replace(command, '\0', ' ');
    const std::string status = read_proc_file(folder / "stat");  // "pid (name) state parent ..."
    const std::size_t after_name = status.rfind(')');
    const int parent = after_name == std::string::npos ? 0 : std::atoi(status.c_str() + after_name + 4);
    found.push_back({pid, parent, arguments.substr(0, arguments.find('\0')), environment, command});
  });
  return found;
}

std::vector<std::string> orphaned_shared_memory(long begin) {
  std::vector<std::string> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/dev/shm", ignored)) {
    const std::string name = entry.path().filename();
    struct stat status {};
    const bool may_be_ours =
        name.starts_with("ucx_shm") || name.starts_with("mpich") || name.find("morgana") != std::string::npos;
    if (!may_be_ours || ::stat(entry.path().c_str(), &status) != 0 || status.st_ctime < begin) continue;
    bool held = false;
    for_each_process([&](const fs::path& folder, int) { held = held || holds(folder, entry.path()); });
    if (!held) found.push_back(entry.path());
  }
  std::istringstream table(read_proc_file("/proc/sysvipc/shm"));
  std::string line;
  std::getline(table, line);
  while (std::getline(table, line)) {
    std::istringstream fields(line);
    long key, id, permissions, size, creator, last, attached, uid, gid, cuid, cgid, attach, detach, change;
    fields >> key >> id >> permissions >> size >> creator >> last >> attached >> uid >> gid >> cuid >> cgid >>
        attach >> detach >> change;
    if (fields && key == 0 && attached == 0 && change >= begin && uid == static_cast<long>(::getuid()) &&
        !fs::exists("/proc/" + std::to_string(creator)))
      found.push_back("System V segment " + std::to_string(id));
  }
  return found;
}

}  // namespace morgana::test
