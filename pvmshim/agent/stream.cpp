#include "pvmshim/agent/stream.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "pvmshim/channel/channel_memory.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace morgana {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t read_at_once = 256 * 1024;
constexpr auto between_looks_around = 50ms;
/// The other end's machine is gone if it has not answered for so long, and then this often in such steps.
constexpr int quiet_seconds = 60, quiet_step_seconds = 10, quiet_steps = 6;

int milliseconds_of(std::chrono::milliseconds time) {
  return static_cast<int>(time.count());
}

void set_option(int socket, int level, int option, int value) {
  setsockopt(socket, level, option, &value, sizeof value);
}

std::string text_of(const sockaddr* address, socklen_t size) {
  std::array<char, NI_MAXHOST> host{};
  if (getnameinfo(address, size, host.data(), host.size(), nullptr, 0, NI_NUMERICHOST) != 0) return "?";
  return host.data();
}

/// Ranks have the connections, too: a program that sets O_NONBLOCK on all its descriptors sets it on these.
void await(int socket, short what, std::chrono::milliseconds longest = std::chrono::milliseconds(-1)) {
  pollfd ready{socket, what, 0};
  poll(&ready, 1, milliseconds_of(longest));
}

/// @return a connected socket; -1 if it does not come about
int try_to_connect(const addrinfo& address, std::chrono::milliseconds patience) {
  const int fresh = socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fresh < 0) return -1;
  bool connected = ::connect(fresh, address.ai_addr, address.ai_addrlen) == 0;
  if (!connected && errno == EINPROGRESS) {
    pollfd ready{fresh, POLLOUT, 0};
    int error = 0;
    socklen_t size = sizeof error;
    connected = poll(&ready, 1, milliseconds_of(patience)) == 1 &&
                getsockopt(fresh, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
  }
  if (!connected) {
    close(fresh);
    return -1;
  }
  fcntl(fresh, F_SETFL, fcntl(fresh, F_GETFL) & ~O_NONBLOCK);
  return fresh;
}

}  // namespace

