// As many requests at once as the argument says (a million unless told otherwise), waited for together: rank
// 0's messages to rank 1 have a thousand tags, and those of one tag keep their order.
#include <stdlib.h>

#include "check.h"

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int count = argc > 1 ? atoi(argv[1]) : 1000000;
  const size_t places = (size_t)count;
  MPI_Request* requests = malloc(places * sizeof *requests);
  int* values = malloc(places * sizeof *values);
  for (int i = 0; i < count; ++i) {
    values[i] = rank == 0 ? i : -1;
    if (rank == 0)
      MPI_Isend(&values[i], 1, MPI_INT, 1, i % 1000, MPI_COMM_WORLD, &requests[i]);
    else
      MPI_Irecv(&values[i], 1, MPI_INT, 0, i % 1000, MPI_COMM_WORLD, &requests[i]);
  }
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  int wrong = 0, left = 0;
  for (int i = 0; i < count; ++i) {
    wrong += values[i] != i;
    left += requests[i] != MPI_REQUEST_NULL;
  }
  CHECK(wrong == 0, "%d values of %d are wrong", wrong, count);
  CHECK(left == 0, "%d requests of %d are left", left, count);
  free(values);
  free(requests);
  return verdict("many_requests");
}
