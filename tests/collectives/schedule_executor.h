#pragma once

#include <bitset>
#include <string>
#include <vector>

#include "emulator/collectives/schedule.h"

namespace morgana::schedule_tests {

/// When a send of a schedule completes: at once, or only when its receive has been started.
enum class Sends { eager, synchronous };

/// Members of whose entry a member knows; at most 64 members.
using MemberSet = std::bitset<64>;

/// What came of carrying out one collective's schedules.
struct Execution {
  struct Member {
    Bytes sent, received, reduced, copied;
    int messages_sent = 0;
    MemberSet heard_of;  ///< whose entry its completion depends on, itself included
  };
  std::string failure;  ///< empty: all members completed and every message had its receive
  std::vector<Member> members;
  /// Length of the longest chain of steps where a message takes one unit of time and everything else none.
  int rounds = 0;
};

/// Carries out all members' schedules by the rules of schedule.h, and nothing else: no sizes of networks, no
/// processors. Finds deadlocks, messages without a partner, sizes that disagree between the two ends.
Execution execute(const std::vector<Schedule>& schedules, Sends sends);

}  // namespace morgana::schedule_tests
