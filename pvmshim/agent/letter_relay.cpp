#include "pvmshim/agent/letter_relay.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "emulator/core/error.h"
#include "pvmshim/agent/quiet_thread.h"
#include "pvmshim/channel/letter_address.h"

namespace morgana {
namespace {

/// Room for the largest part of a letter, and what stands before it.
constexpr std::size_t largest_datagram = 64 * 1024;
/// How often to try again where a box is full, or not there yet.
constexpr int between_tries_ms = 1;

/// A descriptor for each rank elsewhere, and the process's other ones.
void allow_descriptors(std::size_t more) {
  constexpr rlim_t others = 1024;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= more + others) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, more + others);
  setrlimit(RLIMIT_NOFILE, &limit);
}

/// @return the size of the next datagram, 0 if it is a stranger's; nothing if there is none
std::optional<std::size_t> take(int socket, std::span<std::byte> datagram) {
  iovec part{datagram.data(), datagram.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(ucred))];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t size = recvmsg(socket, &message, 0);
  if (size < 0) return std::nullopt;
  return is_from_own_user(message) ? static_cast<std::size_t>(size) : 0;
}

}  // namespace

LetterRelay::LetterRelay(const std::string& channel, std::span<const Rank> elsewhere,
                         std::function<void(Rank, std::span<const std::byte>)> send,
                         std::function<bool(Rank)> may_come)
    : run_(name_of_run(channel)),
      send_(std::move(send)),
      may_come_(std::move(may_come)),
      sending_(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)),
      bell_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  allow_descriptors(elsewhere.size());
  for (const Rank rank : elsewhere) {
    const int box = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const LetterAddress address(run_, static_cast<int>(rank));
    if (box < 0 || bind(box, address.get(), address.size()) != 0)
      throw Error(fmt::format("can't take letters for rank {}, which runs on another machine: {}",
                              static_cast<int>(rank), std::strerror(errno)));
    const int yes = 1;
    setsockopt(box, SOL_SOCKET, SO_PASSCRED, &yes, sizeof yes);
    boxes_.push_back({rank, box});
  }
  thread_ = quiet_thread([this] { run(); });
}

LetterRelay::~LetterRelay() {
  ends_ = true;
  ring();
  thread_.join();
  for (const Box& box : boxes_) close(box.socket);
  close(sending_);
  close(bell_);
}

void LetterRelay::ring() const {
  const std::uint64_t one = 1;
  (void)!write(bell_, &one, sizeof one);
}

void LetterRelay::deliver(Rank rank, std::span<const std::byte> datagram) {
  {
    const std::lock_guard lock(mutex_);
    waiting_[rank].emplace_back(datagram.begin(), datagram.end());
  }
  ring();
}

/// @return whether it has left, or nobody will ever take it
bool LetterRelay::leave(Rank rank, std::span<const std::byte> datagram) const {
  const LetterAddress address(run_, static_cast<int>(rank));
  while (sendto(sending_, datagram.data(), datagram.size(), MSG_NOSIGNAL, address.get(), address.size()) <
         0) {
    if (errno == EINTR) continue;
    if (errno == EAGAIN || errno == ENOBUFS || errno == ENOMEM) return false;
    return !may_come_(rank);
  }
  return true;
}

/// @return whether something is left
bool LetterRelay::push() {
  const std::lock_guard lock(mutex_);
  for (auto entry = waiting_.begin(); entry != waiting_.end();) {
    auto& [rank, letters] = *entry;
    while (!letters.empty() && leave(rank, letters.front())) letters.pop_front();
    entry = letters.empty() ? waiting_.erase(entry) : std::next(entry);
  }
  return !waiting_.empty();
}

void LetterRelay::run() {
  std::vector<pollfd> awaited{{bell_, POLLIN, 0}};
  for (const Box& box : boxes_) awaited.push_back({box.socket, POLLIN, 0});
  std::vector<std::byte> datagram(largest_datagram);
  while (!ends_) {
    const bool waits = push();
    poll(awaited.data(), awaited.size(), waits ? between_tries_ms : -1);
    std::uint64_t rings = 0;
    (void)!read(bell_, &rings, sizeof rings);
    for (const Box& box : boxes_) {
      while (const auto size = take(box.socket, datagram))
        if (*size > 0) send_(box.rank, {datagram.data(), *size});
    }
  }
}

}  // namespace morgana
