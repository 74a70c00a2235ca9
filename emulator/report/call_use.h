#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "emulator/operations/observer.h"

namespace morgana {

/// What one kind of call has taken, of one rank or of all.
struct CallUse {
  Call call = Call::unknown;
  std::uint64_t count = 0;
  SimTime time;  ///< inside of it
  /// Of messages sent in it and of those whose receive completes in it; of collectives that it begins what
  /// the rank passes to them (CollectivePayload::given); of one-sided accesses what they write and bring
  /// back.
  Bytes bytes;
  // Parts of `time`, from the rank's entering the call on:
  SimTime late_sender;      ///< until the message's sender had entered its send
  SimTime late_receiver;    ///< until the receiver had posted the receive that the send had to wait for
  SimTime collective_wait;  ///< until those had entered whom the rank needed
  SimTime waiting() const { return late_sender + late_receiver + collective_wait; }
  void add(const CallUse& other);
  bool operator==(const CallUse&) const = default;
};

/// The time inside of calls by kind of call, for each rank: fed with what an OperationObserver sees.
class CallUses {
 public:
  explicit CallUses(std::size_t ranks)
      : ranks_(ranks), slots_(static_cast<std::size_t>(Call::count_), no_slot) {}
  void resize(std::size_t ranks) { ranks_.resize(ranks); }

  void partner_came(WaitCause cause, SimTime at) {
    if (at <= partner_at_) return;
    partner_at_ = at;
    cause_ = cause;
  }
  /// @param entered  from when on the time up to `end` counts; `end` itself where none does
  /// @param bytes  that count as the call's, see CallUse::bytes
  void operation_ended(Rank rank, const Operation& operation, SimTime entered, SimTime end, Bytes bytes) {
    const SimTime partner_at = std::exchange(partner_at_, SimTime());
    PerRank& mine = ranks_[index(rank)];
    const std::size_t slot = slots_[static_cast<std::size_t>(operation.call)];
    if (slot < mine.uses.size())
      mine.in = &mine.uses[slot];
    else
      take_up(mine, operation.call);
    CallUse& used = *mine.in;
    if (begins_call(operation.part)) {
      // A clock is read without any trace of it: a replay would count none.
      if (operation.kind != OperationKind::read_clock) ++used.count;
      mine.waited_from = entered;
    }
    used.time += end - entered;
    used.bytes += bytes;
    if (partner_at > mine.waited_from) waited(mine, std::min(partner_at, end));
  }
  /// Calls of one kind that were counted elsewhere; the rank was in the last of them last.
  void add(Rank rank, const CallUse& calls);
  /// A poll of the rank's has found nothing, as the operation that ended last.
  void poll_failed(Rank rank, SimTime duration);
  /// The rank has polled on for so long without asking the emulator: as it polled last, each time as long.
  void polled(Rank rank, SimTime time);
  /// The rank has ended in a call that it has never left.
  void ended_in_call(Rank rank, SimTime time);

  /// The kinds of call that the rank has used, those that took longest first; then by name.
  std::vector<CallUse> of(Rank rank) const;
  /// The kinds of call that the ranks from `first` on have used, summed over them, in the order of of().
  std::vector<CallUse> all(std::size_t first) const;

 private:
  struct PerRank {
    std::vector<CallUse> uses;      ///< by slot
    CallUse* in = nullptr;          ///< one of them: of the call that the rank is or was in
    SimTime waited_from;            ///< since when that call's waiting has not been counted
    Call polls_by = Call::unknown;  ///< what its last poll that found nothing was
    SimTime poll_takes;             ///< and how long that took
  };
  static constexpr std::uint16_t no_slot = 0xFFFF;
  void take_up(PerRank& mine, Call call);
  void waited(PerRank& mine, SimTime until);

  std::vector<PerRank> ranks_;
  std::vector<std::uint16_t> slots_;  ///< by call: its place in every rank's uses
  std::vector<Call> calls_;           ///< by slot
  SimTime partner_at_;                ///< of the operation that is about to end, the last
  WaitCause cause_{};
};

}  // namespace morgana
