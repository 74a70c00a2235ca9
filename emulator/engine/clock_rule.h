#pragma once

#include <vector>

#include "emulator/engine/operation_source.h"
#include "emulator/engine/polls.h"
#include "emulator/engine/rank_processors.h"
#include "emulator/engine/request_table.h"

namespace morgana {

/// The clock rule: an event at t is handled only when every rank whose next operation is not known yet is
/// certain to be past t. Fetches ranks' operations from the source, and puts their starts into the event
/// queue. Starts of polls go into a queue of their own.
class ClockRule {
 public:
  /// All of them must outlive this object. @param starts  handles the start of a rank's operation, an event
  /// whose number is the rank's
  ClockRule(EventQueue& events, OperationSource& source, std::vector<RankState>& ranks,
            const RequestTable& requests, const CollectiveRunner& collectives,
            const RankProcessors& processors, Polls& polls, EventHandler& starts);

  /// The rank's last operation has ended: its next one, or until that is known it computes.
  /// @throws Error for an operation before the end of the last one, or beyond the end of time
  void fetch(Rank rank);
  /// Whether the next event may be handled. @return false if something has changed or had to be waited for:
  /// to be asked again
  bool lets_next_event_happen() { return nobody_acts() || is_past_next_event(); }
  /// Whether no rank computes or polls: nothing but the events in the queue can happen.
  bool nobody_acts() const { return computing_.empty() && polls_.are_none(); }
  /// The rank is killed.
  void forget(Rank rank);

 private:
  bool is_past_next_event();
  bool computing_ranks_are_past(SimTime horizon);
  bool is_certain(std::uint32_t slot) const;
  void answer_without_time();

  EventQueue& events_;
  OperationSource& source_;
  std::vector<RankState>& ranks_;
  const RequestTable& requests_;
  const CollectiveRunner& collectives_;
  const RankProcessors& processors_;
  Polls& polls_;
  EventHandler& starts_;
  std::vector<Rank> computing_;                        ///< whose next operation is not known
  std::vector<OperationSource::AwaitedRank> awaited_;  // scratch
};

}  // namespace morgana
