#pragma once

#include <mpi.h>

#include "pvmshim/mpi/openmpi/callbacks.h"
#include "pvmshim/mpi/openmpi/each_parameter.h"
#include "pvmshim/mpi/openmpi/handles.h"
#include "pvmshim/mpi/openmpi/parameters.h"
#include "pvmshim/mpi/openmpi/status.h"

/// The calls of calls.def that take more than a conversion of each parameter.
namespace morgana::openmpi::by_hand {

#define MORGANA_CALL(name, ...)
#define MORGANA_CALL_AS(name, other, ...)
#define MORGANA_BY_HAND(name, result, ...) result name(__VA_ARGS__);
#define MORGANA_ALONE(name, result, ...) result name(__VA_ARGS__);
#include "pvmshim/mpi/openmpi/calls.def"
#undef MORGANA_CALL
#undef MORGANA_CALL_AS
#undef MORGANA_BY_HAND
#undef MORGANA_ALONE

}  // namespace morgana::openmpi::by_hand
