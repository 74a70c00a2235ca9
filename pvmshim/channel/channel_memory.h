#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "pvmshim/channel/agreement_table.h"
#include "pvmshim/channel/announced_end.h"
#include "pvmshim/channel/futex.h"
#include "pvmshim/channel/ring.h"
#include "pvmshim/channel/robust_mutex.h"
#include "pvmshim/channel/settings.h"
#include "pvmshim/channel/thread_clocks.h"

namespace morgana {

// The shared memory of one run contains, in this order: the ChannelHeader, a RankSlot for each rank, the
// AgreementTable, and an arena for the payloads of each rank. The emulator uses an arena only for payloads
// that no rank will read. At the start all of it is zeros.

constexpr std::uint64_t channel_magic = 0x32'6e61'6772'6f6d;  // "morgan2"
constexpr std::size_t page_size = 4096;

/// What all processes of the run share.
struct alignas(page_size) ChannelHeader {
  std::uint64_t magic;
  std::uint64_t layout;        ///< channel_layout, by which a shim of another build is noticed
  std::uint64_t payload_room;  ///< size of a rank's large arena, in bytes
  std::int32_t emulator;       ///< the process id of the emulator
  ChannelSettings settings;
  alignas(64) FutexWord doorbell;  ///< the emulator sleeps on it
  /// 1: the emulator sleeps although ranks go on, because none waits for it. A rank that begins to wait for
  /// it must wake it.
  std::atomic<std::uint32_t> dozes;
  alignas(64) std::atomic<std::uint32_t> impatient;  ///< number of ranks that wait for the emulator
  alignas(64) std::atomic<bool> closed;              ///< the emulator has ended normally
  /// A value of Leaving (leaving_messages.h): whether messages to other machines wait for the agent to send
  /// them.
  alignas(64) std::atomic<std::uint32_t> leaving;
};

/// Whether a rank is in its program or in the shim, and the process's CPU clock at the last change. A stretch
/// is the time in the program between two visits to the shim.
///
/// `stretch` counts the changes: it is odd in the program and even in the shim. The other numbers change only
/// while it is even. So if `stretch` is the same odd number before and after the emulator has read the
/// process's CPU clock, the program ran all the time. The rank reads its own clock only later, after it has
/// made `stretch` even.
struct ClockPage {
  std::atomic<std::uint64_t> stretch;
  std::atomic<std::int64_t> cpu_at_leave_ns;  ///< the CPU clock when the shim was left last
  std::atomic<std::int64_t> computed_ns;  ///< CPU time of the stretches that have ended since the last post
  std::atomic<std::int64_t>
      overhead_ns;  ///< CPU time of reading the clock, which does not count as the stretch's
  /// No further operation of the rank starts before this simulated time. It never descends.
  std::atomic<std::int64_t> reached_ps;
  /// How many threads can run concurrently in the present stretch, which then takes no less than the
  /// process's CPU time divided by that. It grows before the additional thread runs.
  ThreadClocks::Shown threads;
};

constexpr std::int64_t stretch_ns(std::int64_t at_leave, std::int64_t now, std::int64_t overhead) {
  return std::max<std::int64_t>(0, now - at_leave - overhead);
}

/// What a rank that sleeps on its bell waits for.
enum class SleepsFor : std::uint32_t { answer = 1, ring = 2, memory = 3, message = 4 };

/// A rank's sleep, as its slot shows it: the sleep's number, and in the last three bits what it is for.
class Sleep {
 public:
  constexpr Sleep() = default;  ///< the rank is awake
  explicit constexpr Sleep(std::uint32_t word) : word_(word) {}
  constexpr Sleep(std::uint32_t number, SleepsFor what)
      : word_(number * 8 + static_cast<std::uint32_t>(what)) {}

  constexpr std::uint32_t word() const { return word_; }
  constexpr bool asleep() const { return word_ != 0; }
  constexpr bool is_for(SleepsFor what) const { return word_ % 8 == static_cast<std::uint32_t>(what); }
  friend constexpr bool operator==(Sleep, Sleep) = default;

