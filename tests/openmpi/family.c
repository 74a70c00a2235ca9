// A program of MPICH's interface; what it is linked to says the name under which it asks for the library.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank = -1, sum = -1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  ++rank;
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 1) printf("sum %d\n", sum);
  return MPI_Finalize();
}
