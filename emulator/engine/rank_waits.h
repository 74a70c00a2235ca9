#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "emulator/engine/collective_runner.h"
#include "emulator/engine/rank_copies.h"
#include "emulator/engine/rank_processors.h"
#include "emulator/engine/releases.h"
#include "emulator/engine/request_table.h"
#include "emulator/engine/socket_reads.h"
#include "emulator/operations/observer.h"

namespace morgana {

/// Ends ranks' operations.
class OperationEnds {
 public:
  /// @param at  >= now, the rank's clock from then on @param completed  what its requests have brought
  virtual void end(Rank rank, SimTime at, std::span<const Completed> completed) = 0;
  /// A test or probe that has found nothing ends.
  virtual void end_failed_poll(Rank rank) = 0;
  /// The rank's probe may find something now, or one of the requests beside it be ready.
  virtual void look_at_probe(Rank rank) = 0;
  /// A message has come that no receive was posted for, and the rank waits in a probe that may ask for it.
  virtual void message_waits_for_probe(Rank rank) = 0;

 protected:
  ~OperationEnds() = default;
};

/// Waits and tests: how ranks' requests become ready, are waited for, and complete, each at its cost on the
/// rank's processor; and how the library goes on meanwhile with nonblocking collectives that make progress
/// only in calls. A call is not left while its processor is busy with a step of those.
class RankWaits final : private EventHandler {
 public:
  /// All of them must outlive this object.
  RankWaits(EventQueue& events, std::vector<RankState>& ranks, RequestTable& requests, Releases& releases,
            CollectiveRunner& collectives, RankProcessors& processors, RankCopies& copies, SocketReads& reads,
            std::span<OperationObserver* const> observers, OperationEnds& ends)
      : events_(events),
        ranks_(ranks),
        requests_(requests),
        releases_(releases),
        collectives_(collectives),
        processors_(processors),
        copies_(copies),
        reads_(reads),
        observers_(observers.begin(), observers.end()),
        ends_(ends) {}

  // The rank's operation starts, now:
  void start_wait(Rank rank);
  void start_test(Rank rank);
  /// A wait for a part of a message whose head its receive has got.
  void start_part(Rank rank);
  /// A probe that ends also when one of its requests is ready, or at its limit. @return whether it has ended
  bool start_beside_probe(Rank rank);
  /// A sleep in a call, which its library uses for nonblocking collectives. @return false if it has none
  bool start_sleep(Rank rank);

  /// The rank's operation, a wait or a probe with requests, may be over.
  void look_at(Rank rank);
  /// Completes the requests in these slots, one after the other as they became ready, and ends the rank's
  /// operation; later, if copies come first.
  void complete(Rank rank, std::span<const std::uint32_t> slots, SimTime from);
  /// The limit of a wait is reached, if its rank still waits. @param wait  as RankCopies::note_limit was
  /// given
  void limit_reached(std::uint64_t wait);

  /// The request is ready at `at`, >= now; completing it takes `cost`.
  void make_ready(std::uint32_t slot, SimTime at, SimTime cost);
  /// More of a message whose head a receive has got is there.
  void more_came(std::uint32_t slot, Bytes coming);

  // Nonblocking collectives in calls:
  /// The rank is in a call that may wait: its library goes on with what its nonblocking collectives owe.
  /// @return whether that takes time; then the operation is looked at again when it is done
  bool goes_on_in_call(Rank rank);
  /// @return whether the rank is in such a call and its processor busy with a collective's step; as above
  bool works_on(Rank rank);
  /// The rank's operation ends.
  void leave_call(Rank rank) {
    if (ranks_[index(rank)].in_call) leave_library(rank);
  }

 private:
  // What an event is about: a request, the end of a rank's work for collectives, or the limit of a rank's
  // wait (the number of that wait above the rank).
  static constexpr std::uint64_t work_event = std::uint64_t{1} << 61;
  static constexpr std::uint64_t limit_event = std::uint64_t{1} << 62;
  static constexpr unsigned rank_bits = 31;

  void handle(std::uint64_t what) override;
  bool serves_program() const override { return true; }
  bool begin_waiting(Rank rank);
  void complete_awaited(Rank rank);
  void end_test(Rank rank);
  void end_part(Rank rank, std::uint32_t slot);
  void became_ready(std::uint32_t slot);
  SimTime cost_of_completing(std::uint32_t slot);
  SimTime end_of_work(Rank rank, std::span<const std::uint32_t> slots, SimTime from);
  SimTime end_in_order(std::span<const std::uint32_t> slots, SimTime from);
  void tell_partner(const Request& request) const;
  void work_done(Rank rank);
  void leave_library(Rank rank);

  EventQueue& events_;
  std::vector<RankState>& ranks_;
  RequestTable& requests_;
  Releases& releases_;
  CollectiveRunner& collectives_;
  RankProcessors& processors_;
  RankCopies& copies_;
  SocketReads& reads_;
  std::vector<OperationObserver*> observers_;
  OperationEnds& ends_;
  std::vector<std::uint32_t> one_slot_;                    // scratch
  std::vector<std::pair<SimTime, std::size_t>> in_order_;  // scratch: when requests became ready, and which
  std::vector<Completed> completed_;                       // scratch
};

}  // namespace morgana
