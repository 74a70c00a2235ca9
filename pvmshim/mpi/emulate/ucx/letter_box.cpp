#include "pvmshim/mpi/emulate/ucx/letter_box.h"

#include <poll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "emulator/core/error.h"
#include "pvmshim/channel/letter_address.h"

namespace morgana::mpi::emulated {
namespace {

constexpr std::size_t largest_part = 32 * 1024;
constexpr std::size_t largest_reserve = 64 * 1024 * 1024;  // a length is another process's word

timespec in_ns(std::chrono::microseconds time) {
  return {time.count() / 1'000'000, time.count() % 1'000'000 * 1'000};
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
  const LetterAddress own(run_, rank_);
  // Where it is taken, this process is not the only one that takes itself for this rank: it hears so when it
  // attaches to the emulator.
  (void)!bind(socket_, own.get(), own.size());
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
  const LetterAddress address(run_, to);
  if (fresh >= 0 && connect(fresh, address.get(), address.size()) != 0) {
    close(fresh);  // nobody is there: the other socket will be told so, too
    return -1;
  }
  return fresh;
}

bool LetterBox::leave(int to, int socket, Leaving& letter) const {
  const LetterAddress address(run_, to);
  while (!letter.has_begun || letter.left < letter.data.size()) {
    const std::size_t size = std::min(letter.data.size() - letter.left, largest_part);
    iovec parts[2] = {{&letter.head, sizeof letter.head}, {letter.data.data() + letter.left, size}};
    msghdr message{};
    if (socket == socket_) {
      message.msg_name = const_cast<sockaddr*>(address.get());  // it is only read
      message.msg_namelen = address.size();
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
    if (is_from_own_user(message)) take_part({datagram_.data(), static_cast<std::size_t>(size)}, complete);
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
