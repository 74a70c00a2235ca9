#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <set>
#include <vector>

#include "emulator/messaging/kernel/kernel_message.h"

namespace morgana {

/// The pushes of one rank to another: each message's are on a channel of their own, so that one which waits
/// for space holds up no other. They are seen in their order all the same, but for those that are given up.
class PushChannels {
 public:
  /// The message is the next of its pair of ranks, and gets a channel.
  void begin(KernelMessage& message);
  /// Whether all messages before it have been seen or given up.
  bool is_next(const KernelMessage& message) { return message.ordinal == pair_of(message).seen; }
  /// It is the next one.
  void see(const KernelMessage& message);
  /// It will never be seen.
  void give_up(const KernelMessage& message);
  /// None of the message's pushes is under way any more: another message may use their channel.
  void end(KernelMessage& message);

 private:
  struct Pair {
    std::uint64_t sent = 0, seen = 0;
    std::uint32_t channels = 0;
    std::vector<std::uint32_t> free;   // of these
    std::set<std::uint64_t> given_up;  // ordinals
    void skip_given_up() {
      while (given_up.erase(seen) > 0) ++seen;
    }
  };
  Pair& pair_of(const KernelMessage& message) {
    return pairs_[std::uint64_t{index(message.send.envelope.source)} << 32 | index(message.send.receiver)];
  }

  tsl::robin_map<std::uint64_t, Pair> pairs_;  // by sender and receiver
};

}  // namespace morgana
