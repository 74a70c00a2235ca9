#pragma once

#include <mpi.h>

#include "pvmshim/mpi/list_view.h"

/// Carried out by the emulator, through the channel.
namespace morgana::mpi::emulated {
#include "pvmshim/mpi/implementations.def"
}  // namespace morgana::mpi::emulated

/// Carried out by MPICH, and recorded.
namespace morgana::mpi::captured {
#include "pvmshim/mpi/implementations.def"
}  // namespace morgana::mpi::captured
