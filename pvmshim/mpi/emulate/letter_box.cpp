#include "pvmshim/mpi/emulate/letter_box.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "emulator/core/error.h"

namespace morgana::mpi::emulated {
namespace {

constexpr std::size_t largest_part = 32 * 1024;
constexpr std::size_t largest_reserve = 64 * 1024 * 1024;  // a length is another process's word

struct Address {
  sockaddr_un name{};
  socklen_t size = 0;
};

/// No file: the name lives as long as its socket.
Address address_of(const std::string& run, int rank) {
  Address address;
  address.name.sun_family = AF_UNIX;
  const std::string name = "morgana/" + std::to_string(rank) + "/" + run;
  const std::size_t length = std::min(name.size(), sizeof address.name.sun_path - 1);
  name.copy(address.name.sun_path + 1, length);
  address.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
  return address;
}

timespec in_ns(std::chrono::microseconds time) {
  return {time.count() / 1'000'000, time.count() % 1'000'000 * 1'000};
}

/// Anybody on this machine may send to the socket: what another user sends is none of ours.
bool is_ours(msghdr& message) {
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_CREDENTIALS) continue;
    ucred sender{};
    std::memcpy(&sender, CMSG_DATA(part), sizeof sender);
    return sender.uid == getuid();
  }
  return false;
}

}  // namespace

LetterBox::LetterBox(const std::string& run, int rank)
    : run_(run),
      rank_(rank),
      socket_(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)),
      datagram_(sizeof(LetterHead) + largest_part) {
  if (socket_ < 0) throw Error(std::string("cannot open a socket for MPICH: ") + std::strerror(errno));
  const int yes = 1;
  setsockopt(socket_, SOL_SOCKET, SO_PASSCRED, &yes, sizeof yes);
  const Address own = address_of(run_, rank_);
  // Where it is taken, this process is not the only one that takes itself for this rank: it hears so when it
  // attaches to the emulator.
  (void)!bind(socket_, reinterpret_cast<const sockaddr*>(&own.name), own.size);
}

LetterBox::~LetterBox() {
  for (const auto& [to, blocked] : blocked_)
    if (blocked.socket >= 0) close(blocked.socket);
  close(socket_);
}

bool LetterBox::send(int to, LetterHead head, std::vector<std::byte> data, void* sender) {
  head.from = rank_;
  head.length = data.size();
  Leaving letter{head, std::move(data), 0, false, sender};
  const auto before = blocked_.find(to);
  if (before == blocked_.end()) {
    if (leave(to, socket_, letter)) return true;
    Blocked blocked{connected_with(to), {}};
    if (blocked.socket >= 0 && leave(to, blocked.socket, letter)) {
      close(blocked.socket);
      return true;
    }
    blocked.letters.push_back(std::move(letter));
    blocked_.emplace(to, std::move(blocked));
  } else {
    before->second.letters.push_back(std::move(letter));
  }
  return false;
}

int LetterBox::connected_with(int to) const {
  const int fresh = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const Address address = address_of(run_, to);
  if (fresh >= 0 && connect(fresh, reinterpret_cast<const sockaddr*>(&address.name), address.size) != 0) {
    close(fresh);  // nobody is there: the other socket will be told so, too
    return -1;
  }
  return fresh;
}

bool LetterBox::leave(int to, int socket, Leaving& letter) const {
  Address address = address_of(run_, to);
  while (!letter.has_begun || letter.left < letter.data.size()) {
    const std::size_t size = std::min(letter.data.size() - letter.left, largest_part);
    iovec parts[2] = {{&letter.head, sizeof letter.head}, {letter.data.data() + letter.left, size}};
    msghdr message{};
    if (socket == socket_) {
      message.msg_name = &address.name;
      message.msg_namelen = address.size;
    }
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    if (sendmsg(socket, &message, MSG_NOSIGNAL) < 0) {
      if (errno == EINTR) continue;
      if (errno == EAGAIN || errno == ENOBUFS || errno == ENOMEM) return false;
      return true;  // nobody is there any more, and whoever watches the run knows
    }
    letter.has_begun = true;
    letter.left += size;
  }
  return true;
}

std::vector<void*> LetterBox::push() {
  std::vector<void*> gone;
  for (auto entry = blocked_.begin(); entry != blocked_.end();) {
    auto& [to, blocked] = *entry;
    const int way = blocked.socket >= 0 ? blocked.socket : socket_;
    while (!blocked.letters.empty() && leave(to, way, blocked.letters.front())) {
      gone.push_back(blocked.letters.front().sender);
      blocked.letters.pop_front();
    }
    if (!blocked.letters.empty()) {
      ++entry;
      continue;
    }
    if (blocked.socket >= 0) close(blocked.socket);
    entry = blocked_.erase(entry);
  }
  return gone;
}

std::vector<Letter> LetterBox::receive() {
  std::vector<Letter> complete;
  while (true) {
    iovec part{datagram_.data(), datagram_.size()};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(ucred))];
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t size = recvmsg(socket_, &message, 0);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return complete;
    if (is_ours(message)) take_part({datagram_.data(), static_cast<std::size_t>(size)}, complete);
  }
}

void LetterBox::take_part(std::span<const std::byte> datagram, std::vector<Letter>& complete) {
  if (datagram.size() < sizeof(LetterHead)) return;
  LetterHead head;
  std::memcpy(&head, datagram.data(), sizeof head);
  const auto data = datagram.subspan(sizeof head);
  if (data.size() > head.length) return;
  Letter& letter = arriving_[head.from];
  if (letter.data.empty()) {
    letter.head = head;
    letter.data.reserve(std::min<std::size_t>(head.length, largest_reserve));
  }
  letter.data.insert(letter.data.end(), data.begin(), data.end());
  if (letter.data.size() < letter.head.length) return;
  complete.push_back(std::move(letter));
  arriving_.erase(head.from);
}

void LetterBox::await_arrival(std::chrono::microseconds longest) const {
  pollfd own{socket_, POLLIN, 0};
  const timespec limit = in_ns(longest);
  ppoll(&own, 1, &limit, nullptr);
}

void LetterBox::await(std::chrono::microseconds longest) const {
  std::vector<pollfd> awaited{{socket_, POLLIN, 0}};
  for (const auto& [to, blocked] : blocked_) {
    if (blocked.socket >= 0)
      awaited.push_back({blocked.socket, POLLOUT, 0});
    else
      longest = std::min(longest, unseen_blocked);
  }
  const timespec limit = in_ns(longest);
  ppoll(awaited.data(), awaited.size(), &limit, nullptr);
}

}  // namespace morgana::mpi::emulated
