#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "emulator/operations/operation.h"
#include "pvmshim/channel/settings.h"

namespace morgana {

/// A rank's end of the channel: operations out, answers in, payloads through shared memory, and the page on
/// which the rank publishes whether its program or the shim is running. One thread at a time may use it.
class RankChannel {
 public:
  /// Environment variable that holds the channel's path (a memfd of the launcher: /proc/PID/fd/N).
  static constexpr const char* path_variable = "MORGANA_CHANNEL";

  /// @throws Error if there is no such channel, or the rank is taken or out of range
  RankChannel(const std::string& path, Rank rank);
  ~RankChannel();

  const ChannelSettings& settings() const;
  Rank rank() const;

  /// Hands an operation to the emulator. Sleeps only while the ring is full.
  void post(const Operation& operation);
  /// Sleeps until the emulator has answered the last operation that wants an answer.
  void await(Answer& answer);

  // Payloads. A handle names a block of shared memory that any rank of the run can read; 0 is no block.
  /// @param readers  how many times release() will be called before the block is free again, > 0
  /// @throws Error if `size` can never fit; sleeps and retries while other payloads are still unread
  std::uint64_t allocate(Bytes size, std::uint32_t readers);
  std::span<std::byte> data(std::uint64_t handle);
  void release(std::uint64_t handle);

  // What the emulator reads while this rank computes (DESIGN: the live bound).
  /// On entry to the shim, before the CPU clock is read.
  void entered_shim();
  /// On leaving: the program computes again; `process_cpu_ns` is the process's CPU clock now.
  void left_shim(std::int64_t process_cpu_ns);
  /// The rank will do nothing more that the emulator can see (after its exit operation).
  void finished();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace morgana
