/* An MPI program that takes back what it has sent. */
#include <mpi.h>

int main(int argc, char** argv) {
  int value = 0;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Isend(&value, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
