#pragma once

#include <tsl/robin_map.h>
#include <tsl/robin_set.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "emulator/core/counter_table.h"
#include "emulator/core/event_queue.h"
#include "emulator/core/units.h"
#include "emulator/host/host_id.h"

namespace morgana {

struct HostMemoryParameters {
  /// Of each host, bytes read and bytes written together, as STREAM counts them; 0: unlimited.
  BitRate bandwidth{0};
  Bytes cache;  ///< copies of up to this size are between caches and do not use the memory
};

/// What a processor does with memory, alone on it.
struct MemoryWork {
  Bytes bytes;                         ///< copied or combined
  ByteCost cost;                       ///< the processor's time for each
  std::uint32_t traffic = 2;           ///< bytes read and written for each: 1 to 3
  static constexpr auto copied = 2U;   ///< a copy reads and writes each byte
  static constexpr auto reduced = 3U;  ///< two operands are read, the result is written
};

/// Work that has begun: no other work of the same HostMemory ever has this number.
enum class CopyId : std::uint64_t {};

/// Starts such work and waits for its end.
class MemoryUser {
 public:
  /// Called once for each HostMemory::begin, unless that was cancelled.
  /// @param what  the number given to HostMemory::begin  @param copy  what that returned
  virtual void memory_done(std::uint64_t what, CopyId copy) = 0;

 protected:
  ~MemoryUser() = default;
};

/// The hosts' memories, each shared by the processors that copy at once. A processor alone copies at its own
/// speed (MemoryWork::cost), which is less than the memory's bandwidth: one core has too few outstanding
/// cache misses to use all of it. Several copy at their own speeds until together they need more than the
/// bandwidth; then it is shared max-min fairly: equal shares of the traffic, of which a processor takes no
/// more than it can use and leaves the rest to the others. Shares are whole bytes a second, rounded down;
/// they change when a copy begins or ends, and at no other time. A copy ends at the picosecond nearest to
/// its end as it is expected at the last change; one that was never slowed ends after ByteCost::time_for.
///
/// Sources: linear scaling up to saturation: J. Hofmann, G. Hager, D. Fey: On the accuracy and usefulness of
/// analytic energy models for contemporary multicore processors, ISC 2018 (the ECM model's multicore
/// scaling). What is counted: J. McCalpin: STREAM, "Counting Bytes and FLOPS". That equal loops get equal
/// shares: A. Afzal, G. Hager, G. Wellein: An analytic performance model for overlapping execution of
/// memory-bound loop kernels on multicore CPUs, 2020.
///
/// Simplifications: one memory a host, whatever its sockets; no cost of a thread's data at another socket;
/// nothing but messages uses the memory, no computing and no NIC; write-allocates are not counted, and are in
/// the bandwidth if STREAM was compiled without streaming stores.
///
/// The end of each copy is one event; another one is needed only where a copy that began later ends sooner.
class HostMemory final : private EventHandler {
 public:
  HostMemory(EventQueue& events, const HostMemoryParameters& parameters)
      : events_(events), parameters_(parameters) {}

  /// Ranks are on these hosts, and no others: is_shared() is then false where there are too few of them.
  /// @param kinds  all that ranks do with memory; sizes do not matter
  void ranks_are_on(std::span<const HostId> hosts, std::span<const MemoryWork> kinds);
  /// Whether any work of the host's ranks can take longer than alone: whether all of them at once, each with
  /// another copy that the library makes between calls, need more than the bandwidth. Work on other hosts
  /// takes as long as alone, begun here or not. If the ranks are not known, each host's memory is shared.
  bool is_shared(HostId host) const {
    return parameters_.bandwidth > BitRate(0) &&
           (!knows_ranks_ || shared_.contains(static_cast<std::uint32_t>(host)));
  }
  /// Whether such work is to begin here: it uses a memory that is shared, and slows others even if it cannot
  /// be slowed itself.
  bool may_slow(HostId host, const MemoryWork& work) const {
    return work.bytes > parameters_.cache && work.cost > ByteCost() && is_shared(host);
  }

  /// Begins now. Never calls the user from within.
  /// @param work  of a positive cost @param user  must outlive it, or cancel it
  CopyId begin(HostId host, const MemoryWork& work, MemoryUser& user, std::uint64_t what);
  /// Ends work that is under way: from now on it slows nothing, and its user is not called.
  void cancel(HostId host, CopyId copy);

  /// By host whose memory has been used: what was copied, how long that was slowed in all, and for how long
  /// the memory was at its limit. Sums do not exceed the largest number of bytes or the largest SimTime.
  CounterTable counted() const;
  /// Of all hosts: by how much work took longer than alone, at most SimTime::max().
  SimTime slowed() const;
  /// For how long a memory was at its limit, of the one that was longest.
  SimTime longest_at_limit() const;

 private:
  using Wide = __int128;
  struct Copy {
    Wide left;   ///< of its time alone: fs times `scale`
    Wide speed;  ///< of that, in a picosecond
    MemoryWork work;
    MemoryUser* user;
    std::uint64_t what;
    CopyId id;
    SimTime alone;  ///< when it would have ended alone
  };
  struct Host {
    std::vector<Copy> copies;           ///< under way, in the order of their starts
    SimTime settled;                    ///< up to when `left` is right
    SimTime expected = SimTime::max();  ///< the first event under way that looks for ends
    std::int64_t done = 0, bytes = 0;
    SimTime slowed, at_limit;
    bool is_at_limit = false;
  };

  void handle(std::uint64_t host) override;
  bool serves_program() const override { return true; }
  void settle(Host& host) const;
  static void end_if_done(Copy& copy);
  void share(Host& host) const;
  void expect_end(std::uint32_t number, Host& host);
  static std::int64_t own_rate(ByteCost cost, std::uint32_t traffic);
  std::int64_t bytes_per_second() const { return parameters_.bandwidth.bits_per_second() / 8; }

  EventQueue& events_;
  HostMemoryParameters parameters_;
  bool knows_ranks_ = false;
  tsl::robin_set<std::uint32_t> shared_;       // hosts, if the ranks are known
  tsl::robin_map<std::uint32_t, Host> hosts_;  // whose memories have been used
  std::uint64_t begun_ = 0;
  std::vector<Copy> ended_;  // scratch
};

}  // namespace morgana
