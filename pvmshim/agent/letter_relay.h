#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "emulator/operations/operation.h"

namespace morgana {

/// Carries the datagrams by which the ranks' MPICH agree on communicators and files (LetterBox) between
/// machines: it stands here under the addresses of the ranks that run elsewhere, and delivers what comes
/// from there to the ranks that run here. Those of one sender to one rank arrive in order and once. No rank
/// that does not empty its box holds up others.
class LetterRelay {
 public:
  /// @param channel  EmulatorChannel::path(), which names the run on this machine
  /// @param elsewhere  the ranks that do not run here
  /// @param send  takes a datagram for a rank elsewhere; called on the relay's thread
  /// @param may_come  whether a rank here, which has no address now, will have one; on the relay's thread
  /// @throws Error if the system has no sockets for it
  LetterRelay(const std::string& channel, std::span<const Rank> elsewhere,
              std::function<void(Rank, std::span<const std::byte>)> send, std::function<bool(Rank)> may_come);
  ~LetterRelay();
  LetterRelay(const LetterRelay&) = delete;
  LetterRelay& operator=(const LetterRelay&) = delete;

  /// To a rank here. From any thread.
  void deliver(Rank rank, std::span<const std::byte> datagram);

 private:
  struct Box {
    Rank rank;
    int socket;
  };
  using Waiting = std::deque<std::vector<std::byte>>;

  void run();
  bool leave(Rank rank, std::span<const std::byte> datagram) const;
  bool push();
  void ring() const;

  std::string run_;
  std::vector<Box> boxes_;
  std::function<void(Rank, std::span<const std::byte>)> send_;
  std::function<bool(Rank)> may_come_;
  int sending_ = -1, bell_ = -1;
  std::atomic<bool> ends_{false};
  std::mutex mutex_;                 ///< guards what follows
  std::map<Rank, Waiting> waiting_;  ///< to ranks here
  std::thread thread_;
};

}  // namespace morgana
