#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "emulator/operations/operation.h"
#include "pvmshim/launch/process/process_activity.h"

namespace morgana {

/// How a rank stands with the emulator.
struct RankStanding {
  enum class Where {
    not_begun,   ///< it has not attached: its program has not come to MPI_Init
    in_program,  ///< between two calls, as far as the emulator knows
    in_call,     ///< it waits in `call`
    ended        ///< it has said all that it will say
  };
  Rank rank{};
  Where where = Where::not_begun;
  std::string call;   ///< the last one that the emulator knows of; empty: none
  pid_t process = 0;  ///< or the one that is to start it; 0: not known
};

/// Finds out that a live run comes no further, and says what every rank is in. It ends nothing.
///
/// What it says is evidence, not a guess from time alone. It looks at the ranks' processes every `interval`,
/// and counts a look only if, since the one before, no rank has said anything to the emulator or was
/// answered, and no rank that is in its program has run or could run. A busy machine, a frozen process and a
/// program that computes are no standstill: a look that comes late counts as one.
///
/// - After `looks_until_line` such looks in a row: one line. After `looks_until_details` more: once more,
///   with each thread. Both once for each standstill; each standstill that ended makes the next one's first
///   line take twice as long.
/// - Where computing takes no simulated time, a rank that uses CPU time lets no other one go on either. It
///   may compute, or spin: after `longest_computing` of its CPU time, a line, once in a run.
class ProgressWatch {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr int looks_until_line = 10, looks_until_details = 50;
  static constexpr std::chrono::seconds longest_computing{10};

  using LookAtRanks = std::function<std::vector<RankStanding>()>;
  using LookAtProcess = std::function<ProcessActivity(pid_t)>;

  /// @param interval  between two looks
  /// @param computing_takes_time  of the simulated clock
  ProgressWatch(
      std::chrono::milliseconds interval, bool computing_takes_time,
      LookAtProcess look_at_process = [](pid_t process) { return activity_of(process); })
      : interval_(interval),
        computing_takes_time_(computing_takes_time),
        look_at_process_(std::move(look_at_process)) {}

  /// A rank has said something, or was answered.
  void moved() { moved_ = true; }
  /// To be called often, while the emulator waits for ranks. @return what the user should read; mostly empty
  std::string look(Clock::time_point now, const LookAtRanks& ranks);

 private:
  /// A rank that has not ended, and what its process did at this look.
  struct Seen {
    RankStanding standing;
    ProcessActivity process;
    std::chrono::nanoseconds used_since_last_look{}, used_in_standstill{};
  };

  std::vector<Seen> look_at(const std::vector<RankStanding>& ranks);
  bool goes_on(const Seen& rank) const;
  std::string describe(const std::vector<Seen>& ranks) const;
  std::string details(const std::vector<Seen>& ranks) const;
  std::string computing_line(const std::vector<Seen>& ranks);

  std::chrono::milliseconds interval_;
  bool computing_takes_time_;
  LookAtProcess look_at_process_;
  bool moved_ = true;
  std::optional<Clock::time_point> looked_;
  int looks_until_line_ = looks_until_line;
  int still_ = 0;  ///< looks in a row at which no rank went on
  bool said_line_ = false, said_details_ = false, said_computing_ = false;
  struct Used {
    std::chrono::nanoseconds first, last;
  };
  std::map<Rank, Used> used_;  ///< CPU time at the standstill's first look, and at the last one
};

}  // namespace morgana
