#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "emulator/operations/operation.h"
#include "pvmshim/mpi/communicators.h"
#include "pvmshim/mpi/emulate/collective.h"
#include "pvmshim/mpi/emulate/mpich_traffic.h"

namespace morgana::mpi::emulated {

// What MPICH carries out for the members of a context together, through its own progress: making
// communicators, files. In simulated time it costs what agreeing on a context costs, and no member leaves
// before all have entered. All within a visit. From entering to leaving MPICH may exchange messages
// (mpich_traffic.h).

/// What the emulator gets before MPICH is called: if this rank went into MPICH first, the emulator would
/// take it to be computing, and could let nobody go beyond its clock; who waits there must have said so here.
/// @param payload  for each other member; 0: none
void enter_together(Call call, CallPart part, Context context, std::uint64_t payload = 0);
/// The same for a call in which MPICH calls functions of the program before it communicates: these may
/// communicate too, and come first.
void enter_together_later(Call call, CallPart part, std::shared_ptr<const Communicator> comm);
/// MPICH is about to send or receive something: the communicator whose members agree on a context by that, if
/// this thread is to enter later, and MPICH has not waited yet; it is reported once. Otherwise null.
std::shared_ptr<const Communicator> begin_agreement();
/// MPICH begins to wait for others: those who were to enter later do so now.
void mpich_waits();
/// Whether others may wait for this rank's MPICH, which moves on behind requests.
bool mpich_has_pending();
/// Whether MPICH only moves on what is pending, while this rank sleeps or waits for that.
bool mpich_is_lent_time();
/// After MPICH: all have entered. @return what has become of this rank's part in that, and what all have
/// given
Completed leave_together();
/// The last part of a call that has nothing more to say.
void end_call(Call call);

/// What MPICH does during a nonblocking call, behind a request. MPICH must not wait for it before all members
/// have begun; and as long as it is pending this rank lends MPICH some time whenever it sleeps, since others
/// wait for its progress. What is pending in one context is moved on and completed in the order in which it
/// was made.
class PendingInMpich final : public PendingCollective {
 public:
  /// int(MPI_Request* by_mpich, int* flag, MPI_Status*): as MPI_Test
  using Test = std::function<int(MPI_Request*, int*, MPI_Status*)>;

  /// @param finished  called when MPICH has completed it
  PendingInMpich(Context context, MPI_Request by_mpich, std::function<void()> finished);
  /// @param test  instead of MPI_Test
  PendingInMpich(Context context, MPI_Request by_mpich, Test test);
  /// @param begin  int(MPI_Request*): begins it, when MPICH has completed what is pending in the context
  /// before it
  PendingInMpich(Context context, std::function<int(MPI_Request*)> begin, Test test);

  ~PendingInMpich() override;
  PendingInMpich(const PendingInMpich&) = delete;
  PendingInMpich& operator=(const PendingInMpich&) = delete;

  void start(Call call, CallPart part, Request& request) override;
  void complete(Request& request, const Completed& completed) override;
  /// Lends MPICH some time for it, unless it has to wait for what came before it in its context.
  /// @return whether MPICH has completed it
  bool advance();
  Context context() const { return context_; }

 private:
  bool is_behind_another() const;

  Context context_;
  MPI_Request by_mpich_ = MPI_REQUEST_NULL;
  std::function<int(MPI_Request*)> begin_;  ///< null once MPICH has begun it
  Test test_;
  std::function<void()> finished_;
  std::optional<MpichTraffic> traffic_{std::in_place};  ///< until MPICH has completed it
  // Once MPICH has completed it, which is when its request is no more:
  bool done_ = false;
  int error_ = MPI_SUCCESS;
  MPI_Status status_{};
};

/// Whether something is pending in the context that MPICH has not completed.
bool has_pending(Context context);
/// Lends MPICH time until it has completed all that is pending in the context, which all members have begun
/// or will have begun.
void finish_pending(Context context);

/// Gives the program a request for it, as this part of `call`.
void add_pending(Call call, CallPart part, std::shared_ptr<const Communicator> comm,
                 const std::shared_ptr<PendingInMpich>& pending, MPI_Request* handle);

}  // namespace morgana::mpi::emulated
