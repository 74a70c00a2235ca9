#include "pvmshim/launch/process/orphaned_memory.h"

#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <system_error>

#include "pvmshim/channel/process_watch.h"
#include "pvmshim/launch/process/proc_file.h"

namespace morgana {
namespace {

namespace fs = std::filesystem;

constexpr const char* folder = "/dev/shm";

std::set<std::string> candidates(std::int64_t begin) {
  std::set<std::string> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename();
    struct stat status {};
    if ((name.starts_with("ucx_shm_posix_") || name.starts_with("mpich_shar_tmp")) &&
        lstat(entry.path().c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == getuid() &&
        status.st_ctime >= begin)
      found.insert(entry.path());
  }
  return found;
}

/// Takes out what a process has open or mapped.
void spare_held(const fs::path& process, std::set<std::string>& files) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(process / "fd", ignored)) {
    std::error_code gone;
    files.erase(fs::read_symlink(entry.path(), gone));
  }
  std::istringstream maps(read_proc_file(process / "maps"));
  for (std::string line; std::getline(maps, line);)
    if (const std::size_t path = line.find('/'); path != std::string::npos) files.erase(line.substr(path));
}

void remove_files(std::int64_t begin) {
  std::set<std::string> files = candidates(begin);
  if (files.empty()) return;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") == std::string::npos) spare_held(entry.path(), files);
  }
  for (const std::string& file : files) unlink(file.c_str());
}

void remove_segments(std::int64_t begin) {
  std::istringstream table(read_proc_file("/proc/sysvipc/shm"));
  std::string line;
  std::getline(table, line);  // the columns' names
  while (std::getline(table, line)) {
    std::istringstream fields(line);
    std::int64_t key = 0, id = 0;
    if (!(fields >> key >> id) || key != IPC_PRIVATE) continue;
    shmid_ds segment{};
    const int number = static_cast<int>(id);
    if (shmctl(number, IPC_STAT, &segment) != 0 || segment.shm_perm.uid != getuid() ||
        segment.shm_ctime < begin || segment.shm_nattch != 0 || segment.shm_cpid <= 0 ||
        !process_has_ended(segment.shm_cpid))
      continue;
    shmctl(number, IPC_RMID, nullptr);
  }
}

}  // namespace

std::int64_t OrphanedMemory::now() {
  return std::time(nullptr);
}

void OrphanedMemory::remove_since(std::int64_t begin) {
  remove_files(begin);
  remove_segments(begin);
}

}  // namespace morgana
