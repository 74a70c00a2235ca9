// MPI_Init says nothing about threads.
// ranks: 2
#include "thread_level.h"

CASE(level) {
  int level = -1;
  MPI_Query_thread(&level);
  CHECK_INT(MPI_THREAD_SINGLE, level);
}
