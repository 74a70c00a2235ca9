#include "pvmshim/clock/event_counter.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

namespace morgana {
namespace {

/// What number_of_event_counter() returns; nothing if there is no way to read it now.
///
/// The descriptor's file in fdinfo has a line "eventfd-id: 12" among others. System calls are made directly:
/// the C library's calls are the program's.
std::optional<std::uint64_t> read_number(int descriptor) {
  std::array<char, 40> name{};
  std::snprintf(name.data(), name.size(), "/proc/self/fdinfo/%d", descriptor);
  std::array<char, 512> text{};
  const auto file = static_cast<int>(syscall(SYS_openat, AT_FDCWD, name.data(), O_RDONLY | O_CLOEXEC));
  if (file < 0) return std::nullopt;
  const bool is_read = syscall(SYS_read, file, text.data(), text.size() - 1) > 0;
  syscall(SYS_close, file);
  if (!is_read) return std::nullopt;
  constexpr const char* key = "eventfd-id:";
  const char* const line = std::strstr(text.data(), key);
  // The first has number 0 in the kernel.
  return line == nullptr ? 0 : std::strtoull(line + std::strlen(key), nullptr, 10) + 1;
}

/// Whether a descriptor is open and an event counter. Takes no descriptor.
bool is_any_event_counter(int descriptor) {
  std::array<char, 40> name{};
  std::snprintf(name.data(), name.size(), "/proc/self/fd/%d", descriptor);
  std::array<char, 64> target{};
  syscall(SYS_readlinkat, AT_FDCWD, name.data(), target.data(), target.size() - 1);
  return std::strstr(target.data(), "[eventfd]") != nullptr;
}

}  // namespace

std::uint64_t number_of_event_counter(int descriptor) {
  const int before = errno;
  const std::uint64_t number = read_number(descriptor).value_or(0);
  errno = before;
  return number;
}

bool is_event_counter(int descriptor, std::uint64_t number) {
  const int before = errno;
  const auto now = read_number(descriptor);
  const bool is_it = now ? *now == number : is_any_event_counter(descriptor);
  errno = before;
  return number != 0 && is_it;
}

void add_to_event_counter(int descriptor, std::uint64_t more) {
  const int before = errno;
  pollfd room{descriptor, POLLOUT, 0};
  timespec none{};
  if (syscall(SYS_ppoll, &room, 1, &none, nullptr, 0) == 1)
    syscall(SYS_write, descriptor, &more, sizeof more);
  errno = before;
}

}  // namespace morgana
