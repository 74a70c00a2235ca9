// The calls that begin and end a window's epochs.

#include "pvmshim/mpi/emulate/arguments.h"
#include "pvmshim/mpi/emulate/emulated_rank.h"
#include "pvmshim/mpi/emulate/messages.h"
#include "pvmshim/mpi/emulate/mpich_traffic.h"
#include "pvmshim/mpi/emulate/onesided/windows.h"
#include "pvmshim/mpi/emulate/returned.h"
#include "pvmshim/mpi/implementations.h"
#include "pvmshim/mpi/real_mpi.h"
#include "pvmshim/mpi/statuses.h"
#include "pvmshim/mpi/translate.h"

namespace morgana::mpi::emulated {
namespace {

using Visit = LiveRank::Visit;

/// Moves the data of accesses that have completed, in their order.
int finish_accesses(Window& window, const std::vector<Completed>& waited_for) {
  int result = MPI_SUCCESS;
  for (const PendingAccess& access : window.take_pending(waited_for)) {
    const int error = access.move == nullptr ? MPI_SUCCESS : access.move();
    if (access.request == MPI_REQUEST_NULL) {
      if (error != MPI_SUCCESS) result = error;
      continue;
    }
    Request& request = me().requests.at(access.request);
    set_empty(request.status);
    request.error = error;
    request.outcome = access.outcome;
    request.done = true;
  }
  return result;
}

bool has_only(int assert, int allowed) {
  return (assert & ~allowed) == 0;
}

bool is_checked(int assert) {
  return (assert& MPI_MODE_NOCHECK) == 0;
}

bool is_member_or_nobody(const EmulatedWindow& window, int rank) {
  return rank == MPI_PROC_NULL || (rank >= 0 && rank < window.size());
}

/// The members of a group by their number in the window; nothing if one is none.
std::optional<std::vector<int>> members_in(const EmulatedWindow& window, MPI_Group group) {
  std::vector<int> members;
  for (const Rank rank : world_ranks(group)) {
    members.push_back(rank < Rank{0} ? MPI_UNDEFINED : window.window.members().member(rank));
    if (members.back() == MPI_UNDEFINED) return std::nullopt;
  }
  return members;
}

/// MPI_Win_flush and its like. They complete accesses at both ends alike.
int flush(Call call, decltype(&MPI_Win_flush) real_call, int rank, MPI_Win win) {
  const auto window = find_window(win);
  if (window == nullptr || !is_member_or_nobody(*window, rank)) return error_of_mpich(real_call, rank, win);
  const Visit visit(me().live);
  if (rank == MPI_PROC_NULL) {
    post_plain(call);
    return MPI_SUCCESS;
  }
  if (!window->epochs.flush(rank)) return raise(*window, MPI_ERR_RMA_SYNC, call);
  return carry_out(*window, call, window->window.flush(call, rank));
}

int flush_all(Call call, decltype(&MPI_Win_flush_all) real_call, MPI_Win win) {
  const auto window = find_window(win);
  if (window == nullptr) return error_of_mpich(real_call, win);
  const Visit visit(me().live);
  if (!window->epochs.is_passive()) return raise(*window, MPI_ERR_RMA_SYNC, call);
  return carry_out(*window, call, window->window.flush(call, Window::everyone));
}

}  // namespace

int carry_out(EmulatedWindow& window, Call call, WindowSteps steps) {
  int result = MPI_SUCCESS;
  number_parts(call, steps);
  Outcome outcome = Outcome::delivered;
  for (WindowStep& step : steps) {
    if (step.is_awaited || (learns_of_returns() && step.operation.kind == OperationKind::wait)) {
      for (const Completed& completed : me().live.ask(step.operation).completed)
        if (const Outcome one = note_outcome(window.window, completed); one != Outcome::delivered)
          outcome = one;
    } else {
      me().live.post(step.operation);
    }
    if (step.flushed)
      if (const int error = finish_accesses(window.window, step.outcome); error != MPI_SUCCESS)
        result = error;
  }
  if (outcome != Outcome::delivered) return raise_returned(window, call, outcome);
  return result == MPI_SUCCESS ? result : raise(window, result, call);
}

int Win_fence(int assert, MPI_Win win) {
  constexpr int allowed = MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED;
  const auto window = find_window(win);
  if (window == nullptr || !has_only(assert, allowed))
    return error_of_mpich(real().MPI_Win_fence, assert, win);
  const Visit visit(me().live);
  if (!window->epochs.fence((assert& MPI_MODE_NOSUCCEED) == 0))
    return raise(*window, MPI_ERR_RMA_SYNC, Call::MPI_Win_fence);
  return carry_out(*window, Call::MPI_Win_fence, window->window.fence(Call::MPI_Win_fence));
}

int Win_post(MPI_Group group, int assert, MPI_Win win) {
  constexpr int allowed = MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT;
  const auto window = find_window(win);
  if (window == nullptr || group == MPI_GROUP_NULL || !has_only(assert, allowed))
    return error_of_mpich(real().MPI_Win_post, group, assert, win);
  const Visit visit(me().live);
  const auto origins = members_in(*window, group);
  if (!origins) return raise(*window, MPI_ERR_GROUP, Call::MPI_Win_post);
  if (!window->epochs.post()) return raise(*window, MPI_ERR_RMA_SYNC, Call::MPI_Win_post);
  return carry_out(*window, Call::MPI_Win_post,
                   window->window.post(Call::MPI_Win_post, *origins, is_checked(assert)));
}

int Win_start(MPI_Group group, int assert, MPI_Win win) {
  const auto window = find_window(win);
  if (window == nullptr || group == MPI_GROUP_NULL || !has_only(assert, MPI_MODE_NOCHECK))
    return error_of_mpich(real().MPI_Win_start, group, assert, win);
  const Visit visit(me().live);
  const auto targets = members_in(*window, group);
  if (!targets) return raise(*window, MPI_ERR_GROUP, Call::MPI_Win_start);
  if (!window->epochs.start(*targets)) return raise(*window, MPI_ERR_RMA_SYNC, Call::MPI_Win_start);
  return carry_out(*window, Call::MPI_Win_start,
                   window->window.start(Call::MPI_Win_start, *targets, is_checked(assert)));
}

int Win_complete(MPI_Win win) {
  const auto window = find_window(win);
  if (window == nullptr) return error_of_mpich(real().MPI_Win_complete, win);
  const Visit visit(me().live);
  if (!window->epochs.complete()) return raise(*window, MPI_ERR_RMA_SYNC, Call::MPI_Win_complete);
  return carry_out(*window, Call::MPI_Win_complete, window->window.complete(Call::MPI_Win_complete));
}

int Win_wait(MPI_Win win) {
  const auto window = find_window(win);
  if (window == nullptr) return error_of_mpich(real().MPI_Win_wait, win);
  const Visit visit(me().live);
  if (!window->epochs.is_posted()) return raise(*window, MPI_ERR_RMA_SYNC, Call::MPI_Win_wait);
  const int result = carry_out(*window, Call::MPI_Win_wait, window->window.wait(Call::MPI_Win_wait));
  window->window.exposure_ended();
  window->epochs.end_exposure();
  return result;
}

int Win_test(MPI_Win win, int* flag) {
  const auto window = find_window(win);
  if (window == nullptr || lacks_place(flag)) return error_of_mpich(real().MPI_Win_test, win, flag);
  const Visit visit(me().live);
  if (!window->epochs.is_posted()) return raise(*window, MPI_ERR_RMA_SYNC, Call::MPI_Win_test);
  if (window->window.exposure_outcome().empty()) {
    post_plain(Call::MPI_Win_test);
    *flag = 1;
  } else {
    Operation test = window->window.test(Call::MPI_Win_test);
    *flag = me().live.poll(test).completed.empty() ? 0 : 1;
  }
  if (*flag != 0) {
    window->window.exposure_ended();
    window->epochs.end_exposure();
  }
  return MPI_SUCCESS;
}

int Win_lock(int lock_type, int rank, int assert, MPI_Win win) {
  const auto window = find_window(win);
  const bool valid = window != nullptr && (lock_type == MPI_LOCK_SHARED || lock_type == MPI_LOCK_EXCLUSIVE) &&
                     has_only(assert, MPI_MODE_NOCHECK) && is_member_or_nobody(*window, rank);
  if (!valid) return error_of_mpich(real().MPI_Win_lock, lock_type, rank_for_mpich(win, rank), assert, win);
  const Visit visit(me().live);
  if (rank == MPI_PROC_NULL) {
    post_plain(Call::MPI_Win_lock);
    return MPI_SUCCESS;
  }
  if (!window->epochs.lock(rank)) return raise(*window, MPI_ERR_RMA_SYNC, Call::MPI_Win_lock);
  const int error = carry_out(
      *window, Call::MPI_Win_lock,
      window->window.lock(Call::MPI_Win_lock, {rank}, lock_type == MPI_LOCK_EXCLUSIVE, is_checked(assert)));
  if (error != MPI_SUCCESS) {  // it was not given: the program may ask again
    window->epochs.unlock(rank);
    window->window.forget_lock(rank);
  }
  return error;
}

int Win_unlock(int rank, MPI_Win win) {
  const auto window = find_window(win);
  if (window == nullptr || !is_member_or_nobody(*window, rank))
    return error_of_mpich(real().MPI_Win_unlock, rank, win);
  const Visit visit(me().live);
  if (rank == MPI_PROC_NULL) {
    post_plain(Call::MPI_Win_unlock);
    return MPI_SUCCESS;
  }
  if (!window->epochs.unlock(rank)) return raise(*window, MPI_ERR_RMA_SYNC, Call::MPI_Win_unlock);
  return carry_out(*window, Call::MPI_Win_unlock, window->window.unlock(Call::MPI_Win_unlock, {rank}));
}

int Win_lock_all(int assert, MPI_Win win) {
  const auto window = find_window(win);
  if (window == nullptr || !has_only(assert, MPI_MODE_NOCHECK))
    return error_of_mpich(real().MPI_Win_lock_all, assert, win);
  const Visit visit(me().live);
  if (!window->epochs.lock_all()) return raise(*window, MPI_ERR_RMA_SYNC, Call::MPI_Win_lock_all);
  return carry_out(
      *window, Call::MPI_Win_lock_all,
      window->window.lock(Call::MPI_Win_lock_all, window->window.all_members(), false, is_checked(assert)));
}

int Win_unlock_all(MPI_Win win) {
  const auto window = find_window(win);
  if (window == nullptr) return error_of_mpich(real().MPI_Win_unlock_all, win);
  const Visit visit(me().live);
  if (!window->epochs.unlock_all()) return raise(*window, MPI_ERR_RMA_SYNC, Call::MPI_Win_unlock_all);
  return carry_out(*window, Call::MPI_Win_unlock_all,
                   window->window.unlock(Call::MPI_Win_unlock_all, window->window.all_members()));
}

int Win_flush(int rank, MPI_Win win) {
  return flush(Call::MPI_Win_flush, real().MPI_Win_flush, rank, win);
}

int Win_flush_local(int rank, MPI_Win win) {
  return flush(Call::MPI_Win_flush_local, real().MPI_Win_flush_local, rank, win);
}

int Win_flush_all(MPI_Win win) {
  return flush_all(Call::MPI_Win_flush_all, real().MPI_Win_flush_all, win);
}

int Win_flush_local_all(MPI_Win win) {
  return flush_all(Call::MPI_Win_flush_local_all, real().MPI_Win_flush_local_all, win);
}

// A program that waits for its own memory to change calls this again and again: it must take time. So it is a
// look for a message that never comes.
int Win_sync(MPI_Win win) {
  constexpr int never_sent = 2;
  const auto window = find_window(win);
  if (window == nullptr) return error_of_mpich(real().MPI_Win_sync, win);
  const Visit visit(me().live);
  if (!window->epochs.is_passive()) return raise(*window, MPI_ERR_RMA_SYNC, Call::MPI_Win_sync);
  Operation look = probe_operation(OperationKind::test_probe, Call::MPI_Win_sync, window->window.members(),
                                   MPI_ANY_SOURCE, never_sent);
  me().live.poll(look);
  return MPI_SUCCESS;
}

}  // namespace morgana::mpi::emulated
