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

// The shared memory of one run, from its start: the ChannelHeader, a RankSlot for each rank, the
// AgreementTable, and an arena for the payloads of each rank, which the emulator needs for those alone that
// nobody will read. All of it begins as zeros.

constexpr std::uint64_t channel_magic = 0x32'6e61'6772'6f6d;  // "morgan2"
constexpr std::size_t page_size = 4096;

struct alignas(page_size) ChannelHeader {
  std::uint64_t magic;
  std::uint64_t layout;  ///< channel_layout, by which a shim of another build is noticed
  std::uint64_t payload_room;
  std::int32_t emulator;  ///< its process
  ChannelSettings settings;
  alignas(64) FutexWord doorbell;  ///< the emulator sleeps on it
  /// The emulator sleeps although ranks go on: no rank waits for it, and a rank that begins to must wake it.
  std::atomic<std::uint32_t> dozes;
  alignas(64) std::atomic<std::uint32_t> impatient;  ///< how many ranks wait for what only the emulator gives
  alignas(64) std::atomic<bool> closed;              ///< the emulator has left in order
  /// A rank has left messages to ranks on other machines for the agent to send, which has not looked since.
  alignas(64) std::atomic<std::uint32_t> leaving;
};

/// Whether a rank's program or its shim is running, and the process's CPU clock when it last changed.
/// `stretch` is even in the shim and odd in the program; the other numbers change only while it is even.
/// So if `stretch` is the same odd number before and after the emulator has read the process's CPU clock, the
/// program ran all the time, and the rank will read its own clock only later: after it has made `stretch`
/// even, which all see first.
struct ClockPage {
  std::atomic<std::uint64_t> stretch;
  std::atomic<std::int64_t> cpu_at_leave_ns;
  std::atomic<std::int64_t> computed_ns;  ///< of the stretches that have ended since the last post
  std::atomic<std::int64_t> overhead_ns;  ///< of reading the clock, taken off the stretch
  /// A simulated time that no operation of the rank will lie before, as far as the rank has said; it grows.
  std::atomic<std::int64_t> reached_ps;
  /// Of the stretch that runs, so many threads can run beside each other: it takes no less than the process's
  /// time over that. It grows before the thread runs that makes it grow.
  ThreadClocks::Shown threads;
};

constexpr std::int64_t stretch_ns(std::int64_t at_leave, std::int64_t now, std::int64_t overhead) {
  return std::max<std::int64_t>(0, now - at_leave - overhead);
}

/// What a rank sleeps for in its end of the channel.
enum class SleepsFor : std::uint32_t { answer = 1, ring = 2, memory = 3, message = 4 };

/// A rank's sleep, as its slot shows it: each one has another number; what it is for stands in the last bits.
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
/// Of each rank; of more the last are known.
constexpr std::size_t most_named_contexts = 16;

/// What the emulator sleeps for, in a rank's slot: what the rank must ring for.
enum class EmulatorWaits : std::uint32_t {
  not_for_it,
  for_words,  ///< for any that the rank says
  for_many    ///< until much has come together: no rank needs an answer now
};

/// The way of messages from this machine to another one: the connection between the agents of the two, to
/// which ranks here write themselves (MachineStreams).
struct MachineLine {
  RobustMutex stream;                   ///< held by the process that writes to the connection
  std::atomic<bool> broken;             ///< one has died while it wrote, or could not: nothing follows
  std::atomic<std::int32_t> error;      ///< errno of the one that could not; 0: it is none's of this machine
  std::atomic<std::uint64_t> leaving;   ///< messages that have not left, as a list; taken with `stream` held
  std::atomic<std::uint64_t> promised;  ///< how many have been put on that list; before their operations
  std::atomic<std::int32_t> writer;     ///< whose the error is: a rank; -1: the agent

  /// By a process that holds it and could not write all: half a frame may have left.
  /// @param why  errno. A closed other end is no error of this machine
  void break_off(std::int32_t rank, int why) {
    writer = rank;
    error = why == EPIPE || why == ECONNRESET || why == ETIMEDOUT ? 0 : why;
    broken = true;
  }
};

/// A line that this process writes to.
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

struct alignas(page_size) RankSlot {
  std::atomic<std::int32_t> pid;     ///< of the rank's process, once it has attached
  std::atomic<std::uint32_t> ended;  ///< it has said all that it will say
  /// It is about to execute another program, which may go on as the rank.
  std::atomic<std::uint32_t> passed_on;
  std::uint32_t host;     ///< on which the platform has placed it
  std::uint32_t machine;  ///< on which it really runs; 0 everywhere in a run on one
  /// It ends the whole run: 1 in the upper half, the code in the lower. And by which error, if it is one.
  std::atomic<std::uint64_t> announced_end;
  std::array<char, longest_announced_error> announced_error;
  std::array<NamedContext, most_named_contexts> named_contexts;  ///< for reports alone
  alignas(64) MachineLine line;      ///< to the machine of the rank's number; nothing to do with the rank
  std::atomic<std::uint64_t> marks;  ///< how many payloads of its have been marked (marked_payload.h)
  alignas(64) std::atomic<EmulatorWaits> emulator_waits;
  alignas(64) FutexWord bell;  ///< the rank sleeps on it
  /// A Sleep's word, 0 while it is awake; if it is not, a process that has something for it must ring.
  std::atomic<std::uint32_t> sleeps;
  /// How often it has looked for what it sleeps for, found nothing, and was not rung for a while after that.
  std::atomic<std::uint32_t> naps;
  std::atomic<std::uint32_t> lacks_room;  ///< it sleeps because its arena is full
  /// Ranks that poll at it sleep on this until it has come to `followed_until_ps`, the earliest time that one
  /// of them sleeps for; 0: none sleeps.
  FutexWord followers_bell;
  std::atomic<std::int64_t> followed_until_ps;
  /// Blocks of its arena that their last reader has released, as a list through the blocks.
  std::atomic<std::uint64_t> released;
  /// Messages to it that were sent and that it has not looked at, as a list through their blocks.
  alignas(64) std::atomic<std::uint64_t> announced;
  alignas(64) RobustMutex memory;  ///< of ranks that read and change this one's memory in one step
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

/// Where the payloads' arenas begin; the AgreementTable lies before them, behind the last slot.
inline std::size_t arenas_offset(std::size_t ranks) {
  return slot_offset(ranks) + AgreementTable::size(ranks);
}

/// Rings a rank's bell if it sleeps, unless it has said that it does for something else. What it is to see
/// must have been stored before. @return whether it did
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

/// Rings the emulator's doorbell if it waits for this rank. What it is to see must have been stored before.
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

/// A rank waits from now on for what only the emulator gives; what it has said must have been stored before.
/// @return whether the emulator dozed and has been rung for
inline bool grow_impatient(ChannelHeader& header) {
  header.impatient.fetch_add(1,
                             std::memory_order_seq_cst);  // either the emulator sees it, or we that it dozes
  if (header.dozes.exchange(0, std::memory_order_seq_cst) == 0) return false;
  ring_doorbell(header);
  return true;
}

}  // namespace morgana
