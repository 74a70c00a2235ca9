#include "pvmshim/channel/machine_streams.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <optional>

#include "pvmshim/channel/letter_address.h"
#include "pvmshim/channel/remote_memory.h"

namespace morgana {
namespace {

/// The agent may not listen yet when the first ranks have started.
constexpr unsigned most_tries = 16;

std::optional<ino_t> inode_of(int socket) {
  struct stat file {};
  if (fstat(socket, &file) != 0 || !S_ISSOCK(file.st_mode)) return std::nullopt;
  return file.st_ino;
}

}  // namespace

MachineStreams::~MachineStreams() {
  for (const Connection& one : connections_)
    if (one.socket >= 0 && inode_of(one.socket) == one.inode) close(one.socket);
}

bool MachineStreams::has(std::uint32_t machine) const {
  const Connection& connection = connections_.at(machine);
  return connection.socket >= 0 && inode_of(connection.socket) == connection.inode;
}

int MachineStreams::to(std::uint32_t machine) {
  if (machine >= connections_.size()) connections_.resize(machine + 1);
  Connection& connection = connections_[machine];
  if (connection.socket >= 0) {
    if (has(machine)) return connection.socket;
    connection.socket = -1;
  }
  if (connection.tries == most_tries) return -1;
  ++connection.tries;
  connection.socket = ask(machine);
  if (connection.socket >= 0) {
    connection.inode = inode_of(connection.socket).value_or(0);
    connection.tries = 0;
  }
  return connection.socket;
}

// The shims replace what a program calls to wait for a socket.
int MachineStreams::ask(std::uint32_t machine) const {
  const int agent = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (agent < 0) return -1;
  const MemoryAddress address(name_of_run(channel_));
  const MemoryRequest request{MemoryAccess::connection, static_cast<std::int32_t>(machine), 0, 0, 0};
  int given = -1;
  if (::connect(agent, address.get(), address.size()) == 0 &&
      syscall(SYS_sendto, agent, &request, sizeof request, MSG_NOSIGNAL, nullptr, 0) ==
          static_cast<long>(sizeof request)) {
    char byte = 0;
    iovec part{&byte, sizeof byte};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
    msghdr reply{};
    reply.msg_iov = &part;
    reply.msg_iovlen = 1;
    reply.msg_control = control;
    reply.msg_controllen = sizeof control;
    // The agent's thread may itself wait for a connection that another rank writes to.
    pollfd ready{agent, POLLIN, 0};
    timespec longest{1, 0};
    long come = syscall(SYS_ppoll, &ready, 1, &longest, nullptr, 0) == 1 ? 0 : -1;
    if (come == 0) do
        come = syscall(SYS_recvmsg, agent, &reply, MSG_CMSG_CLOEXEC);
      while (come < 0 && errno == EINTR);
    const cmsghdr* const first = come > 0 ? CMSG_FIRSTHDR(&reply) : nullptr;
    if (first != nullptr && first->cmsg_level == SOL_SOCKET && first->cmsg_type == SCM_RIGHTS)
      std::memcpy(&given, CMSG_DATA(first), sizeof given);
  }
  close(agent);
  return given;
}

}  // namespace morgana
