#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "pvmshim/clock/program_threads.h"
#include "pvmshim/clock/rank_in_turns.h"
#include "pvmshim/clock/thread_outlook.h"

namespace morgana {

/// What the threads of a rank wait for in their calls. It is one wait of the rank's, which ends with the
/// first that comes, or where a thread may be that is not in a call: so the emulator sees a rank with one
/// clock, and a trace of it can be replayed. As long as the emulator has said that nothing happens a look
/// after the waits is known to find nothing.
///
/// The caller holds a ThreadsLock, which what takes it as argument gives back while it asks the emulator:
/// others may come meanwhile, and nobody is to be given the turn.
class ThreadWaits {
 public:
  /// @param measured  computing takes simulated time
  ThreadWaits(ProgramThreads& threads, RankInTurns& rank, bool measured, SimTime now)
      : threads_(threads), rank_(rank), measured_(measured), looked_at_(now) {}

  /// The thread waits from now on for what `operation` (a wait or a probe) waits for. When that has come, it
  /// is parked, and has its answer.
  void begin(ProgramThread& thread, const Operation& operation);
  /// Whether any thread waits.
  bool any() const;

  enum class Looked : std::uint8_t {
    acted,    ///< something has come, or time has passed without anybody's turn
    nothing,  ///< can be done yet
    quiet,    ///< nor will anything come up to the limit
  };
  /// @param limit  when anybody, or a timer, acts first
  /// @param pace  null, unless a thread is passed over, which may act at any time
  Looked look(ThreadsLock& lock, SimTime limit, RealPace* pace);
  /// A call is about to end, when only the emulator knows: one question for that and for what threads wait
  /// for, if any do.
  void look_as_call_ends(ThreadsLock& lock);

  /// What a thread's wait has found, and that thread does not know yet: accesses to a window complete in
  /// any thread's flush. The emulator knows it no more.
  const Completed* find_come(RequestId request, const ProgramThread* except = nullptr) const;
  /// Such requests of a test, which asks for the others only from then on.
  std::vector<Completed> take_come(Operation& test) const;

 private:
  /// What threads look for.
  struct Sought {
    std::size_t probes = 0, waits = 0;
    /// What all threads look for that wait for a message, in one probe: of any message if they are several,
    /// which stays where it is. Nothing, if none does, or not so.
    std::optional<Operation> probe;
    bool in_one() const { return probe || probes == 0; }
  };
  Sought sought() const;
  Operation wait_for_all(const Sought& sought) const;
  bool are_quiet(SimTime limit);
  bool look_for_messages(ThreadsLock& lock, SimTime& limit);
  void carry_out(ThreadsLock& lock, Operation& operation);
  ProgramThread* deliver(const Operation& operation);
  void end_if_over(ProgramThread& thread) const;

  ProgramThreads& threads_;
  RankInTurns& rank_;
  bool measured_;
  Answer answer_;
  SimTime looked_at_;                        ///< until there all waits have been looked after
  std::optional<std::uint32_t> nothing_at_;  ///< Answer::news when all waits were seen to find nothing
  bool looks_apart_ = false;                 ///< one probe for all has found what none of them asks for
};

}  // namespace morgana
