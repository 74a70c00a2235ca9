#pragma once

#include <mpi.h>

#include <memory>
#include <unordered_map>
#include <vector>

#include "pvmshim/clock/live_rank.h"
#include "pvmshim/mpi/emulate/onesided/remote_data.h"
#include "pvmshim/mpi/emulate/onesided/shared_memory.h"
#include "pvmshim/mpi/epochs.h"
#include "pvmshim/mpi/window.h"

namespace morgana::mpi::emulated {

/// A window of this process. MPICH's window of the same handle has this rank as its only member, so that
/// making it needs no other rank: it holds name, attributes, hints and error handler. Members and epochs, and
/// the data that move, are ours. Data move when their access has completed in simulated time: what one rank's
/// synchronisation orders after another's is also later in real time, and accesses that nothing orders are
/// carried out in the order of simulated time.
struct EmulatedWindow {
  EmulatedWindow(Window as_operations, std::vector<ExposedMemory> of_members);

  Window window;
  Epochs epochs;
  std::vector<ExposedMemory> memory;  ///< of each member
  bool is_dynamic = false;
  std::unique_ptr<SharedMemory> shared;  ///< of MPI_Win_allocate_shared

  int size() const { return window.members().size(); }
};

/// Null for a handle that is none.
std::shared_ptr<EmulatedWindow> find_window(MPI_Win win);

/// The rank that stands for a member of a window where MPICH is to find what else is wrong with a call: its
/// own window has but one. Others, and those of windows that are not ours, as they are.
int rank_for_mpich(MPI_Win win, int rank);

/// Hands an error of that call to the window's error handler. @return the error
int raise(const EmulatedWindow& window, int error, Call call);
/// The same where something was returned in that call.
int raise_returned(const EmulatedWindow& window, Call call, Outcome outcome);

/// An access that was returned does not take place: moving its data is that error.
/// @return what the call's own error is about; delivered for an access with a request of the program's, which
/// reports it
Outcome note_outcome(Window& window, const Completed& completed);

/// Within a visit: the steps of a call; data of accesses that have completed move before the next one.
/// @return MPI_SUCCESS, or the error that one of them ended with, which the error handler has been called
/// with
int carry_out(EmulatedWindow& window, Call call, WindowSteps steps);

}  // namespace morgana::mpi::emulated
