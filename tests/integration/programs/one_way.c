// one_way COUNT BYTES: rank 0 sends so many messages of so many bytes to rank 1. Nothing else is sent.
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int count = argc > 1 ? atoi(argv[1]) : 1, bytes = argc > 2 ? atoi(argv[2]) : 1;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char* data = calloc((size_t)bytes, 1);
  for (int i = 0; i < count; ++i) {
    if (rank == 0) MPI_Send(data, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(data, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  free(data);
  MPI_Finalize();
  return 0;
}
