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

/// The tests and probes of ranks that poll.
///
/// - Polls that are known and have not started wait here instead of in the event queue. They do not limit the
///   lookahead in other ranks' answers: what their ranks do next reaches no other rank before the lookahead.
/// - Failed polls wait here for their answer until all events before their end are handled. Then all ranks
///   that poll at the same time get the time until which polling can't succeed.
///
/// A number in each answer (Answer::news) shows whether something came for the rank since the answer before.
/// If it came before the poll's end, but after the poll was evaluated, the answer promises nothing.
class Polls {
 public:
  /// An answer has the state of at most so many other ranks.
  static constexpr std::size_t most_told = 64;
  /// A poll that is known and has not started.
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
