#pragma once

#include <mpi.h>

#include "pvmshim/mpi/window.h"

namespace morgana::mpi::captured {

// The windows of this process.

/// Within the creation of a window that MPICH has made.
Window& add_window(MPI_Win win, const Communicator& comm);
/// Null for a handle that is none.
Window* find_window(MPI_Win win);
void forget_window(MPI_Win win);

}  // namespace morgana::mpi::captured
