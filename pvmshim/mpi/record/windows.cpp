// Windows and their synchronisation over MPICH, recorded as what an emulated run would do in its place.

#include <memory>

#include "pvmshim/mpi/implementations.h"
#include "pvmshim/mpi/real_mpi.h"
#include "pvmshim/mpi/record/creation.h"
#include "pvmshim/mpi/record/recorded_windows.h"
#include "pvmshim/mpi/record/timed_call.h"

namespace morgana::mpi::captured {
namespace {

/// Writes a call's steps: all of them at its begin, but the last, which takes the call's time.
void write_steps(const TimedCall& timed, Call call, WindowSteps steps) {
  number_parts(call, steps);
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) timed.write_start(steps[i].operation, steps[i].outcome);
  timed.write(steps.back().operation, steps.back().outcome);
}

template <typename Make>
int create_window(Call call, MPI_Comm parent, MPI_Win* win, const Make& make) {
  return record_creation(call, parent, make, [&](const Communicator& comm) {
    return context_operation(call, CallPart::last, add_window(*win, comm).members());
  });
}

/// Accesses whose requests the program has been told of are complete.
void forget_completed(Window& window) {
  std::vector<RequestId> over;
  for (const PendingAccess& access : window.pending())
    if (access.request != MPI_REQUEST_NULL && !recorder().is_pending(access.request, access.id))
      over.push_back(access.id);
  for (const RequestId id : over) window.forget_pending(id);
}

void accesses_completed(Window& window, int target) {
  for (const PendingAccess& access : window.take_pending(target))
    if (access.request != MPI_REQUEST_NULL) recorder().drop(access.request, access.id);
}

/// A call that synchronises a window.
/// @param steps  WindowSteps(Window&)
template <typename RealCall, typename StepsOf>
int synchronise(Call call, MPI_Win win, const RealCall& real_call, const StepsOf& steps_of) {
  TimedCall timed;
  const int result = real_call();
  timed.ended();
  Window* window = find_window(win);
  if (result != MPI_SUCCESS || window == nullptr) {
    timed.write_plain(call);
    return result;
  }
  forget_completed(*window);
  WindowSteps steps = steps_of(*window);
  for (const WindowStep& step : steps)
    if (step.flushed) accesses_completed(*window, *step.flushed);
  write_steps(timed, call, std::move(steps));
  return result;
}

std::vector<int> members_in(const Window& window, MPI_Group group) {
  std::vector<int> members;
  for (const Rank rank : world_ranks(group)) members.push_back(window.members().member(rank));
  return members;
}

bool is_checked(int assert) {
  return (assert& MPI_MODE_NOCHECK) == 0;
}

}  // namespace

int Win_create(void* base, MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  return create_window(Call::MPI_Win_create, comm, win,
                       [=] { return real().MPI_Win_create_c(base, size, unit, info, comm, win); });
}

int Win_allocate(MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* win) {
  return create_window(Call::MPI_Win_allocate, comm, win,
                       [=] { return real().MPI_Win_allocate_c(size, unit, info, comm, base, win); });
}

int Win_allocate_shared(MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm, void* base,
                        MPI_Win* win) {
  return create_window(Call::MPI_Win_allocate_shared, comm, win,
                       [=] { return real().MPI_Win_allocate_shared_c(size, unit, info, comm, base, win); });
}

int Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  return create_window(Call::MPI_Win_create_dynamic, comm, win,
                       [=] { return real().MPI_Win_create_dynamic(info, comm, win); });
}

int Win_free(MPI_Win* win) {
  const MPI_Win handle = *win;
  const int result = synchronise(
      Call::MPI_Win_free, handle, [=] { return real().MPI_Win_free(win); },
      [](Window& window) { return window.meet(Call::MPI_Win_free); });
  if (result == MPI_SUCCESS) forget_window(handle);
  return result;
}

int Win_shared_query(MPI_Win win, int rank, MPI_Aint* size, int* unit, void* base) {
  return real().MPI_Win_shared_query(win, rank, size, unit, base);
}

int Win_shared_query(MPI_Win win, int rank, MPI_Aint* size, MPI_Aint* unit, void* base) {
  return real().MPI_Win_shared_query_c(win, rank, size, unit, base);
}

int Win_get_attr(MPI_Win win, int key, void* value, int* found) {
  return real().MPI_Win_get_attr(win, key, value, found);
}

int Win_get_group(MPI_Win win, MPI_Group* group) {
  return real().MPI_Win_get_group(win, group);
}

