// MPI_THREAD_MULTIPLE asked for: SERIALIZED at least is provided (MPICH gives more than an emulated run).
// ranks: 2
#define LEVEL MPI_THREAD_MULTIPLE
#include "thread_level.h"

CASE(level) {
  CHECK(provided_level >= MPI_THREAD_SERIALIZED);
}
