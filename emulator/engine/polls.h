#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "emulator/engine/collective_runner.h"
#include "emulator/engine/operation_source.h"
#include "emulator/engine/rank_processors.h"

namespace morgana {

/// Tests and probes of ranks that ask again and again. Those that are known and have not begun wait here
/// beside the event queue: what their ranks do then reaches no other sooner than after the least distance, so
/// they do not end what others may be told. Those that have found nothing wait here for their answer until
/// all before their end is done: then it can tell all ranks that poll at the same time how long that will do
/// them no good. Answers say by a number (Answer::news) whether something came for the rank between two of
/// them; what comes before a poll's end, but after the look at what it asks for, makes its answer no promise.
class Polls {
 public:
  /// Of so many ranks at most an answer says what they do.
  static constexpr std::size_t most_told = 64;
  /// A poll that is known and has not begun.
  struct Pending {
    Rank rank;
    SimTime begin;
  };

  /// All of them must outlive this object.
  Polls(Machine& machine, OperationSource& source, const std::vector<RankState>& ranks,
        const CollectiveRunner& collectives, const RankProcessors& processors);

  /// Neither pending nor failed ones.
  bool are_none() const { return pending_.empty() && failed_.empty(); }

  /// The rank's operation begins then. @return whether it is a poll that waits here, and not in the queue
  bool keep(Rank rank, SimTime begin);
  /// When the first pending one begins; the end of time if there is none.
  SimTime first_begin() const;
  /// The first pending one, if nothing is to happen before it; it is not kept any longer.
  std::optional<Pending> take_first(SimTime horizon);

  /// The rank's poll has ended and found nothing; its clock is the end.
  void failed(Rank rank) { failed_.push_back({rank, ranks_[index(rank)].news}); }
  bool are_due(SimTime horizon) const;
  /// @param computing  ranks whose next operation is not known. @return the ranks that have been answered, or
  /// that wanted no answer
  std::vector<Rank> answer_failed(std::span<const Rank> computing);

  /// The rank is killed.
  void forget(Rank rank);

 private:
  bool is_pure(Rank rank) const;
  /// One that has found nothing.
  struct Failed {
    Rank rank;
    std::uint32_t news;  ///< of the rank's, when it was looked
  };
  bool may_end_otherwise(const Failed& failed) const;

  Machine& machine_;
  EventQueue& events_;
  OperationSource& source_;
  const std::vector<RankState>& ranks_;
  const CollectiveRunner& collectives_;
  const RankProcessors& processors_;
  std::vector<Pending> pending_;
  std::vector<Failed> failed_;
};

}  // namespace morgana
