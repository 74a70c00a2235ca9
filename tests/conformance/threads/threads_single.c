// MPI_THREAD_SINGLE asked for.
// ranks: 2
#define LEVEL MPI_THREAD_SINGLE
#include "thread_level.h"

CASE(level) {
  CHECK_INT(MPI_THREAD_SINGLE, provided_level);
}
