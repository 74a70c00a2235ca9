#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "emulator/pipeline/probe.h"
#include "emulator/platform/platform.h"

namespace morgana {

/// A platform as a pipeline that is seen only from outside: messages from a rank to one on another host,
/// which has posted a receive for each before the first is sent.
class PlatformProbe {
 public:
  /// @param seed  of whatever the platform leaves to chance
  PlatformProbe(Platform platform, std::uint64_t seed) : platform_(std::move(platform)), seed_(seed) {}

  /// Sends messages without waiting for any (MPI_Isend), on a machine that has done nothing yet.
  /// @return when each receive has ended, the first send having begun at 0
  /// @throws Error if one of them never comes
  std::vector<SimTime> send(std::span<const Bytes> sizes) const;

  /// A stage as its instruments show it: what a message needs to pass it, and for how long it keeps the next
  /// one from doing the same. The network has many in it at once.
  struct Stage {
    std::string name;
    pipeline::ProbedLine transit, occupied;
  };
  /// Direct instrumentation (section 5.3.1): the costs of the sender's and the receiver's host as the
  /// platform states them, and between them transport and network by themselves, from interface to interface.
  /// Of messages that go at once.
  /// @param samples  sizes, two different ones at least
  std::vector<Stage> stages(std::span<const pipeline::ProbeSample> samples, std::size_t burst) const;

  Bytes eager_limit() const { return machine().messages.eager_limit; }

 private:
  Machine machine() const;
  struct Shipped {
    std::vector<SimTime> times;  ///< at which they came to the receiving host
    SimTime left_to_do, work;    ///< on its processor, with the last one: from then on, and in all
  };
  Shipped ship(Machine& machine, std::span<const Bytes> sizes) const;

  Platform platform_;
  std::uint64_t seed_;
};

}  // namespace morgana
