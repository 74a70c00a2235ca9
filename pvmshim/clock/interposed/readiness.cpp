#include "pvmshim/clock/interposed/readiness.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>

namespace morgana {
namespace {

std::atomic<bool> has_forked{false};

/// Before the program does anything.
const int told_of_forks = pthread_atfork(
    nullptr, [] { has_forked = true; }, nullptr);

/// Whether this process can write to the pipe itself.
bool holds_writing_end(const struct stat& pipe) {
  DIR* const all = opendir("/proc/self/fd");
  if (all == nullptr) return false;
  bool holds = false;
  while (const dirent* const entry = holds ? nullptr : readdir(all)) {
    const int descriptor = std::atoi(entry->d_name);
    struct stat about {};
    if (fstat(descriptor, &about) != 0 || about.st_ino != pipe.st_ino || about.st_dev != pipe.st_dev)
      continue;
    const int flags = fcntl(descriptor, F_GETFL);
    holds = flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
  }
  closedir(all);
  return holds;
}

/// Whether both ends of a pair of sockets have been made here.
bool is_own_pair(int socket) {
  int domain = 0;
  socklen_t size = sizeof domain;
  if (getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &domain, &size) != 0 || domain != AF_UNIX) return false;
  ucred peer{};
  size = sizeof peer;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid == getpid();
}

EndedBy who_makes_anonymous_ready(int descriptor) {
  std::array<char, 64> name{}, target{};
  std::snprintf(name.data(), name.size(), "/proc/self/fd/%d", descriptor);
  const ssize_t length = readlink(name.data(), target.data(), target.size());
  const std::string_view what(target.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
  if (what == "anon_inode:[eventpoll]") return who_makes_epoll_ready(descriptor);
  constexpr std::array own{"anon_inode:[eventfd]", "anon_inode:[timerfd]", "anon_inode:[signalfd]"};
  return std::ranges::find(own, what) == own.end() ? EndedBy::outside : EndedBy::threads;
}

}  // namespace

bool has_had_children() {
  return has_forked || has_children();
}

bool has_children() {
  const int before = errno;
  siginfo_t child{};
  const bool has_none =
      waitid(P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT | __WALL) != 0 && errno == ECHILD;
  errno = before;
  return !has_none;
}

EndedBy who_makes_ready(int descriptor) {
  struct stat about {};
  if (fstat(descriptor, &about) != 0 || S_ISREG(about.st_mode) || S_ISDIR(about.st_mode) ||
      S_ISBLK(about.st_mode))
    return EndedBy::threads;
  if (S_ISCHR(about.st_mode) || has_had_children()) return EndedBy::outside;
  if (S_ISFIFO(about.st_mode)) return holds_writing_end(about) ? EndedBy::threads : EndedBy::outside;
  if (S_ISSOCK(about.st_mode)) return is_own_pair(descriptor) ? EndedBy::threads : EndedBy::outside;
  return who_makes_anonymous_ready(descriptor);
}

EndedBy who_makes_epoll_ready(int epoll) {
  std::ifstream about("/proc/self/fdinfo/" + std::to_string(epoll));
  for (std::string line; std::getline(about, line);) {
    int descriptor = -1;
    if (std::sscanf(line.c_str(), "tfd: %d", &descriptor) != 1 || descriptor == epoll) continue;
    if (who_makes_ready(descriptor) == EndedBy::outside) return EndedBy::outside;
  }
  return EndedBy::threads;
}

EndedBy who_writes_to(const void* address) {
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0, end = 0;
    std::array<char, 5> rights{};
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, rights.data()) != 3) break;
    if (wanted >= begin && wanted < end) return rights[3] == 's' ? EndedBy::outside : EndedBy::threads;
  }
  return EndedBy::outside;
}

}  // namespace morgana
