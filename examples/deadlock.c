// Every rank waits for a message from its left neighbour that nobody sends.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int usage(int wanted) {
  fprintf(wanted ? stdout : stderr,
          "usage: morgana run -n 4 -- deadlock\n"
          "Every rank waits for a message that nobody sends. Morgana names the cycle and ends the run; over "
          "a real "
          "MPI it hangs.\n");
  return wanted ? 0 : 2;
}

int main(int argc, char** argv) {
  if (argc > 1) return usage(strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);
  MPI_Init(&argc, &argv);
  int rank, ranks, data[64];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Recv(data, 64, MPI_INT, (rank + ranks - 1) % ranks, 42, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
