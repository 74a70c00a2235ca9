#pragma once

#include <mpi.h>

#include "pvmshim/mpi/stand_in/callbacks.h"
#include "pvmshim/mpi/stand_in/each_parameter.h"
#include "pvmshim/mpi/stand_in/handles.h"
#include "pvmshim/mpi/stand_in/parameters.h"
#include "pvmshim/mpi/stand_in/status.h"

/// The calls of calls.def that take more than a conversion of each parameter.
namespace morgana::stand_in::by_hand {

#define MORGANA_CALL(name, ...)
#define MORGANA_CALL_AS(name, other, ...)
#define MORGANA_BY_HAND(name, result, ...) result name(__VA_ARGS__);
#define MORGANA_ALONE(name, result, ...) result name(__VA_ARGS__);
#include "pvmshim/mpi/stand_in/calls.def"
#undef MORGANA_CALL
#undef MORGANA_CALL_AS
#undef MORGANA_BY_HAND
#undef MORGANA_ALONE

}  // namespace morgana::stand_in::by_hand
