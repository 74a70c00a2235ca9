// The last rank prints by std::cout without flushing it, with several threads allowed, and makes an error
// that it does not catch.
#include <mpi.h>

#include <iostream>

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  int provided, rank, ranks;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (rank == ranks - 1) {
    std::cout << "not flushed\n";
    MPI_Send(&rank, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
}
