#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "emulator/core/error.h"
#include "emulator/operations/operation.h"
#include "pvmshim/channel/announced_end.h"
#include "pvmshim/channel/robust_mutex.h"
#include "pvmshim/channel/settings.h"

namespace morgana {

/// The emulator's end of the channel to all ranks of one program. Everything that comes over it is checked.
class EmulatorChannel {
 public:
  /// Anonymous shared memory: nothing is left behind however the processes end.
  /// @param payload_room  of each rank, in bytes; address space, used only as far as touched
  /// @param host_of  the platform's host of each rank; empty: each is alone on its own
  /// @param machine_of  the real machine of each rank; empty: all are on this one
  explicit EmulatorChannel(const ChannelSettings& settings, Bytes payload_room = Bytes(std::int64_t{1} << 32),
                           std::span<const std::uint32_t> host_of = {},
                           std::span<const std::uint32_t> machine_of = {});
  ~EmulatorChannel();

  /// What MORGANA_CHANNEL must hold in the ranks' environment.
  std::string path() const;

  /// The process of this rank once it has attached.
  std::optional<int> pid_of(Rank rank) const;
  /// As RankChannel's.
  RobustMutex& memory_of(Rank owner);
  /// Whether the rank has said all that it will say: its process may end.
  bool ended(Rank rank) const;
  /// Why the rank ends the whole run, if it has said so.
  std::optional<AnnouncedEnd> announced_end(Rank rank) const;

  /// The name that the program has given to a context, as the first rank that did so says; empty if none.
  /// What can't be shown in a line stands as '?'.
  std::string given_name(Context context) const;

  /// What a rank that rests waits for.
  enum class Rest {
    none,             ///< it does not rest, as far as can be proved
    for_answer,       ///< for an answer, although it has said nothing that was not taken
    for_message,      ///< for a message that no rank has sent, although all that it has said was taken
    in_an_operation,  ///< the same, and the last that it has said is half an operation
    for_room,         ///< until others have read payloads of its: there is no space for more
    otherwise         ///< for what the emulator has not done yet
  };
  /// Whether the rank rests, to be asked from time to time: it does if it has, since an earlier call, looked
  /// twice for what it sleeps for and not found it, has not woken since, and nothing has come for it. A rank
  /// that is frozen, or waits for a processor, looks for nothing, however long that lasts: so this is never
  /// said of one that would go on if only it could run.
  Rest rest(Rank rank);

  /// Whether the rank says that it sleeps in its end of the channel, for whatever.
  bool sleeps(Rank rank) const;

  /// Whether the rank has said anything that was not taken.
  bool has_words(Rank rank) const;
  /// Whether the last that the rank has said, as far as it was taken, is half an operation.
  bool is_half_said(Rank rank) const;
  /// @return whether there was an operation. @throws Error naming the rank if what it wrote is not valid
  bool take(Rank rank, Operation& operation);
  /// Lets ranks and emulator run on all their processors: before the emulator starts a process, which
  /// inherits those that it may run on itself.
  void free_processors();
  /// Of a program whose ranks begin and end while it runs: how many run when it starts (if this is never
  /// called, all), and by how many it changes. Only the speed of waking depends on it.
  void running(std::size_t ranks);
  void running_changes(int by);
  /// Sleeps while the ring is full. @throws Error if the rank has died or does not read its answers
  void answer(Rank rank, const Answer& answer);

  /// How many threads any one rank's program has had at once.
  std::uint32_t most_threads() const;

  /// What a reader does with a payload of its, for one that will never be: once for each.
  /// @throws Error if that is no payload
  void release(std::uint64_t payload);

  /// CPU time that the rank's program has used since the rank's last operation, read from the process's
  /// CPU clock now; nothing if it has posted an operation that was not taken yet.
  std::optional<std::chrono::nanoseconds> computed(Rank rank);
  /// The simulated time that the rank says it has reached since its last answer (it answers failing polls
  /// itself); 0 if it has said nothing or posted an operation that was not taken yet.
  SimTime reached(Rank rank) const;

  /// Sleeps until any of `ranks` has posted something that was not taken yet, or attaches, or any rank has
  /// sent a message to one on another machine; at most `timeout`.
  void wait(std::span<const Rank> ranks, std::chrono::nanoseconds timeout) { wait(ranks, timeout, timeout); }
  /// Where messages are certain and no rank waits for the emulator it sleeps until one does, or one of
  /// `ranks` has posted much; at most `unhurried`.
  void wait(std::span<const Rank> ranks, std::chrono::nanoseconds timeout,
            std::chrono::nanoseconds unhurried);
  /// Where messages are certain: whether no rank waits for the emulator, so that it may let words come
  /// together.
  bool is_unhurried() const;
  /// As if a rank waited for the emulator, until it is taken back: others do, who are not here.
  void hurry(bool hurried);
  /// Lets a wait() that sleeps now, or the next one, return at once; from any thread.
  void wake();

 private:
  // As for RankChannel: Boost's allocator stays out of what includes this.
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace morgana
