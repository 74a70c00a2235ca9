#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <span>
#include <vector>

#include "emulator/core/pool.h"
#include "emulator/engine/rank_state.h"

namespace morgana {

/// The requests of all ranks that have been started and not completed, each named by a slot. Few of them have
/// more: the contributions of a collective's members, or how much of a message has come that arrives part by
/// part. A slot that is given back is used again. References to a request last until the next
/// begin().
class RequestTable {
 public:
  static constexpr std::uint32_t no_slot = ~std::uint32_t{0};

  Request& operator[](std::uint32_t slot) { return requests_[slot]; }
  const Request& operator[](std::uint32_t slot) const { return requests_[slot]; }
  /// All that were ever in use, by slot.
  std::span<const Request> all() const { return requests_.all(); }

  /// The rank's operation starts a request, now. @return its slot
  /// @throws Error if the rank has one of that number
  std::uint32_t begin(Rank rank, RankState& state, SimTime now);
  void give_back(std::uint32_t slot);

  // What a rank's wait or test names, as slots in RankState::awaited:
  /// @throws Error for a request that is not pending, or is named twice
  void collect_awaited(Rank rank, RankState& state);
  /// Marks those that are not ready as waited for. @return how many they are
  std::size_t await_missing(const RankState& state);
  void stop_waiting(RankState& state);
  /// The one that became ready first, or no_slot.
  std::uint32_t first_ready(const RankState& state) const;
  std::vector<std::uint32_t> ready_among(const RankState& state) const;
  /// What a test completes: none, one, or all, as its kind wants it.
  std::vector<std::uint32_t> found_by_test(const RankState& state) const;

  /// What a request brings. Of a collective, without its members' deposits.
  Completed outcome_of(std::uint32_t slot) const;
  /// The same with them: to be asked once, before the slot is given back.
  Completed take_completed(std::uint32_t slot);
  /// Of a collective that is ready: what its members have given, by place.
  void keep_deposits(std::uint32_t slot, const std::vector<std::uint64_t>& deposits);
  /// Empty if no member gave anything.
  std::span<const std::uint64_t> deposits(std::uint32_t slot) const;

  // A receive that has got the head of a message:
  void comes(std::uint32_t slot, const ComingMessage& message) { coming_[slot] = message; }
  /// @param coming  what is not there yet. @return whether somebody still wants the rest; if nobody does and
  /// the message is whole, its slot is given back
  bool more_came(std::uint32_t slot, Bytes coming);
  /// Whether the first `part` bytes are there.
  bool has_come(std::uint32_t slot, Bytes part) const;
  /// Whatever is there is copied in one go. @return how long that takes; 0 for other requests
  SimTime copy_what_came(std::uint32_t slot);
  /// The rest is not wanted any more: the slot is given back when nothing can come for it any more.
  void forget_rest(RankState& owner, std::uint32_t slot);

 private:
  Pool<Request> requests_;
  tsl::robin_map<std::uint32_t, std::vector<std::uint64_t>> deposits_;  ///< of collectives that are ready
  tsl::robin_map<std::uint32_t, ComingMessage> coming_;                 ///< of streamed receives
};

}  // namespace morgana
