#pragma once

#include <cstdint>
#include <string>

#include "emulator/core/host_use.h"

namespace morgana {

/// What is known of a run once it is over, be it one of ranks' operations or of a dependency graph.
class RunAccount {
 public:
  virtual ~RunAccount() = default;
  /// Messages that an unreliable transport has lost.
  virtual std::uint64_t lost_messages() const = 0;
  /// Those that a reliable transport has returned to their senders.
  virtual std::uint64_t returned_messages() const = 0;
  /// By which rule the load is called more than a protocol carries (Losses::unstable); empty if it is not.
  virtual std::string unstable() const = 0;
  /// The hosts on which ranks ran, services left out, and what stayed within them.
  virtual HostUse host_use() const = 0;
};

}  // namespace morgana
