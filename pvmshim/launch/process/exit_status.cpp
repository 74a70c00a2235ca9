#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <thread>

#include "pvmshim/launch/process/proc_file.h"
#include "pvmshim/launch/process/rank_failure.h"
#include "pvmshim/launch/process/rank_watch.h"

namespace morgana {
namespace {

// Since Linux 6.15, which the system's headers may not know. See struct pidfd_info in linux/pidfd.h.
struct PidfdInfo {
  std::uint64_t mask;
  std::uint64_t cgroup;
  std::uint32_t ids[11];
  std::int32_t exit_code;
};
constexpr std::uint64_t wants_exit_code = 1U << 3;
constexpr unsigned long get_info = _IOWR(0xFF, 11, PidfdInfo);

std::optional<int> kept_status(int descriptor) {
  PidfdInfo info{};
  info.mask = wants_exit_code;
  if (ioctl(descriptor, get_info, &info) != 0 || (info.mask & wants_exit_code) == 0) return std::nullopt;
  return info.exit_code;
}

/// The last field of /proc/PID/stat; the process is nobody's zombie any more if there is no such file.
std::optional<int> zombie_status(pid_t process, bool& gone) {
  const std::string text = read_proc_file("/proc/" + std::to_string(process) + "/stat");
  gone = text.empty();
  const std::size_t after_name = text.rfind(')');
  const std::size_t last = text.rfind(' ');
  if (gone || after_name == std::string::npos || last < after_name || text[after_name + 2] != 'Z')
    return std::nullopt;
  return std::atoi(text.c_str() + last);
}

}  // namespace

std::optional<int> exit_status_of(pid_t process, int descriptor) {
  constexpr int looks = 200;
  bool gone = false;
  for (int look = 0; look < looks; ++look) {
    if (const auto status = zombie_status(process, gone)) return status;
    if (const auto status = kept_status(descriptor)) return status;
    if (gone) return kept_status(descriptor);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return std::nullopt;
}

std::string describe_status(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("was killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  return fmt::format("exited with code {}", WEXITSTATUS(status));
}

int exit_code_of(int status) {
  if (WIFSIGNALED(status)) return 128 + WTERMSIG(status);
  return exit_code_of_abort(WEXITSTATUS(status));
}

int exit_code_of_abort(int code) {
  return (code & 0xff) == 0 ? 1 : code & 0xff;
}

}  // namespace morgana
