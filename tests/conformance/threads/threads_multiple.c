// MPI_THREAD_MULTIPLE asked for: it is provided.
// ranks: 2
#define LEVEL MPI_THREAD_MULTIPLE
#include "thread_level.h"

CASE(level) {
  CHECK_INT(MPI_THREAD_MULTIPLE, provided_level);
}
