/* A program of Active Messages that sends messages by MPI itself, with 40 different tags; and one before AM_Init with
   "late" behind its name. */
#include <mpi.h>
#include <stdio.h>

#include "am2.h"

int main(int count, char** arguments) {
  char data[20] = {0};
  MPI_Init(&count, &arguments);
  if (count > 1) {
    int rank, first = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) MPI_Send(&first, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(&first, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  AM_Init();
  for (int i = 0; i < 400; ++i) {
    const int tag = i % 40 * 4;
    if (AM_Rank() == 0) MPI_Send(data, sizeof data, MPI_BYTE, 1, tag, MPI_COMM_WORLD);
    if (AM_Rank() == 1) MPI_Recv(data, sizeof data, MPI_BYTE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  AM_Terminate();
  MPI_Finalize();
  return 0;
}
