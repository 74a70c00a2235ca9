// Ranks that poll at the same time, each for a message of the one before it: after so many polls (an
// argument, or 200) it sends to the next one. Every other one probes, the rest test a receive.
#include <stdlib.h>

#include "check.h"

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  const long polls_before_sending = count > 1 ? atol(arguments[1]) : 200;
  int rank, ranks, came = 0, got = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  MPI_Request receive, send = MPI_REQUEST_NULL;
  if (rank % 2 == 0) MPI_Irecv(&got, 1, MPI_INT, left, 0, MPI_COMM_WORLD, &receive);
  for (long polls = 0; !came || send == MPI_REQUEST_NULL; ++polls) {
    if (polls == polls_before_sending) MPI_Isend(&rank, 1, MPI_INT, right, 0, MPI_COMM_WORLD, &send);
    if (rank % 2 == 0)
      MPI_Test(&receive, &came, MPI_STATUS_IGNORE);
    else
      MPI_Iprobe(left, 0, MPI_COMM_WORLD, &came, MPI_STATUS_IGNORE);
  }
  if (rank % 2 == 1) MPI_Recv(&got, 1, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  CHECK(got == left, "got %d instead of %d", got, left);
  return verdict("pollers");
}
