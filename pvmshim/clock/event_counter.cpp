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

namespace morgana {

// The descriptor's file in fdinfo has a line "eventfd-id: 12" among others. System calls are made directly:
// the C library's calls are the program's.
std::uint64_t number_of_event_counter(int descriptor) {
  const int before = errno;
  std::array<char, 40> name{};
  std::snprintf(name.data(), name.size(), "/proc/self/fdinfo/%d", descriptor);
  std::array<char, 512> text{};
  const auto file = static_cast<int>(syscall(SYS_openat, AT_FDCWD, name.data(), O_RDONLY | O_CLOEXEC));
  if (file >= 0) {
    syscall(SYS_read, file, text.data(), text.size() - 1);
    syscall(SYS_close, file);
  }
  constexpr const char* key = "eventfd-id:";
  const char* const line = std::strstr(text.data(), key);
  errno = before;
  // The first has number 0 in the kernel.
  return line == nullptr ? 0 : std::strtoull(line + std::strlen(key), nullptr, 10) + 1;
}

bool is_event_counter(int descriptor, std::uint64_t number) {
  return number != 0 && number_of_event_counter(descriptor) == number;
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
