#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "emulator/operations/operation.h"
#include "pvmshim/channel/announced_end.h"
#include "pvmshim/channel/robust_mutex.h"
#include "pvmshim/channel/settings.h"

namespace morgana {

/// A rank's end of the channel: operations out, answers in, payloads through shared memory, and the page on
/// which the rank publishes whether its program or the shim is running. One thread at a time may use it.
///
/// If the emulator's process ends while the rank sleeps in here, the rank's process ends too (emulator_gone).
///
/// How compute time is measured. The rank is either in the shim or in the program; after construction it is
/// in the shim. leave() begins a stretch of the program, enter() ends it; they alternate, and every visit to
/// the shim is enclosed by them, whether it posts anything or not:
///
///     leave() .. program .. enter() .. clock read locally .. leave() .. program .. enter() .. post() ..
///
/// The CPU time of all stretches since the last post() is summed up (computed_since_post) and post()
/// sets the sum back to 0. So what belongs to an operation as its `elapsed` must be asked for before it is
/// posted, and is never less than simulated(computed_since_post(), settings()): while the rank computes, the
/// emulator relies on that bound. Time in the shim counts nowhere. With ComputeMode::none no clock is read.
class RankChannel {
 public:
  /// Environment variable that holds the channel's path (a memfd of the launcher: /proc/PID/fd/N).
  static constexpr const char* path_variable = "MORGANA_CHANNEL";

  /// @throws Error if there is no such channel, or the rank is taken or out of range
  RankChannel(const std::string& path, Rank rank);
  ~RankChannel();

  const ChannelSettings& settings() const;
  Rank rank() const;

  /// Hands an operation to the emulator and begins a new sum of compute time. Sleeps only while the ring is
  /// full. If the emulator sleeps, it is woken once for the operations of a call: with the last one, or with
  /// one that wants an answer, or when the rank itself goes to sleep in here, or by leave(). If it sleeps
  /// while no rank waits for it, it is left asleep until one does or much has come together.
  void post(const Operation& operation);
  /// Sleeps until the emulator has answered the last operation that wants an answer: one await() for each.
  void await(Answer& answer);

  // Polling (a rank that answers its own failing polls).
  /// Shows others that no further operation of this rank will lie before `clock`; never less than before.
  void show_reached(SimTime clock);
  struct Quiet {
    SimTime until;    ///< the poll finds nothing before this time
    SimTime at_most;  ///< how long that can become while the emulator says nothing new
  };
  /// How long the last answer's poll goes on to find nothing, as far as the computing ranks that it names
  /// have come: what they have not done yet can't be felt sooner than the least distance after where they
  /// are.
  Quiet quiet(const Answer& answer) const;
  /// Sleeps until the slowest of the computing ranks that the answer names has come so far that this rank can
  /// poll at `now`, or has said something to the emulator.
  /// @param answer  one whose quiet().at_most lies beyond `now`
  /// @return false if that takes long
  bool give_way(const Answer& answer, SimTime now);

  /// While there is such work, it is done about every millisecond that the rank sleeps in here; null: none.
  void work_while_asleep(void (*work)());

  // Payloads. A handle names a block of shared memory that any rank of the run can read; 0 is no block.
  /// @param readers  how many times release() will be called before the block is free again, > 0
  /// @throws Error if `size` can never fit; sleeps and retries while other payloads are still unread
  std::uint64_t allocate(Bytes size, std::uint32_t readers);
  /// The block's `size` bytes, aligned to 16. @throws Error if the handle names no block
  std::span<std::byte> data(std::uint64_t handle);
  void release(std::uint64_t handle);

  // Messages between ranks, where settings().messages_are_certain: each is announced to its receiver before
  // it is posted to the emulator.
  struct SentMessage {
    std::uint64_t payload;  ///< a block: messages without data have one, too
    Rank source;
    Context context;
    Tag tag;
  };
  /// @param payload  of this rank's, for that one reader
  void announce_message(Rank receiver, std::uint64_t payload, Context context, Tag tag);
  /// Those to this rank that it has not taken yet, in each sender's order. None of their payloads may be
  /// released before.
  void take_announced(std::vector<SentMessage>& messages);
  /// Sleeps until there are any.
  void await_announced();

  /// To be held while a rank reads and changes memory of `owner` in one step.
  RobustMutex& memory_of(Rank owner);

  /// The number of the platform's host that a rank is on.
  std::uint32_t host_of(Rank rank) const;
  /// The real machine that a rank runs on: ranks on others share no memory with it, but for payloads.
  std::uint32_t machine_of(Rank rank) const;

  // Measuring the program (see above).
  /// The program has called the shim.
  void enter();
  /// The shim returns to the program.
  void leave();
  /// CPU time of the process in its program since the last post(); 0 in mode `none`.
  std::chrono::nanoseconds computed_since_post() const;
  /// The same, of a program with one thread that goes on, as far as that is known without a system call.
  std::optional<std::chrono::nanoseconds> computed_in_passing();
  /// The same while the program goes on, up to now.
  std::chrono::nanoseconds computed_by_now() const;
  /// The rank will do nothing more that the emulator can see (after its exit operation): its process may end.
  void finished();
  /// The process executes another program now (or, `false`, could not). The rank is in the shim, and stays
  /// there until that program attaches as the same rank, or the process ends. Only it may attach.
  void pass_on(bool passed_on);
  /// Whether this rank goes on where another program of this process has passed it on.
  bool resumed() const;
  /// The rank ends the run (MPI_Abort, or an uncaught error): this is why, whichever process ends first.
  void announce(const AnnouncedEnd& end);
  /// The program has given the context a name, which reports will use (its first 64 bytes).
  /// @param context  not the world's, which has its name
  void name(Context context, const std::string& given);
  /// The error was caught after all.
  void take_back_announcement();

 private:
  // Boost's allocator, which takes a compiler seconds, stays out of all the files of the shims that include
  // this.
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// What a rank does when the emulator's process has ended: says so on stderr and ends its process at once
/// (exit code 1), so that no rank outlives its run.
[[noreturn]] void emulator_gone();

}  // namespace morgana