 private:
  std::uint32_t word_ = 0;
};

/// A context that the program has named (MPI_Comm_set_name); the name ends with a zero or the array.
struct NamedContext {
  std::atomic<std::uint64_t> context;  ///< 0: none
  std::array<char, 64> name;
};
/// How many named contexts a rank has at most; of more the last ones are kept.
constexpr std::size_t most_named_contexts = 16;

/// In a rank's slot: when the rank must wake the emulator.
enum class EmulatorWaits : std::uint32_t {
  not_for_it,  ///< never
  for_words,   ///< after any operation
  for_many     ///< until much has come together: no rank needs an answer now
};

/// The connection from this machine's agent to another machine's agent. Ranks here write their messages to it
/// themselves (MachineStreams).
struct MachineLine {
  RobustMutex stream;               ///< held by the process that writes to the connection
  std::atomic<bool> broken;         ///< a process ended while it wrote, or could not write: nothing follows
  std::atomic<std::int32_t> error;  ///< errno of the failed write; 0: it is no error of this machine
  std::atomic<std::uint64_t> leaving;  ///< list of messages that have not left; taken with `stream` held
  std::atomic<std::uint64_t>
      promised;  ///< how many were put on that list; grows before their operations are sent
  std::atomic<std::int32_t> writer;  ///< the rank whose write failed; -1: the agent's

  /// To be called by the process that holds the line when it could not write all. Half a frame may have left.
  /// @param why  errno. A closed other end is no error of this machine
  void break_off(std::int32_t rank, int why) {
    writer = rank;
    error = why == EPIPE || why == ECONNRESET || why == ETIMEDOUT ? 0 : why;
    broken = true;
  }
};

/// Holds a line, which this process may then write to.
class HeldLine {
 public:
  /// @param meanwhile  called several times a second while others hold it; may throw
  template <typename Meanwhile>
  HeldLine(MachineLine& line, const Meanwhile& meanwhile) : line_(line) {
    constexpr std::chrono::milliseconds between_looks{100};
    while (true) {
      switch (line.stream.lock_within(between_looks)) {
        case RobustMutex::Locked::yes:
          return;
        case RobustMutex::Locked::from_the_dead:
          line.broken = true;
          return;
        case RobustMutex::Locked::not_yet:
          meanwhile();
      }
    }
  }
  ~HeldLine() { line_.stream.unlock(); }
  HeldLine(const HeldLine&) = delete;
  HeldLine& operator=(const HeldLine&) = delete;

