#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "pvmshim/channel/announced_end.h"
#include "pvmshim/channel/futex.h"
#include "pvmshim/channel/ring.h"
#include "pvmshim/channel/robust_mutex.h"
#include "pvmshim/channel/settings.h"
#include "pvmshim/channel/thread_clocks.h"

namespace morgana {

// The shared memory of one run, from its start: the ChannelHeader, a RankSlot for each rank, and an arena for
// the payloads of each, which the emulator needs for those alone that nobody will read. All of it begins as
// zeros.

constexpr std::uint64_t channel_magic = 0x31'6e61'6772'6f6d;  // "morgan1"
constexpr std::size_t page_size = 4096;

struct alignas(page_size) ChannelHeader {
  std::uint64_t magic;
  std::uint64_t layout;  ///< channel_layout; tells a shim of another build
  std::uint64_t payload_room;
  std::int32_t emulator;  ///< its process
  ChannelSettings settings;
  alignas(64) FutexWord doorbell;        ///< the emulator sleeps on it
  alignas(64) std::atomic<bool> closed;  ///< the emulator has left in order
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
enum class SleepsFor : std::uint32_t { answer = 1, ring = 2, memory = 3 };

/// A rank's sleep, as its slot shows it: each one has another number; what it is for stands in the last bits.
class Sleep {
 public:
  constexpr Sleep() = default;  ///< the rank is awake
  explicit constexpr Sleep(std::uint32_t word) : word_(word) {}
  constexpr Sleep(std::uint32_t number, SleepsFor what)
      : word_(number * 4 + static_cast<std::uint32_t>(what)) {}

  constexpr std::uint32_t word() const { return word_; }
  constexpr bool asleep() const { return word_ != 0; }
  constexpr bool is_for(SleepsFor what) const { return word_ % 4 == static_cast<std::uint32_t>(what); }
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

struct alignas(page_size) RankSlot {
  std::atomic<std::int32_t> pid;     ///< of the rank's process, once it has attached
  std::atomic<std::uint32_t> ended;  ///< it has said all that it will say
  /// It is about to execute another program, which may go on as the rank.
  std::atomic<std::uint32_t> passed_on;
  std::uint32_t host;  ///< on which the platform has placed it
  /// It ends the whole run: 1 in the upper half, the code in the lower. And by which error, if it is one.
  std::atomic<std::uint64_t> announced_end;
  std::array<char, longest_announced_error> announced_error;
  std::array<NamedContext, most_named_contexts> named_contexts;  ///< for reports alone
  alignas(64) std::atomic<std::uint32_t> emulator_waits;         ///< for words of this rank: it must ring
  alignas(64) FutexWord bell;                                    ///< the rank sleeps on it
  /// A Sleep's word, 0 while it is awake; if it is not, whoever has something for it must ring.
  std::atomic<std::uint32_t> sleeps;
  /// How often it has looked for what it sleeps for, found nothing, and was not rung for a while after that.
  std::atomic<std::uint32_t> naps;
  std::atomic<std::uint32_t> lacks_room;  ///< it sleeps because its arena is full
  /// Blocks of its arena that their last reader has released, as a list through the blocks.
  std::atomic<std::uint64_t> released;
  alignas(64) RobustMutex memory;  ///< of ranks that read and change this one's memory in one step
  alignas(64) ClockPage clock;
  alignas(64) Ring<4096> operations;
  alignas(64) Ring<2048> answers;
};

/// The sizes of all that shims and emulator must agree on.
constexpr std::uint64_t channel_layout =
    sizeof(Operation) << 48 | sizeof(ChannelHeader) << 32 | sizeof(RankSlot);

using OperationRing = decltype(RankSlot::operations);
using AnswerRing = decltype(RankSlot::answers);

constexpr std::size_t slot_offset(std::size_t rank) {
  return sizeof(ChannelHeader) + rank * sizeof(RankSlot);
}

/// Rings a rank's bell if it sleeps. What it is to see must have been stored before.
inline void ring(RankSlot& slot) {
  std::atomic_thread_fence(
      std::memory_order_seq_cst);  // either it sees what was stored, or we that it sleeps
  if (slot.sleeps.load(std::memory_order_relaxed) == 0) return;
  slot.bell.fetch_add(1, std::memory_order_release);
  futex_wake(slot.bell);
}

/// Rings the emulator's doorbell if it waits for this rank. What it is to see must have been stored before.
/// @return whether it did
inline bool ring_emulator(ChannelHeader& header, RankSlot& slot) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (slot.emulator_waits.load(std::memory_order_relaxed) == 0) return false;
  slot.emulator_waits.store(0, std::memory_order_relaxed);
  header.doorbell.fetch_add(1, std::memory_order_release);
  futex_wake(header.doorbell);
  return true;
}

}  // namespace morgana
