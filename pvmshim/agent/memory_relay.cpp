#include "pvmshim/agent/memory_relay.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "emulator/core/error.h"
#include "pvmshim/agent/frame.h"
#include "pvmshim/agent/quiet_thread.h"
#include "pvmshim/channel/letter_address.h"
#include "pvmshim/channel/remote_memory.h"

namespace morgana {
namespace {

constexpr std::size_t taken_at_once = 256 * 1024;

bool is_sane(const MemoryRequest& head) {
  return head.access <= MemoryAccess::connection && head.bytes <= most_accessed_at_once &&
         head.pieces <= most_accessed_at_once / sizeof(MemoryPiece);
}

/// How often the bytes of the pieces stand in a request.
std::size_t images(MemoryAccess access) {
  switch (access) {
    case MemoryAccess::write:
      return 1;
    case MemoryAccess::exchange:
      return 2;
    default:
      return 0;
  }
}

std::size_t size_of(const MemoryRequest& head) {
  return sizeof head + head.pieces * sizeof(MemoryPiece) + images(head.access) * head.bytes;
}

/// @return nothing as long as it has not come. @throws MalformedFrame
std::optional<MemoryRequest> head_of(std::span<const std::byte> request) {
  MemoryRequest head{};
  if (request.size() < sizeof head) return std::nullopt;
  std::memcpy(&head, request.data(), sizeof head);
  if (!is_sane(head)) throw MalformedFrame("a rank asks for what no rank asks for");
  return head;
}

std::vector<std::byte> reply_of(MemoryOutcome outcome, std::span<const std::byte> bytes = {}) {
  const MemoryReply head{outcome, 0, bytes.size()};
  std::vector<std::byte> reply(sizeof head + bytes.size());
  std::memcpy(reply.data(), &head, sizeof head);
  std::ranges::copy(bytes, reply.begin() + sizeof head);
  return reply;
}

/// One byte, and with it the descriptor; -1: none.
void give(int socket, int descriptor) {
  char byte = 0;
  iovec part{&byte, sizeof byte};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptor)] = {};
  msghdr reply{};
  reply.msg_iov = &part;
  reply.msg_iovlen = 1;
  if (descriptor >= 0) {
    reply.msg_control = control;
    reply.msg_controllen = sizeof control;
    cmsghdr* const rights = CMSG_FIRSTHDR(&reply);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof descriptor);
    std::memcpy(CMSG_DATA(rights), &descriptor, sizeof descriptor);
  }
  while (sendmsg(socket, &reply, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno == EINTR) {
  }
}

}  // namespace

MemoryRelay::MemoryRelay(const std::string& channel, Send send, ConnectionTo connection_to)
    : send_(std::move(send)),
      connection_to_(std::move(connection_to)),
      listening_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)),
      bell_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  const MemoryAddress own(name_of_run(channel));
  if (listening_ < 0 || bell_ < 0 || bind(listening_, own.get(), own.size()) != 0 ||
      listen(listening_, SOMAXCONN) != 0)
    throw Error(fmt::format("can't take accesses to the memory of ranks on other machines: {}",
                            std::strerror(errno)));
  thread_ = quiet_thread([this] { run(); });
}

MemoryRelay::~MemoryRelay() {
  ends_ = true;
  ring();
  thread_.join();
  for (const auto& [number, connection] : connections_) close(connection.socket);
  close(listening_);
  close(bell_);
}

void MemoryRelay::ring() const {
  const std::uint64_t one = 1;
  (void)!write(bell_, &one, sizeof one);
}

void MemoryRelay::deliver(std::uint64_t connection, std::span<const std::byte> reply) {
  const std::lock_guard lock(mutex_);
  const auto found = connections_.find(connection);
  if (found == connections_.end()) return;  // the rank has ended
  found->second.reply.assign(reply.begin(), reply.end());
  if (!push(found->second)) ring();
}

/// @return whether all has left, or nobody will take it
bool MemoryRelay::push(Connection& connection) {
  std::size_t left = 0;
  std::vector<std::byte>& reply = connection.reply;
  while (left < reply.size()) {
    const ssize_t sent =
        ::send(connection.socket, reply.data() + left, reply.size() - left, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno != EAGAIN) left = reply.size();  // receive() will find that it is closed
    if (sent < 0) break;
    left += static_cast<std::size_t>(sent);
  }
  reply.erase(reply.begin(), reply.begin() + static_cast<std::ptrdiff_t>(left));
  return reply.empty();
}

