#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace morgana {

/// The connections of this machine's agent to those of the others, for a rank to write to. It gets each from
/// the agent when it first needs it.
class MachineStreams {
 public:
  /// @param channel  RankChannel's path, by which the agent of this machine is found
  explicit MachineStreams(std::string channel) : channel_(std::move(channel)) {}
  ~MachineStreams();
  MachineStreams(const MachineStreams&) = delete;
  MachineStreams& operator=(const MachineStreams&) = delete;

  /// @return the connection to the agent of that machine; -1 if this process can't have it, and the agent
  /// must write: the program has closed it, or may not open more files
  int to(std::uint32_t machine);
  /// Whether what to() has returned is still that connection.
  bool has(std::uint32_t machine) const;

 private:
  struct Connection {
    int socket = -1;
    ino_t inode = 0;     ///< shows whether the descriptor is still the connection's
    unsigned tries = 0;  ///< failed attempts to get it
  };

  int ask(std::uint32_t machine) const;

  std::string channel_;
  std::vector<Connection> connections_;  ///< by machine
};

}  // namespace morgana
