#include "cli/standard_output.h"

#include <poll.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>

namespace morgana::cli {
namespace {

constexpr const char* closed = "standard output was closed";
constexpr const char* full = "standard output is full";

}  // namespace

std::string trouble_with_standard_output() {
  struct stat what {};
  if (::fstat(STDOUT_FILENO, &what) != 0) return closed;
  if (S_ISFIFO(what.st_mode) || S_ISSOCK(what.st_mode)) {
    pollfd reader{STDOUT_FILENO, POLLOUT, 0};
    return ::poll(&reader, 1, 0) > 0 && (reader.revents & (POLLERR | POLLHUP)) != 0 ? closed : "";
  }
  if (S_ISREG(what.st_mode)) {
    struct statvfs room {};
    return ::fstatvfs(STDOUT_FILENO, &room) == 0 && room.f_bavail == 0 ? full : "";
  }
  return ::write(STDOUT_FILENO, "", 0) < 0 && errno == ENOSPC ? full : "";  // /dev/full
}

}  // namespace morgana::cli
