// A message goes round a ring, and a sum is made. With an argument rank 0 loads the library of that name
// first.
#include <dlfcn.h>
#include <stdio.h>

#include "interface.h"

int main(int argc, char** argv) {
  int rank = -1, size = -1, value = 0;
  double sum = 0;
  if (argc > 1 && dlopen(argv[1], RTLD_NOW) == NULL) printf("%s\n", dlerror());
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(WORLD, &rank);
  MPI_Comm_size(WORLD, &size);
  if (rank == 0) MPI_Send(&value, 1, INT, 1 % size, 3, WORLD);
  MPI_Recv(&value, 1, INT, (rank + size - 1) % size, 3, WORLD, NULL);
  value += rank;
  if (rank > 0) MPI_Send(&value, 1, INT, (rank + 1) % size, 3, WORLD);
  const double mine = rank;
  MPI_Allreduce(&mine, &sum, 1, DOUBLE, SUM, WORLD);
  if (rank == 0) printf("round %d, sum %g\n", value, sum);
  return MPI_Finalize();
}
