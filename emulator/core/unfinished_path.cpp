#include "emulator/core/unfinished_path.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>

namespace morgana {
namespace {

/// More are never in the making at once; further ones would only stay behind.
constexpr std::size_t most = 16;

struct Place {
  enum State : int { free, written, used };
  std::atomic<int> state{free};
  pid_t maker = 0;  ///< a process that this one has forked has the table, too
  std::array<char, 4096> path{};
};
std::array<Place, most> places;
static_assert(std::atomic<int>::is_always_lock_free, "it is read in a signal handler");

/// As getdents64(2) gives it.
struct Entry {
  std::uint64_t inode;
  std::int64_t offset;
  unsigned short size;
  unsigned char type;
  char name[1];
};

constexpr int deepest = 8;  ///< folders in folders: a trace has two

void remove_tree(int folder, const char* name, int depth) {
  if (unlinkat(folder, name, 0) == 0 || depth > deepest) return;
  const int opened = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (opened < 0) return;
  alignas(Entry) char buffer[4096];
  long size = 0;
  while ((size = syscall(SYS_getdents64, opened, buffer, sizeof buffer)) > 0) {
    for (long at = 0; at < size;) {
      const auto* entry = reinterpret_cast<const Entry*>(buffer + at);
      at += entry->size;
      if (std::strcmp(entry->name, ".") != 0 && std::strcmp(entry->name, "..") != 0)
        remove_tree(opened, entry->name, depth + 1);
    }
  }
  close(opened);
  unlinkat(folder, name, AT_REMOVEDIR);
}

}  // namespace

UnfinishedPath::UnfinishedPath(const std::string& path) : place_(-1) {
  if (path.size() >= Place().path.size()) return;
  for (std::size_t i = 0; i < most; ++i) {
    int free = Place::free;
    if (!places[i].state.compare_exchange_strong(free, Place::written)) continue;
    std::strcpy(places[i].path.data(), path.c_str());
    places[i].maker = getpid();
    places[i].state = Place::used;
    place_ = static_cast<int>(i);
    return;
  }
}

UnfinishedPath::~UnfinishedPath() {
  if (place_ >= 0) places[static_cast<std::size_t>(place_)].state = Place::free;
}

void remove_unfinished_paths() {
  for (const Place& place : places)
    if (place.state == Place::used && place.maker == getpid()) remove_tree(AT_FDCWD, place.path.data(), 0);
}

Undisturbed::Undisturbed() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before_);
}

Undisturbed::~Undisturbed() {
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace morgana
