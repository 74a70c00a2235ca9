// What family.c does, built for Open MPI.
#include <stdio.h>

#include "interface.h"

int main(int argc, char** argv) {
  int rank = -1, sum = -1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(WORLD, &rank);
  ++rank;
  MPI_Allreduce(&rank, &sum, 1, INT, SUM, WORLD);
  if (rank == 1) printf("sum %d\n", sum);
  return MPI_Finalize();
}
