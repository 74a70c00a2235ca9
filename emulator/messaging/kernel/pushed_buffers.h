#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "emulator/messaging/kernel/kernel_message.h"

namespace morgana {

/// The pushed buffers: each receiver has one of the same number of slots, for what comes before its receive.
/// No more slots are ever taken of it.
class PushedBuffers {
 public:
  /// @param counters  of all receivers; they must outlive this object
  PushedBuffers(std::size_t receivers, std::int64_t slots, KernelMessageCounters& counters)
      : slots_(slots), taken_(receivers), counters_(counters) {
    counters_.slots = slots;
  }

  /// @return false if fewer slots are free at the message's receiver; then it takes none
  bool take(KernelMessage& message, std::int64_t count) {
    std::int64_t& taken = taken_[index(message.send.receiver)];
    if (count > slots_ - taken) return false;
    taken += count;
    message.slots += count;
    counters_.slots_taken += count;
    counters_.most_slots_taken = std::max(counters_.most_slots_taken, taken);
    return true;
  }
  /// What is there of the message has been copied, or is not needed.
  void free(KernelMessage& message) {
    counters_.slots_taken -= message.slots;
    taken_[index(message.send.receiver)] -= std::exchange(message.slots, 0);
    message.buffered = Bytes();
  }

 private:
  std::int64_t slots_;
  std::vector<std::int64_t> taken_;  // by receiver
  KernelMessageCounters& counters_;
};

}  // namespace morgana
