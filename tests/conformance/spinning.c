// Ranks that spin side by side until another one, which sleeps, lets them go.
// ranks: 3
#include <unistd.h>

#include "conformance.h"

enum { nap_us = 500 };

static void let_all_go(void) {
  usleep(nap_us);
  for (int to = 0; to + 1 < world_size; ++to) MPI_Send(&world_size, 1, MPI_INT, to, 7, MPI_COMM_WORLD);
}

CASE(probing) {
  if (world_rank + 1 == world_size) return let_all_go();
  int found = 0, value = 0;
  while (!found) MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
  CHECK_OK(MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CHECK_INT(world_size, value);
}

CASE(testing) {
  if (world_rank + 1 == world_size) return let_all_go();
  int done = 0, value = 0;
  MPI_Request request;
  MPI_Irecv(&value, 1, MPI_INT, world_size - 1, 7, MPI_COMM_WORLD, &request);
  while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  CHECK_INT(world_size, value);
}

// One gives up after a number of polls and lets the other go, which polls all the while.
CASE(giving_up) {
  if (world_rank == 2) return;
  int found = 0;
  if (world_rank == 0) {
    for (int i = 0; i < 1000; ++i) {
      MPI_Iprobe(1, 8, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
      CHECK_INT(0, found);
    }
    MPI_Send(&found, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
  } else {
    int value = -1;
    while (!found) MPI_Iprobe(0, 7, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    CHECK_OK(MPI_Recv(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_INT(0, value);
  }
}
