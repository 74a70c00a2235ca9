#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "emulator/operations/operation.h"
#include "pvmshim/channel/robust_mutex.h"

namespace morgana {

/// Takes what the ranks of this machine ask of the memory of ranks elsewhere (RemoteMemory), passes it on,
/// and brings them the replies. A rank asks one thing at a time, and sleeps until the reply.
class MemoryRelay {
 public:
  /// Takes a request about the memory of a rank elsewhere; called on the relay's thread.
  /// @param connection  for deliver()
  using Send = std::function<void(Rank rank, std::uint64_t connection, std::span<const std::byte> request)>;

  /// The connection to the agent of a machine, for ranks to write to (MachineStreams); -1: there is none.
  /// Called on the relay's thread.
  using ConnectionTo = std::function<int(std::int32_t machine)>;

  /// @param channel  EmulatorChannel::path(), by which ranks find the relay
  /// @throws Error if the system has no sockets for it
  MemoryRelay(const std::string& channel, Send send, ConnectionTo connection_to = {});
  ~MemoryRelay();
  MemoryRelay(const MemoryRelay&) = delete;
  MemoryRelay& operator=(const MemoryRelay&) = delete;

  /// The reply to what came over that connection. From any thread; never waits for the rank.
  void deliver(std::uint64_t connection, std::span<const std::byte> reply);

 private:
  struct Connection {
    int socket;
    std::vector<std::byte> request = {};  ///< as far as it has come
    std::vector<std::byte> reply = {};    ///< as far as it has not left
  };

  void run();
  void accept_one();
  bool receive(std::uint64_t number, Connection& connection);
  static bool push(Connection& connection);
  void ring() const;

  Send send_;
  ConnectionTo connection_to_;
  int listening_ = -1, bell_ = -1;
  std::atomic<bool> ends_{false};
  std::mutex mutex_;  ///< guards what follows
  std::map<std::uint64_t, Connection> connections_;
  std::uint64_t last_ = 0;
  std::thread thread_;
};

/// Carries out a request at the memory of a rank of this machine.
/// @param process  the rank's; 0: it has none
/// @param memory  held during the call (RankChannel::memory_of)
/// @return the reply. @throws MalformedFrame
std::vector<std::byte> carry_out(std::span<const std::byte> request, pid_t process, RobustMutex& memory);

}  // namespace morgana