 private:
  MachineLine& line_;
};

/// What one rank's shim and the emulator share.
struct alignas(page_size) RankSlot {
  std::atomic<std::int32_t> pid;     ///< of the rank's process, once it has attached
  std::atomic<std::uint32_t> ended;  ///< it has sent its last operation
  /// It is about to exec another program, which may continue as the rank.
  std::atomic<std::uint32_t> passed_on;
  std::uint32_t host;     ///< the modelled host that it is placed on
  std::uint32_t machine;  ///< the real machine that runs it; 0 in a run on one machine
  /// Not 0: it ends the whole run. 1 in the upper half, the exit code in the lower. announced_error is the
  /// error.
  std::atomic<std::uint64_t> announced_end;
  std::array<char, longest_announced_error> announced_error;
  std::array<NamedContext, most_named_contexts> named_contexts;  ///< for reports only
  alignas(64) MachineLine line;      ///< to the machine whose number is this slot's; it is not the rank's
  std::atomic<std::uint64_t> marks;  ///< how many of its payloads have been marked (marked_payload.h)
  alignas(64) std::atomic<EmulatorWaits> emulator_waits;
  alignas(64) FutexWord bell;  ///< the rank sleeps on it
  /// A Sleep's word, 0 while it is awake; if it is not, a process that has something for it must ring.
  std::atomic<std::uint32_t> sleeps;
  /// How often a check for what it sleeps for has found nothing and the wait after it has timed out.
  std::atomic<std::uint32_t> naps;
  std::atomic<std::uint32_t> lacks_room;  ///< it sleeps because its arena is full
  /// Ranks that poll concurrently with it sleep on this until it has reached `followed_until_ps`, the
  /// earliest time that one of them sleeps for; 0: none sleeps.
  FutexWord followers_bell;
  std::atomic<std::int64_t> followed_until_ps;
  /// Blocks of its arena that their last reader has released, as a list through the blocks.
  std::atomic<std::uint64_t> released;
  /// Messages sent to it that it has not read, as a list through their blocks.
  alignas(64) std::atomic<std::uint64_t> announced;
  alignas(64) RobustMutex memory;  ///< held by ranks that read and change this one's memory in one step
  alignas(64) ClockPage clock;
  alignas(64) Ring<4096> operations;
  alignas(64) Ring<2048> answers;
};

/// Identifies the layout of the shared memory, so that a shim of another build is noticed: made of the sizes
/// of the structures in it. As slots are padded to pages, the offset of a field behind a slot's small ones is
/// part of it.
constexpr std::uint64_t channel_layout =
    ((std::uint64_t{sizeof(Operation)} * 4096 + sizeof(ChannelSettings)) * 4096 +
     offsetof(RankSlot, released)) *
        65536 +
    sizeof(RankSlot);

using OperationRing = decltype(RankSlot::operations);
using AnswerRing = decltype(RankSlot::answers);

constexpr std::size_t slot_offset(std::size_t rank) {
  return sizeof(ChannelHeader) + rank * sizeof(RankSlot);
}

/// The offset of the payload arenas, in bytes. Before them is the AgreementTable, after the last slot.
inline std::size_t arenas_offset(std::size_t ranks) {
  return slot_offset(ranks) + AgreementTable::size(ranks);
}

/// Wakes a rank if it sleeps. The data that it shall see must have been stored before.
/// @param what  if given, wakes only a rank that sleeps for this
/// @return whether it did
inline bool ring(RankSlot& slot, std::optional<SleepsFor> what = std::nullopt) {
  std::atomic_thread_fence(
      std::memory_order_seq_cst);  // either it sees what was stored, or we that it sleeps
  const Sleep sleep(slot.sleeps.load(std::memory_order_relaxed));
  if (!sleep.asleep() || (what && !sleep.is_for(*what))) return false;
  slot.bell.fetch_add(1, std::memory_order_release);
  futex_wake(slot.bell);
  return true;
}

inline void ring_doorbell(ChannelHeader& header) {
  header.doorbell.fetch_add(1, std::memory_order_release);
  futex_wake(header.doorbell);
}

/// Wakes the emulator if it waits for this rank. The data that it shall see must have been stored before.
/// @param much  returns whether so much has come together that the emulator is to look although no rank waits
/// @return whether it did
template <typename Much>
bool ring_emulator(ChannelHeader& header, RankSlot& slot, const Much& much) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const EmulatorWaits waits = slot.emulator_waits.load(std::memory_order_relaxed);
  if (waits == EmulatorWaits::not_for_it || (waits == EmulatorWaits::for_many && !much())) return false;
  slot.emulator_waits.store(EmulatorWaits::not_for_it, std::memory_order_relaxed);
  ring_doorbell(header);
  return true;
}

/// A rank waits for the emulator from now on. Its operations must have been stored before.
/// @return whether the emulator slept and has been woken
inline bool grow_impatient(ChannelHeader& header) {
  header.impatient.fetch_add(1,
                             std::memory_order_seq_cst);  // either the emulator sees it, or we that it dozes
  if (header.dozes.exchange(0, std::memory_order_seq_cst) == 0) return false;
  ring_doorbell(header);
  return true;
}

}  // namespace morgana
