#pragma once

#include <optional>
#include <span>
#include <string>

#include "emulator/operations/operation.h"

namespace morgana {

/// Where ranks' operations come from: live processes or a trace.
class OperationSource {
 public:
  virtual ~OperationSource() = default;

  /// All there can ever be.
  virtual std::size_t ranks() const = 0;
  /// How many of them, the first ones, world_context holds: the program's own where others run beside it.
  virtual std::size_t world() const { return ranks(); }
  /// Whether the rank runs from the start on; the others begin when a rank spawns them.
  virtual bool runs_at_start(Rank) const { return true; }
  /// When a rank that runs at the start begins, >= 0. Until then it needs no processor.
  virtual SimTime starts_at(Rank) const { return {}; }
  /// Whether the rank only serves others: the run ends without it, and it with the run.
  virtual bool is_service(Rank) const { return false; }

  /// The rank's next operation, if it is known already; `operation` keeps its storage between calls.
  /// Never false in a replay. Not called again for a rank after its exit.
  virtual bool next(Rank rank, Operation& operation) = 0;

  /// Ends an operation that wants an answer.
  virtual void answer(Rank rank, const Answer& answer) = 0;

  /// An operation that wants no answer has ended because a message was returned, and no answer will be sent
  /// to the rank.
  virtual void returned(Rank, const Operation&, Outcome) {}

  /// This payload of a send will not be delivered: its message was lost, or returned when the send was
  /// complete.
  virtual void dropped(std::uint64_t /*payload*/) {}

  /// The name that the program has given to a communicator (MPI_Comm_set_name), for reports; empty if none is
  /// known.
  virtual std::string given_name(Context) const { return {}; }

  /// How much a rank without a known next operation has computed at least since the end of its last one, in
  /// simulated time; nothing if an operation has come since. It never passes the `elapsed` that the rank
  /// will report.
  virtual std::optional<SimTime> computed(Rank) { return SimTime(); }

  /// Whether ranks that wait may be answered as soon as it is certain what their waits bring, although the
  /// time is not known yet (unknown_time.h). Asked whenever only ranks that compute can let the
  /// engine go on: a rank that computes without end would hold up all others. No simulated time depends on
  /// it.
  virtual bool is_held_up() { return false; }

  /// Some rank that computes: its last operation ended at `since`, the time that it has to pass at `until`.
  struct AwaitedRank {
    Rank rank;
    SimTime since;
    SimTime until;
  };
  /// Returns when any rank may have a new operation or may have computed enough. Throws when a rank has died.
  virtual void wait(std::span<const AwaitedRank>) {}
};

}  // namespace morgana
