#pragma once

#include <mpi.h>

#include "pvmshim/mpi/mpich_version.h"

namespace morgana::mpi {

/// MPICH's own functions, under the names that the program calls them by.
struct RealMpi {
#define MORGANA_COVERED(name, implementation, type, parameters, arguments) decltype(&::name) name;
#include "pvmshim/mpi/covered.def"
#undef MORGANA_COVERED
#define MORGANA_REFUSED(name, type, parameters, arguments) decltype(&::name) name;
#include "pvmshim/mpi/refused.def"
#undef MORGANA_REFUSED
#define MORGANA_FILE(name, call, parameters, arguments) decltype(&::name) name;
#define MORGANA_FILE_REQUEST(name, call, parameters, arguments) decltype(&::name) name;
#include "pvmshim/mpi/files.def"
#undef MORGANA_FILE
#undef MORGANA_FILE_REQUEST
#define MORGANA_LOCAL(name) decltype(&::name) name;
#include "pvmshim/mpi/local.def"
#undef MORGANA_LOCAL
};

/// @throws Error where the program's MPI library is not MPICH 4
const RealMpi& real();

/// A function of MPICH's own that it exports beside MPI's; null if it doesn't.
void* mpichs_function(const char* name);

/// The release of the MPICH that is loaded, which need not be the one whose headers this was compiled with.
MpichVersion mpichs_version();

/// Whether the code at this address is MPICH's, which calls some of its functions by their public names.
bool lies_in_mpich(const void* address);

}  // namespace morgana::mpi
