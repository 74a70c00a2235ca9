#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "emulator/operations/causality.h"
#include "emulator/operations/observer.h"

namespace morgana {

/// What passes on a critical path.
enum class PathKind : std::uint8_t {
  computing,  ///< the program's own time
  host,       ///< the library's and the kernel's: overheads, copies, polls, turns of other ranks
  protocol,   ///< requests, clearances, acknowledgements, and locks that let a message wait
  wire,       ///< the transport has the data: interfaces, links, what holds units up, and what is sent again
  retransmission,  ///< a message waits for a retransmission timer (TimerWait)
  waiting,         ///< sleeping, and waits that end at their limit
};
constexpr std::size_t path_kinds = 6;
std::string_view name_of(PathKind kind);

/// What each kind takes of a path.
struct PathTimes : std::array<SimTime, path_kinds> {
  SimTime time(PathKind kind) const { return at(static_cast<std::size_t>(kind)); }
  SimTime total() const;
  /// By how much of the total at most a run gets shorter if what is of this kind takes half as long: as much
  /// as the path does, and less where another one becomes the longest. 0 to 0.5.
  double gain_of_half(PathKind kind) const;
};

/// The longest chain of causes in a run: back from the last rank's end, each time to what had let a waiting
/// rank go on. Its pieces follow each other without a gap, so their times add up to the run's simulated time.
struct CriticalPath {
  /// What one rank does from when something has reached it until it is done with what the next one needs; or
  /// a message.
  struct Step {
    Actor who;   ///< of a message: its receiver
    Actor from;  ///< of a message: whose doing let it come; else as `who`
    SimTime begin, end;
    std::array<SimTime, path_kinds> times{};  ///< by PathKind; they add up to end - begin
    bool message = false;
    CarriedMessage carried{};  ///< by the network, for the time of PathKind::wire
  };
  /// What of PathKind::wire the path's messages would take if nothing else were sent.
  struct Alone {
    SimTime latency;  ///< as long as messages without data
    SimTime data;     ///< what their data add to that
  };
  std::vector<Step> steps;  ///< in the order of time
  PathTimes times{};
  std::optional<Alone> alone{};  ///< nothing: not known

  SimTime time(PathKind kind) const { return times.time(kind); }
  SimTime total() const { return times.total(); }
  std::uint64_t messages() const;  ///< between ranks
  std::size_t ranks() const;       ///< on which it lies
};

/// Sees a run and finds its critical path then. It keeps about 30 bytes for each stretch of calls without
/// computing in between, and 60 for each time that a rank has waited.
class CriticalPathRecorder : public OperationObserver, public CausalityObserver {
 public:
  CriticalPathRecorder() = default;
  /// @param most  stretches and waits that are kept; a run with more of them has no path
  explicit CriticalPathRecorder(std::size_t most) : most_(most) {}
  bool has_path() const { return kept_ <= most_; }

  void operation_ended(Rank rank, const Operation& operation, SimTime begin, SimTime end,
                       std::span<const Completed> completed) override;
  void released(const Release& release) override;

  /// @param services  the ranks before this one only serve the others: the path does not end there
  CriticalPath path(std::size_t services = 0) const;

 private:
  struct Calls {  // without computing in between
    SimTime begin, end;
    SimTime host;  // of the time before: what the kernel took, and polls that the rank answered itself
    bool idle = false;
  };
  struct Numbered {
    Release release;
    std::uint64_t number = 0;
  };
  struct Lane {  // an actor's
    std::vector<Calls> calls;
    std::vector<Numbered> releases;  // by time, then by number
    SimTime polled_since;
    bool polls = false;  // its last operation was a test or probe that has found nothing
  };
  Lane& lane(Actor actor);
  /// Counts what is kept. @return whether there is space; else everything kept so far is dropped
  bool has_space();
  const Numbered* last_release(Actor actor, SimTime until, std::uint64_t before) const;
  CriticalPath::Step stretch(Actor actor, SimTime begin, SimTime end) const;

  std::vector<std::array<Lane, 2>> lanes_;  // by rank: its own, and the second one
  std::uint64_t releases_ = 0;
  std::size_t kept_ = 0;
  std::size_t most_ = std::numeric_limits<std::size_t>::max();
};

}  // namespace morgana
