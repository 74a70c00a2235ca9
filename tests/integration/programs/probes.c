// Probes find the message that a receive then gets, of a size that nobody knew before.
#include <stdlib.h>

#include "check.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  enum { messages = 5 };
  if (rank != 0) {
    int data[100];
    for (int i = 0; i < messages; ++i) {
      for (int j = 0; j < rank * 10 + i; ++j) data[j] = rank + j;
      MPI_Send(data, rank * 10 + i, MPI_INT, 0, i, MPI_COMM_WORLD);
    }
  }
  for (int left = messages * (ranks - 1); rank == 0 && left > 0; --left) {
    MPI_Status seen, got;
    int count = -1, flag = 0;
    if (left % 2 == 0)
      MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &seen);
    else
      while (!flag) MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &seen);
    MPI_Get_count(&seen, MPI_INT, &count);
    CHECK(count == seen.MPI_SOURCE * 10 + seen.MPI_TAG, "%d numbers from %d, tag %d", count, seen.MPI_SOURCE,
          seen.MPI_TAG);
    int* data = malloc(sizeof(int) * (size_t)(count + 1));
    MPI_Recv(data, count, MPI_INT, seen.MPI_SOURCE, seen.MPI_TAG, MPI_COMM_WORLD, &got);
    CHECK(got.MPI_SOURCE == seen.MPI_SOURCE && got.MPI_TAG == seen.MPI_TAG, "another message came");
    for (int j = 0; j < count; ++j) CHECK(data[j] == seen.MPI_SOURCE + j, "data[%d] = %d", j, data[j]);
    free(data);
  }
  int flag = 1;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &flag, &status);
  CHECK(!flag, "found a message that nobody sent");
  MPI_Probe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);
  CHECK(status.MPI_SOURCE == MPI_PROC_NULL, "probed nobody");
  return verdict("probes");
}
