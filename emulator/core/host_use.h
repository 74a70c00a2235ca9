#pragma once

#include <cstddef>
#include <cstdint>

#include "emulator/core/time.h"
#include "emulator/core/units.h"

namespace morgana {

/// What was carried one kind of way: messages, those that carry out collectives included, and one-sided
/// accesses. A collective's algorithm decides how often its data travel; what the program passes to it is
/// another quantity (CollectivePayload).
struct Traffic {
  std::uint64_t messages = 0;
  Bytes bytes;  ///< the program's: no envelopes, no control messages
  void add(Bytes more) {
    ++messages;
    bytes += more;
  }
};

/// On how many hosts a program's ranks were, and what that meant for what they said to each other.
struct HostUse {
  std::size_t hosts = 0;       ///< on which ranks ran
  std::size_t processors = 1;  ///< of each
  Traffic within;              ///< through the memory of a host
  Traffic between;             ///< over the network
  /// By how much copies of ranks of one host at once took longer than alone, in all (hosts.memory-bandwidth).
  SimTime memory_wait = SimTime();
  SimTime memory_at_limit =
      SimTime();  ///< for how long a host's memory carried no more: of all hosts, the longest
  /// Of all bytes those that stayed within a host, 0 to 1; of messages, if none had any.
  double share_within() const {
    const bool empty = (within.bytes + between.bytes).count() == 0;
    const auto amount = [&](const Traffic& traffic) {
      return empty ? static_cast<double>(traffic.messages) : static_cast<double>(traffic.bytes.count());
    };
    const double all = amount(within) + amount(between);
    return all > 0 ? amount(within) / all : 0;
  }
};

}  // namespace morgana
