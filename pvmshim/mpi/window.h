#pragma once

#include <mpi.h>

#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "emulator/operations/operation.h"
#include "pvmshim/mpi/communicators.h"

namespace morgana::mpi {

/// One operation of a call that synchronises a window.
struct WindowStep {
  Operation operation;
  /// A wait that the program must not run ahead of, in real time either; all others can be taken for granted.
  bool is_awaited = false;
  std::vector<Completed> outcome = {};  ///< a wait's: what completes in it
  /// Accesses that it completes: those to this member, or to all.
  std::optional<int> flushed = std::nullopt;
};
using WindowSteps = std::vector<WindowStep>;

/// An access that has been started and not been waited for.
struct PendingAccess {
  RequestId id;
  int target;
  MPI_Request request = MPI_REQUEST_NULL;  ///< the program's, if it has one
  std::function<int()> move = nullptr;     ///< moves its data; returns an error class
  Outcome outcome = Outcome::delivered;    ///< else the error is about that
};

/// A window as operations know it; what its calls do, step by step, in an emulated run and in a recording.
/// Targets are members of its group. Locks, and what makes fences and posts meet, are of its own context:
///
/// - MPI_Win_fence waits for the accesses that have been started, and then for all members (a barrier).
/// - MPI_Win_post sends an empty message to each origin, for which MPI_Win_start waits; MPI_Win_complete
///   waits for the accesses and sends one to each target, for which MPI_Win_wait waits.
/// - A lock is asked for at once, also one of several by MPI_Win_lock_all; giving it back waits for the
///   accesses first.
class Window {
 public:
  using NewId = std::function<RequestId()>;
  static constexpr int everyone = -1;

  /// @param members  in the window's own context
  Window(MPI_Win handle, Communicator members, NewId new_id)
      : handle_(handle), members_(std::move(members)), new_id_(std::move(new_id)) {}

  MPI_Win handle() const { return handle_; }
  const Communicator& members() const { return members_; }

  /// @param bytes  there; @param reply  back
  Operation start_access(Call call, int target, Bytes bytes, Bytes reply, PendingAccess access);
  /// In the order in which they were started.
  std::deque<PendingAccess>& pending() { return pending_; }
  PendingAccess* find_pending(RequestId id);
  /// Takes off the list: those to `target`, or to everyone, in their order; or one.
  std::deque<PendingAccess> take_pending(int target);
  /// Those that a step has waited for: another thread's may have been started since.
  std::deque<PendingAccess> take_pending(const std::vector<Completed>& waited_for);
  void forget_pending(RequestId id);

  WindowSteps fence(Call call);
  /// @param checked  false for MPI_MODE_NOCHECK: the program itself sees to the order
  WindowSteps post(Call call, const std::vector<int>& origins, bool checked);
  WindowSteps start(Call call, const std::vector<int>& targets, bool checked);
  WindowSteps complete(Call call);
  WindowSteps wait(Call call);
  Operation test(Call call) const;
  std::vector<Completed> exposure_outcome() const { return exposure_; }
  void exposure_ended() { exposure_.clear(); }
  WindowSteps lock(Call call, const std::vector<int>& targets, bool exclusive, bool checked);
  /// The lock was not given.
  void forget_lock(int target) { locked_.erase(target); }
  WindowSteps unlock(Call call, const std::vector<int>& targets);
  WindowSteps flush(Call call, int target);
  WindowSteps meet(Call call);

  std::vector<int> all_members() const;

 private:
  void add_flush(Call call, int target, WindowSteps& steps) const;
  void add_wait(Call call, std::vector<Completed> outcome, bool awaited, WindowSteps& steps) const;
  Operation signal(Call call, int member, Tag tag, RequestId id) const;
  Operation expect(Call call, int member, Tag tag, RequestId id) const;
  Operation lock_operation(OperationKind kind, Call call, int target, RequestId id) const;

  MPI_Win handle_;
  Communicator members_;
  NewId new_id_;
  std::deque<PendingAccess> pending_;
  std::vector<int> started_;         ///< targets of MPI_Win_start
  std::vector<Completed> exposure_;  ///< what MPI_Win_wait waits for
  std::set<int> locked_;             ///< those whose lock was really asked for
};

/// Gives each step its place in the call; a call of none becomes one that only has a name.
void number_parts(Call call, WindowSteps& steps);

}  // namespace morgana::mpi
