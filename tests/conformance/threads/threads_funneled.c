// MPI_THREAD_FUNNELED asked for.
// ranks: 2
#define LEVEL MPI_THREAD_FUNNELED
#include "thread_level.h"

CASE(level) {
  CHECK_INT(MPI_THREAD_FUNNELED, provided_level);
}