void MemoryRelay::accept_one() {
  const int fresh = accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fresh < 0) return;
  ucred other{};
  socklen_t size = sizeof other;
  if (getsockopt(fresh, SOL_SOCKET, SO_PEERCRED, &other, &size) != 0 || other.uid != getuid()) {
    close(fresh);
    return;
  }
  const std::lock_guard lock(mutex_);
  connections_.emplace(++last_, Connection{fresh});
}

/// @return false at the end of the connection
bool MemoryRelay::receive(std::uint64_t number, Connection& connection) {
  std::vector<std::byte>& request = connection.request;
  std::optional<MemoryRequest> head;
  while (true) {
    head = head_of(request);
    const std::size_t all = head ? size_of(*head) : sizeof(MemoryRequest);
    if (head && request.size() == all) break;
    const std::size_t before = request.size();
    request.resize(before + std::min(all - before, taken_at_once));
    const ssize_t come = recv(connection.socket, request.data() + before, request.size() - before, 0);
    request.resize(before + static_cast<std::size_t>(std::max<ssize_t>(come, 0)));
    if (come < 0 && errno == EINTR) continue;
    if (come < 0 && errno == EAGAIN) return true;
    if (come <= 0) return false;
  }
  if (head->access == MemoryAccess::connection)
    give(connection.socket, connection_to_ ? connection_to_(head->rank) : -1);
  else
    send_(Rank{head->rank}, number, request);
  request.clear();
  return true;
}

void MemoryRelay::run() {
  std::vector<pollfd> awaited;
  std::vector<std::uint64_t> numbers;
  while (!ends_) {
    awaited = {{bell_, POLLIN, 0}, {listening_, POLLIN, 0}};
    numbers.clear();
    {
      const std::lock_guard lock(mutex_);
      for (auto& [number, connection] : connections_) {
        const bool waits = !connection.reply.empty() && !push(connection);
        awaited.push_back({connection.socket, static_cast<short>(waits ? POLLIN | POLLOUT : POLLIN), 0});
        numbers.push_back(number);
      }
    }
    poll(awaited.data(), awaited.size(), -1);
    std::uint64_t rings = 0;
    (void)!read(bell_, &rings, sizeof rings);
    if (awaited[1].revents != 0) accept_one();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if ((awaited[i + 2].revents & (POLLIN | POLLHUP | POLLERR)) == 0) continue;
      Connection& connection = connections_.at(numbers[i]);  // only this thread adds and removes any
      bool is_open = false;
      try {
        is_open = receive(numbers[i], connection);
      } catch (const MalformedFrame&) {
      }
      if (is_open) continue;
      const std::lock_guard lock(mutex_);
      close(connection.socket);
      connections_.erase(numbers[i]);
    }
  }
}

std::vector<std::byte> carry_out(std::span<const std::byte> request, pid_t process, RobustMutex& memory) {
  const std::optional<MemoryRequest> head = head_of(request);
  if (!head || request.size() != size_of(*head)) throw MalformedFrame("a request for memory is cut off");
  if (head->access == MemoryAccess::connection) throw MalformedFrame("another machine asks for a connection");
  std::vector<MemoryPiece> there(head->pieces);
  std::memcpy(there.data(), request.data() + sizeof *head, there.size() * sizeof(MemoryPiece));
  const std::span<const std::byte> images =
      request.subspan(sizeof *head + there.size() * sizeof(MemoryPiece));
  std::size_t bytes = 0;
  for (const MemoryPiece& piece : there) {
    if (piece.bytes > head->bytes - bytes) throw MalformedFrame("a request for memory contradicts itself");
    bytes += piece.bytes;
  }
  if (bytes != head->bytes) throw MalformedFrame("a request for memory contradicts itself");
  if (process == 0) return reply_of(MemoryOutcome::no_memory);
  const ProcessMemory of_rank(process);
  const std::lock_guard lock(memory);
  try {
    if (head->access == MemoryAccess::write) {
      const bool is_there = of_rank.write_packed(head->address, there, images.data());
      return reply_of(is_there ? MemoryOutcome::done : MemoryOutcome::no_memory);
    }
    std::vector<std::byte> content(bytes);
    if (!of_rank.read_packed(head->address, there, content.data())) return reply_of(MemoryOutcome::no_memory);
    if (head->access == MemoryAccess::read) return reply_of(MemoryOutcome::done, content);
    if (!std::ranges::equal(content, images.first(bytes))) return reply_of(MemoryOutcome::differs, content);
    const bool is_there = of_rank.write_packed(head->address, there, images.data() + bytes);
    return reply_of(is_there ? MemoryOutcome::done : MemoryOutcome::no_memory);
  } catch (const Error&) {
    return reply_of(MemoryOutcome::refused);
  }
}

}  // namespace morgana
