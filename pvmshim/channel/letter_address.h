#pragma once

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

namespace morgana {

/// Names a run on this machine: by the file that is its channel. Empty if that is not there.
/// @param channel  EmulatorChannel::path()
inline std::string name_of_run(const std::string& channel) {
  struct stat file {};
  if (stat(channel.c_str(), &file) != 0) return "";
  return std::to_string(file.st_dev) + "." + std::to_string(file.st_ino);
}

/// A socket's address that has to do with a run. No file: it lives as long as the socket.
class RunAddress {
 public:
  /// @param run  name_of_run()
  RunAddress(const std::string& run, const std::string& whose) {
    name_.sun_family = AF_UNIX;
    const std::string name = "morgana/" + whose + "/" + run;
    const std::size_t length = std::min(name.size(), sizeof name_.sun_path - 1);
    name.copy(name_.sun_path + 1, length);
    size_ = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
  }

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&name_); }
  socklen_t size() const { return size_; }

 private:
  sockaddr_un name_{};
  socklen_t size_ = 0;
};

/// Where a rank's MPICH takes letters from the others' (LetterBox): a datagram socket's address.
class LetterAddress : public RunAddress {
 public:
  LetterAddress(const std::string& run, int rank) : RunAddress(run, std::to_string(rank)) {}
};

/// Where the agent of a machine takes what ranks ask of the memory of ranks elsewhere (RemoteMemory): a
/// stream socket's address.
class MemoryAddress : public RunAddress {
 public:
  explicit MemoryAddress(const std::string& run) : RunAddress(run, "memory") {}
};

/// Anybody on this machine may send to the socket: what another user sends is none of ours.
/// @param message  received from a socket with SO_PASSCRED, with space for a ucred
inline bool is_from_own_user(msghdr& message) {
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_CREDENTIALS) continue;
    ucred sender{};
    std::memcpy(&sender, CMSG_DATA(part), sizeof sender);
    return sender.uid == getuid();
  }
  return false;
}

}  // namespace morgana
