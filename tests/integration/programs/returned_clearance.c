/* Rank 1 receives, 1 s after it was sent, a message so long that its data must be asked for, over a network
 * that has died meanwhile. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <mpi.h>

enum { bytes = 200000, goes_on = 9 };

int main(int count, char** words) {
  int rank = 0;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  char* data = calloc(bytes, 1);
  if (rank == 0) {
    MPI_Send(data, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
  } else {
    sleep(1);
    const int error = MPI_Recv(data, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    int class = error;
    MPI_Error_class(error, &class);
    printf("%s\n", class == MPI_ERR_OTHER ? "MPI_ERR_OTHER" : "another class");
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, goes_on);
  }
  MPI_Finalize();
  return 0;
}
