// Reading and writing as far as it may wait for a time: for a timer's descriptor, or at sockets with
// SO_RCVTIMEO or SO_SNDTIMEO.

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <optional>

#include "pvmshim/clock/interposed/readiness.h"
#include "pvmshim/clock/interposed/real_time.h"
#include "pvmshim/clock/libc_call.h"
#include "pvmshim/clock/program_timers.h"
#include "pvmshim/clock/time_of_day.h"
#include "pvmshim/clock/timed_wait.h"

using namespace morgana;

namespace {

constexpr std::size_t most_descriptors = 1 << 16;
/// Whether a limit was ever set for a socket of this number: then the kernel is asked for it.
std::array<std::atomic<bool>, most_descriptors> may_be_limited{};

bool is_known(int socket) {
  const auto number = static_cast<std::size_t>(socket);
  return number < most_descriptors && may_be_limited[number].load(std::memory_order_relaxed);
}

/// How long a call may wait for this socket; nothing without a limit, or where it does not wait.
std::optional<SimTime> limit_of(int socket, int option, int flags) {
  timeval limit{};
  socklen_t size = sizeof limit;
  const int before = errno;
  const bool is_limited = MORGANA_LIBC(getsockopt)(socket, SOL_SOCKET, option, &limit, &size) == 0 &&
                          (limit.tv_sec != 0 || limit.tv_usec != 0);
  const int status = is_limited && (flags & MSG_DONTWAIT) == 0 ? fcntl(socket, F_GETFL) : O_NONBLOCK;
  errno = before;
  if (status < 0 || (status & O_NONBLOCK) != 0) return std::nullopt;
  return time_of({limit.tv_sec, limit.tv_usec * 1000});
}

/// Waits until the socket is ready. @return false if its limit comes before: errno says so
bool wait_for(const void* caller, int socket, int option, int flags = 0) {
  LiveRank* const rank = is_known(socket) ? rank_for(caller) : nullptr;
  const auto limit = rank == nullptr ? std::nullopt : limit_of(socket, option, flags);
  if (!limit) return true;
  pollfd file{socket, static_cast<short>(option == SO_RCVTIMEO ? POLLIN : POLLOUT), 0};
  const auto within = [&](std::chrono::nanoseconds slice) -> std::optional<int> {
    const timespec real = as_timespec(slice);
    const int count = MORGANA_LIBC(ppoll)(&file, 1, &real, nullptr);
    return count == 0 ? std::nullopt : std::optional(count);
  };
  const auto ready = wait_within(*rank, TimeLimit::within(*limit), who_makes_ready(socket), within);
  if (!ready) errno = EAGAIN;
  return ready.value_or(-1) > 0;
}

/// Reads what may be a timer's descriptor: then the thread waits for that timer.
ssize_t read_from(const void* caller, int file, void* data, std::size_t size) {
  LiveRank* const rank = ProgramTimers::own().any() ? rank_for(caller) : nullptr;
  if (rank == nullptr || size < sizeof(std::uint64_t) ||
      ProgramTimers::own().find_descriptor(file) == nullptr)
    return MORGANA_LIBC(read)(file, data, size);
  const WaitForTimer wait;
  return MORGANA_LIBC(read)(file, data, size);
}

}  // namespace

MORGANA_EXPORT int setsockopt(int socket, int level, int option, const void* value, socklen_t size) noexcept {
  const int result = MORGANA_LIBC(setsockopt)(socket, level, option, value, size);
  const bool limits = level == SOL_SOCKET && (option == SO_RCVTIMEO || option == SO_SNDTIMEO);
  if (result == 0 && limits && static_cast<std::size_t>(socket) < most_descriptors)
    may_be_limited[static_cast<std::size_t>(socket)] = true;
  return result;
}

MORGANA_EXPORT ssize_t read(int file, void* data, std::size_t size) {
  const void* const caller = __builtin_return_address(0);
  return wait_for(caller, file, SO_RCVTIMEO) ? read_from(caller, file, data, size) : -1;
}

