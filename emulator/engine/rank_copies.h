#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "emulator/engine/operation_source.h"
#include "emulator/engine/releases.h"
#include "emulator/engine/request_table.h"
#include "emulator/host/host_memory.h"
#include "emulator/messaging/machine.h"

namespace morgana {

/// Goes on with ranks' operations when their copies are done.
class RankCopiesClient {
 public:
  /// What the rank's send copies first is copied.
  virtual void copied_before_send(Rank rank) = 0;
  /// The receives in these slots have been copied: the rank's operation completes them, `from` this time on.
  virtual void copied(Rank rank, std::span<const std::uint32_t> slots, SimTime from) = 0;
  /// The limit of the rank's wait had passed during a copy, which is done.
  virtual void limit_was_reached(std::uint64_t limit) = 0;
  /// A copy is done, the rank waits on, and none is under way.
  virtual void waits_on(Rank rank) = 0;

 protected:
  ~RankCopiesClient() = default;
};

/// Copies in ranks' calls that the hosts' memories may slow (Machine::memory): before a send, and of received
/// messages. A rank completes what it waits for as soon as that is there, one receive after the other, each
/// with its overhead and its copy, and goes on when that is done for all that its call completes. Ranks that
/// share processors, or go on with nonblocking collectives, copy as fast as alone.
class RankCopies final : private MemoryUser, private EventHandler {
 public:
  /// All of them must outlive this object.
  RankCopies(Machine& machine, OperationSource& source, std::vector<RankState>& ranks, RequestTable& requests,
             const Releases& releases, RankCopiesClient& client)
      : machine_(machine),
        events_(*machine.events),
        source_(source),
        ranks_(ranks),
        requests_(requests),
        releases_(releases),
        client_(client) {}

  /// Whether such work of the rank may take longer than alone.
  bool may_slow(Rank rank, const MemoryWork& work) const {
    return machine_.memory && machine_.quantum == SimTime() && !machine_.kernel &&
           !source_.is_service(rank) && machine_.memory->may_slow(machine_.host_of[index(rank)], work);
  }
  /// Whether nothing is being copied, or is there to be.
  bool are_none() const { return to_copy_.empty() && copiers_.empty(); }

  /// The rank's send copies first; the rank waits.
  void begin_before_send(Rank rank, const MemoryWork& work);
  /// A receive is ready that has this to be copied.
  void add(std::uint32_t slot, const MemoryWork& work) { to_copy_[slot] = work; }
  /// The slot serves another request.
  void forget(std::uint32_t slot) {
    if (!to_copy_.empty()) to_copy_.erase(slot);
  }
  /// A receive that the rank waits for is there.
  void go_on_with(Rank rank, std::uint32_t slot);
  /// The rank waits; some of what it waits for may be there. All of that is done, in the order in which it
  /// came, if the memory may slow any of it.
  void go_on_with_awaited(Rank rank);
  /// The rank's operation completes these receives. @return whether it does later, when the last of them has
  /// been copied: the rank waits
  bool come_before(Rank rank, std::span<const std::uint32_t> slots);
  /// Of a copy that takes as long as alone all the same: as its rank's processor goes on with collectives,
  /// too.
  SimTime cost_alone(std::uint32_t slot);

  /// Whether the rank's processor is at copies, or has been in the operation that it is in.
  bool has(Rank rank) const {
    return !copiers_.empty() && copiers_.contains(static_cast<std::uint32_t>(index(rank)));
  }
  /// Whether what the rank's operation completes is decided, and being copied.
  bool are_completing(Rank rank) const;
  /// Whether the memory is at one of the rank's: what else happens to its operation waits for the end.
  bool is_in_memory(Rank rank) const;
  /// The limit of the rank's wait is reached while is_in_memory().
  void note_limit(Rank rank, std::uint64_t limit);
  /// The rank's operation ends at `at`. @return then, or when its processor has done what is left
  SimTime end(Rank rank, SimTime at) { return copiers_.empty() ? at : end_of(rank, at); }
  /// The rank was killed: its copy ends with it.
  void give_up(Rank rank);

 private:
  /// A rank's processor in a call that copies in memory.
  struct Copier {
    struct InMemory {
      static constexpr std::uint32_t sends = ~std::uint32_t{0};
      CopyId copy;
      std::uint32_t slot;  ///< of a receive, or `sends`
    };
    std::optional<InMemory> at;             ///< the memory is at it: the call does not end before it does
    SimTime free_at;                        ///< else when the processor has done what is there
    bool is_due = false;                    ///< an event will go on then
    std::vector<std::uint32_t> waiting;     ///< requests that the rank waits for and that are ready
    std::vector<std::uint32_t> completing;  ///< those that complete when all of them have been copied
    std::optional<std::uint64_t> limit;     ///< of its wait, reached during the copying
  };
  using Copiers = tsl::robin_map<std::uint32_t, Copier>;

  void handle(std::uint64_t rank) override;
  bool serves_program() const override { return true; }
  void memory_done(std::uint64_t rank, CopyId copy) override;
  void begin(Rank rank, std::uint32_t slot, const MemoryWork& work);
  bool begin_next(Rank rank, Copier& copier);
  void go_on(Rank rank);
  void in_order_of_coming(std::vector<std::uint32_t>& slots) const;
  SimTime end_of(Rank rank, SimTime at);
  Copiers::iterator copier_of(Rank rank) { return copiers_.find(static_cast<std::uint32_t>(index(rank))); }
  Copiers::const_iterator copier_of(Rank rank) const {
    return copiers_.find(static_cast<std::uint32_t>(index(rank)));
  }

  Machine& machine_;
  EventQueue& events_;
  OperationSource& source_;
  std::vector<RankState>& ranks_;
  RequestTable& requests_;
  const Releases& releases_;
  RankCopiesClient& client_;
  tsl::robin_map<std::uint32_t, MemoryWork> to_copy_;  ///< of receives that are ready, by slot
  Copiers copiers_;                                    ///< by rank, while it copies
};

}  // namespace morgana
