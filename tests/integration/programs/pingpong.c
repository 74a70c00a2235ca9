// Two ranks send a message of every size to and fro. Prints half the round trip of each.
#include <stdlib.h>

#include "check.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rounds = argc > 1 ? atoi(argv[1]) : 10;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int bytes = 0; bytes <= 1 << 20; bytes = bytes == 0 ? 1 : bytes * 8) {
    char* data = malloc((size_t)bytes + 1);
    const double begin = MPI_Wtime();
    for (int round = 0; round < rounds && rank < 2; ++round) {
      for (int i = 0; i < bytes; ++i) data[i] = (char)(i + round + rank);
      if (rank == 0) MPI_Send(data, bytes, MPI_CHAR, 1, 7, MPI_COMM_WORLD);
      MPI_Status status;
      MPI_Recv(data, bytes, MPI_CHAR, 1 - rank, 7, MPI_COMM_WORLD, &status);
      int wrong = 0, count = -1;
      MPI_Get_count(&status, MPI_CHAR, &count);
      for (int i = 0; i < bytes; ++i) wrong += data[i] != (char)(i + round);
      CHECK(wrong == 0 && count == bytes, "%d of %d bytes are wrong, %d came", wrong, bytes, count);
      if (rank == 1) MPI_Send(data, bytes, MPI_CHAR, 0, 7, MPI_COMM_WORLD);
    }
    const double seconds = (MPI_Wtime() - begin) / (2 * rounds);
    if (rank == 0) printf("%8d bytes %12.3f us\n", bytes, seconds * 1e6);
    free(data);
  }
  return verdict("pingpong");
}
