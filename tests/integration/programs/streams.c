// A rank sends far more than any memory between processes holds, blocking and not, faster than it is
// received; and a root broadcasts as much. The argument is the number of megabytes (default: 600).
#include <stdlib.h>

#include "check.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int messages = argc > 1 ? atoi(argv[1]) / 16 : 600 / 16, size = 8 << 20;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char* data = calloc((size_t)size, 1);
  for (int i = 0; i < messages; ++i) {
    MPI_Request request;
    if (rank == 0) data[i] = (char)i;
    if (rank == 0) MPI_Send(data, size, MPI_CHAR, 1, i, MPI_COMM_WORLD);
    if (rank == 0) MPI_Isend(data, size, MPI_CHAR, 1, i, MPI_COMM_WORLD, &request);
    if (rank == 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int twice = 0; twice < 2 && rank == 1; ++twice) {
      data[i] = -1;
      MPI_Recv(data, size, MPI_CHAR, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK(data[i] == (char)i, "message %d holds %d", i, data[i]);
    }
  }
  for (int i = 0; i < messages; ++i) {
    if (rank == 0) data[i] = (char)(i + 1);
    MPI_Bcast(data, size, MPI_CHAR, 0, MPI_COMM_WORLD);
    CHECK(data[i] == (char)(i + 1), "broadcast %d holds %d", i, data[i]);
  }
  free(data);
  return verdict("streams");
}