Stream::Stream(int socket) : socket_(socket) {
  set_option(socket_, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(socket_, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(socket_, IPPROTO_TCP, TCP_KEEPIDLE, quiet_seconds);
  set_option(socket_, IPPROTO_TCP, TCP_KEEPINTVL, quiet_step_seconds);
  set_option(socket_, IPPROTO_TCP, TCP_KEEPCNT, quiet_steps);
}

Stream::~Stream() {
  close(socket_);
}

int Stream::connect(std::span<const std::string> addresses, std::uint16_t port,
                    std::chrono::milliseconds patience) {
  for (const std::string& name : addresses) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (getaddrinfo(name.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) continue;
    int connected = -1;
    for (const addrinfo* one = found; one != nullptr && connected < 0; one = one->ai_next)
      connected = try_to_connect(*one, patience);
    freeaddrinfo(found);
    if (connected >= 0) return connected;
  }
  throw Error(fmt::format("nobody answers at port {} of {}: machines of a run must reach each other by TCP",
                          port, fmt::join(addresses, ", ")));
}

void Stream::send(FrameKind kind, std::int32_t rank, std::span<const std::byte> content) {
  const std::lock_guard lock(mutex_);
  append_frame(kind, rank, content, gathered_);
  write_all(gathered_);
  gathered_.clear();
}

void Stream::add(FrameKind kind, std::int32_t rank, std::span<const std::byte> content) {
  const std::lock_guard lock(mutex_);
  append_frame(kind, rank, content, gathered_);
}

void Stream::flush() {
  const std::lock_guard lock(mutex_);
  if (gathered_.empty()) return;
  write_all(gathered_);
  gathered_.clear();
}

bool Stream::has_gathered() {
  const std::lock_guard lock(mutex_);
  return !gathered_.empty();
}

void Stream::share(MachineLine& line, std::function<bool()> is_over) {
  const std::lock_guard lock(mutex_);
  line_ = &line;
  is_over_ = std::move(is_over);
}

void Stream::write(const std::function<void(int socket)>& write) {
  const std::lock_guard lock(mutex_);
  with_line([&] { write(socket_); });
}

/// With the mutex. One who holds the line may be stopped on purpose, and the run be ended meanwhile.
void Stream::with_line(const std::function<void()>& act) {
  struct IsOver {};
  if (broken_) return;
  if (line_ == nullptr) return act();
  try {
    const HeldLine held(*line_, [this] {
      if (is_over_()) throw IsOver();
    });
    broken_ = line_->broken;
    if (!broken_) act();
  } catch (const IsOver&) {
    broken_ = true;
  }
}

void Stream::write_all(std::span<const std::byte> bytes) {
  with_line([&] {
    while (!bytes.empty() && !broken_) {
      const ssize_t written = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (written >= 0)
        bytes = bytes.subspan(static_cast<std::size_t>(written));
      else if (errno == EAGAIN && !is_limited_)
        await(socket_, POLLOUT);
      else if (errno != EINTR)
        broken_ = true;
    }
    if (broken_ && line_ != nullptr) line_->break_off(-1, errno);
  });
}

bool Stream::receive(Frame& frame, const std::function<void()>& took_all) {
  while (!parser_.next(frame)) {
    if (took_all) took_all();
    const auto room = parser_.room(read_at_once);
    const ssize_t come = recv(socket_, room.data(), room.size(), 0);
    if (come < 0 && errno == EINTR) continue;
    if (come < 0 && errno == EAGAIN) {
      if (!look_at_other_end()) return false;
      if ((fcntl(socket_, F_GETFL) & O_NONBLOCK) != 0)
        await(socket_, POLLIN, UnansweredConnection::between_looks);
      continue;
    }
    if (come <= 0) return false;
    parser_.came(static_cast<std::size_t>(come));
  }
  return true;
}

void Stream::watch_other_end() {
  other_end_.emplace();
  const timeval longest{UnansweredConnection::between_looks / 1s, 0};
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof longest);
}

/// @return false: it is gone, and who sends to it need not wait any more
bool Stream::look_at_other_end() {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (!other_end_ || getsockopt(socket_, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return true;
  const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now().time_since_epoch());
  const std::chrono::milliseconds ago{std::min(info.tcpi_last_ack_recv, info.tcpi_last_data_recv)};
  if (!other_end_->look(info.tcpi_unacked > 0, now - ago, now)) return true;
  is_cut_off_ = true;
  shut();
  return false;
}

bool Stream::receive_within(Frame& frame, std::chrono::milliseconds patience,
                            const std::function<void()>& meanwhile) {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (!parser_.next(frame)) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    pollfd ready{socket_, POLLIN, 0};
    if (left <= 0ms) throw Error(fmt::format("{} is silent", address()));
    if (meanwhile) meanwhile();
    if (poll(&ready, 1, milliseconds_of(std::min<std::chrono::milliseconds>(left, between_looks_around))) ==
        0)
      continue;
    const auto room = parser_.room(read_at_once);
    const ssize_t come = recv(socket_, room.data(), room.size(), MSG_DONTWAIT);
    if (come < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (come <= 0) return false;
    parser_.came(static_cast<std::size_t>(come));
  }
  return true;
}

void Stream::send_for_at_most(std::chrono::seconds patience) {
  const std::lock_guard lock(mutex_);
  is_limited_ = true;
  const timeval longest{patience.count(), 0};
  setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &longest, sizeof longest);
}

void Stream::shut() {
  shutdown(socket_, SHUT_RDWR);
}

void Stream::finish_sending() {
  flush();
  shutdown(socket_, SHUT_WR);
}

bool Stream::has_unread() const {
  int bytes = 0;
  return ioctl(socket_, FIONREAD, &bytes) == 0 && bytes > 0;
}

bool Stream::has_closed() const {
  char next = 0;
  const ssize_t come = recv(socket_, &next, sizeof next, MSG_PEEK | MSG_DONTWAIT);
  return come == 0 || (come < 0 && errno != EAGAIN && errno != EINTR);
}

bool Stream::is_acknowledged() const {
  tcp_info info{};
  socklen_t size = sizeof info;
  return getsockopt(socket_, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 && info.tcpi_unacked == 0;
}

std::string Stream::address() const {
  sockaddr_storage other{};
  socklen_t size = sizeof other;
  if (getpeername(socket_, reinterpret_cast<sockaddr*>(&other), &size) != 0) return "?";
  std::string text = text_of(reinterpret_cast<const sockaddr*>(&other), size);
  // As a socket of IPv6 has one of IPv4 (RFC 4291, 2.5.5.2).
  constexpr std::string_view mapped = "::ffff:";
  if (text.starts_with(mapped) && text.find('.') != std::string::npos) text.erase(0, mapped.size());
  return text;
}

Listener::Listener() : socket_(socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  bool bound = false;
  if (socket_ >= 0) {
    set_option(socket_, IPPROTO_IPV6, IPV6_V6ONLY, 0);
    sockaddr_in6 any{};
    any.sin6_family = AF_INET6;
    bound = bind(socket_, reinterpret_cast<const sockaddr*>(&any), sizeof any) == 0;
    if (!bound) close(socket_);
  }
  if (!bound) {  // a machine without IPv6
    socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in any{};
    any.sin_family = AF_INET;
    bound = socket_ >= 0 && bind(socket_, reinterpret_cast<const sockaddr*>(&any), sizeof any) == 0;
  }
  constexpr int waiting_at_once = 1024;
  sockaddr_storage own{};
  socklen_t size = sizeof own;
  if (!bound || listen(socket_, waiting_at_once) != 0 ||
      getsockname(socket_, reinterpret_cast<sockaddr*>(&own), &size) != 0) {
    const int error = errno;
    if (socket_ >= 0) close(socket_);
    throw Error(fmt::format("can't listen for the machines of the run: {}", std::strerror(error)));
  }
  port_ = ntohs(own.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(own).sin6_port
                                          : reinterpret_cast<const sockaddr_in&>(own).sin_port);
}

Listener::~Listener() {
  close(socket_);
}

std::optional<int> Listener::accept_within(std::chrono::milliseconds patience) {
  pollfd ready{socket_, POLLIN, 0};
  if (poll(&ready, 1, milliseconds_of(patience)) != 1) return std::nullopt;
  const int accepted = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
  return accepted < 0 ? std::nullopt : std::optional(accepted);
}

std::vector<std::string> own_addresses() {
  std::vector<std::string> addresses, of_loopback;
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return {"127.0.0.1"};
  for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || (one->ifa_flags & IFF_UP) == 0) continue;
    const int family = one->ifa_addr->sa_family;
    if (family != AF_INET && family != AF_INET6) continue;
    const socklen_t size = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    const bool is_loopback = (one->ifa_flags & IFF_LOOPBACK) != 0;
    const std::string text = text_of(one->ifa_addr, size);
    if (text.find('%') != std::string::npos) continue;  // of one link: each machine names that otherwise
    (is_loopback ? of_loopback : addresses).push_back(text);
  }
  freeifaddrs(all);
  addresses.insert(addresses.end(), of_loopback.begin(), of_loopback.end());
  return addresses;
}

std::string new_secret() {
  std::array<unsigned char, 16> random{};
  if (getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size()))
    throw Error(fmt::format("the system gives no random numbers: {}", std::strerror(errno)));
  return fmt::format("{:02x}", fmt::join(random, ""));
}

bool is_same_secret(std::string_view one, std::string_view other) {
  unsigned differs = one.size() == other.size() ? 0 : 1;
  for (std::size_t i = 0; i < one.size() && i < other.size(); ++i)
    differs |= static_cast<unsigned char>(one[i]) ^ static_cast<unsigned char>(other[i]);
  return differs == 0;
}

}  // namespace morgana
