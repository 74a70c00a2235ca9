// spinning CALL: after a collective (barrier, allreduce, bcast from rank 1, ibarrier, two: a barrier and an
// allreduce) rank 0 ends the run with code 9, and the others compute without end.
#include <stdlib.h>
#include <string.h>

#include "check.h"

int main(int argc, char** argv) {
  const char* call = argc > 1 ? argv[1] : "barrier";
  int rank, size, one = 1, sum = 0;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (strcmp(call, "barrier") == 0 || strcmp(call, "two") == 0) MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(call, "allreduce") == 0 || strcmp(call, "two") == 0) {
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (sum != size) MPI_Abort(MPI_COMM_WORLD, 5);
  }
  if (strcmp(call, "bcast") == 0) {
    sum = rank == 1 ? 7 : 0;
    MPI_Bcast(&sum, 1, MPI_INT, 1, MPI_COMM_WORLD);
    if (sum != 7) MPI_Abort(MPI_COMM_WORLD, 6);
  }
  if (strcmp(call, "ibarrier") == 0) {
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (rank == 0) MPI_Abort(MPI_COMM_WORLD, 9);
  for (volatile unsigned long forever = 0;; ++forever) {
  }
}