MORGANA_EXPORT ssize_t write(int file, const void* data, std::size_t size) {
  return wait_for(__builtin_return_address(0), file, SO_SNDTIMEO) ? MORGANA_LIBC(write)(file, data, size)
                                                                  : -1;
}

MORGANA_EXPORT ssize_t recv(int socket, void* data, std::size_t size, int flags) {
  return wait_for(__builtin_return_address(0), socket, SO_RCVTIMEO, flags)
             ? MORGANA_LIBC(recv)(socket, data, size, flags)
             : -1;
}

MORGANA_EXPORT ssize_t recvfrom(int socket, void* data, std::size_t size, int flags, sockaddr* from,
                                socklen_t* length) {
  return wait_for(__builtin_return_address(0), socket, SO_RCVTIMEO, flags)
             ? MORGANA_LIBC(recvfrom)(socket, data, size, flags, from, length)
             : -1;
}

MORGANA_EXPORT ssize_t recvmsg(int socket, msghdr* message, int flags) {
  return wait_for(__builtin_return_address(0), socket, SO_RCVTIMEO, flags)
             ? MORGANA_LIBC(recvmsg)(socket, message, flags)
             : -1;
}

MORGANA_EXPORT ssize_t send(int socket, const void* data, std::size_t size, int flags) {
  return wait_for(__builtin_return_address(0), socket, SO_SNDTIMEO, flags)
             ? MORGANA_LIBC(send)(socket, data, size, flags)
             : -1;
}

MORGANA_EXPORT ssize_t sendto(int socket, const void* data, std::size_t size, int flags, const sockaddr* to,
                              socklen_t length) {
  return wait_for(__builtin_return_address(0), socket, SO_SNDTIMEO, flags)
             ? MORGANA_LIBC(sendto)(socket, data, size, flags, to, length)
             : -1;
}

MORGANA_EXPORT ssize_t sendmsg(int socket, const msghdr* message, int flags) {
  return wait_for(__builtin_return_address(0), socket, SO_SNDTIMEO, flags)
             ? MORGANA_LIBC(sendmsg)(socket, message, flags)
             : -1;
}

MORGANA_EXPORT int accept(int socket, sockaddr* from, socklen_t* length) {
  return wait_for(__builtin_return_address(0), socket, SO_RCVTIMEO)
             ? MORGANA_LIBC(accept)(socket, from, length)
             : -1;
}

MORGANA_EXPORT int accept4(int socket, sockaddr* from, socklen_t* length, int flags) {
  return wait_for(__builtin_return_address(0), socket, SO_RCVTIMEO)
             ? MORGANA_LIBC(accept4)(socket, from, length, flags)
             : -1;
}

// What they are where the program is compiled with checks (_FORTIFY_SOURCE).

MORGANA_EXPORT ssize_t __read_chk(int file, void* data, std::size_t size, std::size_t room) {
  using Read = ssize_t(int, void*, std::size_t, std::size_t);
  static auto* const real = libc_call<Read>("__read_chk");
  const void* const caller = __builtin_return_address(0);
  if (room < size) return real(file, data, size, room);
  return wait_for(caller, file, SO_RCVTIMEO) ? read_from(caller, file, data, size) : -1;
}

MORGANA_EXPORT ssize_t __recv_chk(int socket, void* data, std::size_t size, std::size_t room, int flags) {
  using Receive = ssize_t(int, void*, std::size_t, std::size_t, int);
  static auto* const real = libc_call<Receive>("__recv_chk");
  return room < size || wait_for(__builtin_return_address(0), socket, SO_RCVTIMEO, flags)
             ? real(socket, data, size, room, flags)
             : -1;
}

MORGANA_EXPORT ssize_t __recvfrom_chk(int socket, void* data, std::size_t size, std::size_t room, int flags,
                                      sockaddr* from, socklen_t* length) {
  using Receive = ssize_t(int, void*, std::size_t, std::size_t, int, sockaddr*, socklen_t*);
  static auto* const real = libc_call<Receive>("__recvfrom_chk");
  return room < size || wait_for(__builtin_return_address(0), socket, SO_RCVTIMEO, flags)
             ? real(socket, data, size, room, flags, from, length)
             : -1;
}