int Win_fence(int assert, MPI_Win win) {
  return synchronise(
      Call::MPI_Win_fence, win, [=] { return real().MPI_Win_fence(assert, win); },
      [](Window& window) { return window.fence(Call::MPI_Win_fence); });
}

int Win_post(MPI_Group group, int assert, MPI_Win win) {
  return synchronise(
      Call::MPI_Win_post, win, [=] { return real().MPI_Win_post(group, assert, win); },
      [=](Window& window) {
        return window.post(Call::MPI_Win_post, members_in(window, group), is_checked(assert));
      });
}

int Win_start(MPI_Group group, int assert, MPI_Win win) {
  return synchronise(
      Call::MPI_Win_start, win, [=] { return real().MPI_Win_start(group, assert, win); },
      [=](Window& window) {
        return window.start(Call::MPI_Win_start, members_in(window, group), is_checked(assert));
      });
}

int Win_complete(MPI_Win win) {
  return synchronise(
      Call::MPI_Win_complete, win, [=] { return real().MPI_Win_complete(win); },
      [](Window& window) { return window.complete(Call::MPI_Win_complete); });
}

int Win_wait(MPI_Win win) {
  return synchronise(
      Call::MPI_Win_wait, win, [=] { return real().MPI_Win_wait(win); },
      [](Window& window) {
        WindowSteps steps = window.wait(Call::MPI_Win_wait);
        window.exposure_ended();
        return steps;
      });
}

int Win_test(MPI_Win win, int* flag) {
  return synchronise(
      Call::MPI_Win_test, win, [=] { return real().MPI_Win_test(win, flag); },
      [=](Window& window) {
        WindowSteps steps;
        if (window.exposure_outcome().empty()) return steps;
        steps.push_back({window.test(Call::MPI_Win_test)});
        if (*flag == 0) return steps;
        steps.back().outcome = window.exposure_outcome();
        window.exposure_ended();
        return steps;
      });
}

int Win_lock(int lock_type, int rank, int assert, MPI_Win win) {
  return synchronise(
      Call::MPI_Win_lock, win, [=] { return real().MPI_Win_lock(lock_type, rank, assert, win); },
      [=](Window& window) {
        if (rank == MPI_PROC_NULL) return WindowSteps();
        return window.lock(Call::MPI_Win_lock, {rank}, lock_type == MPI_LOCK_EXCLUSIVE, is_checked(assert));
      });
}

int Win_unlock(int rank, MPI_Win win) {
  return synchronise(
      Call::MPI_Win_unlock, win, [=] { return real().MPI_Win_unlock(rank, win); },
      [=](Window& window) {
        return rank == MPI_PROC_NULL ? WindowSteps() : window.unlock(Call::MPI_Win_unlock, {rank});
      });
}

int Win_lock_all(int assert, MPI_Win win) {
  return synchronise(
      Call::MPI_Win_lock_all, win, [=] { return real().MPI_Win_lock_all(assert, win); },
      [=](Window& window) {
        return window.lock(Call::MPI_Win_lock_all, window.all_members(), false, is_checked(assert));
      });
}

int Win_unlock_all(MPI_Win win) {
  return synchronise(
      Call::MPI_Win_unlock_all, win, [=] { return real().MPI_Win_unlock_all(win); },
      [](Window& window) { return window.unlock(Call::MPI_Win_unlock_all, window.all_members()); });
}

int Win_flush(int rank, MPI_Win win) {
  return synchronise(
      Call::MPI_Win_flush, win, [=] { return real().MPI_Win_flush(rank, win); },
      [=](Window& window) { return window.flush(Call::MPI_Win_flush, rank); });
}

int Win_flush_local(int rank, MPI_Win win) {
  return synchronise(
      Call::MPI_Win_flush_local, win, [=] { return real().MPI_Win_flush_local(rank, win); },
      [=](Window& window) { return window.flush(Call::MPI_Win_flush_local, rank); });
}

int Win_flush_all(MPI_Win win) {
  return synchronise(
      Call::MPI_Win_flush_all, win, [=] { return real().MPI_Win_flush_all(win); },
      [](Window& window) { return window.flush(Call::MPI_Win_flush_all, Window::everyone); });
}

int Win_flush_local_all(MPI_Win win) {
  return synchronise(
      Call::MPI_Win_flush_local_all, win, [=] { return real().MPI_Win_flush_local_all(win); },
      [](Window& window) { return window.flush(Call::MPI_Win_flush_local_all, Window::everyone); });
}

int Win_sync(MPI_Win win) {
  return synchronise(
      Call::MPI_Win_sync, win, [=] { return real().MPI_Win_sync(win); },
      [](Window&) { return WindowSteps(); });
}

}  // namespace morgana::mpi::captured
